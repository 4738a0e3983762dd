// Sends one line back. exercise.h says what else it should do.
//
// You may want: stream.read_until("\n", most), which throws stage3::EndOfStream if the
// client finishes first, stage3::LimitExceeded if the line is too long, and
// std::system_error if the connection is broken; stream.write(bytes), drain(), flush(),
// finish_writing(); stream.read_some(most) and at_end(), to drop what still arrives;
// and stage3::wait_for(coroutine, time), which throws stage3::Timeout when time is up.
// Remember: no co_await in a condition or a handler. co_return in a handler is fine.
#include "exercise.h"
#include "stage3_queue_crawler/runtime/task/wait.h"

#include <string>

using stage3::Coroutine;
using stage3::Stream;

Coroutine<> echo(Stream& stream) {
    const std::string line = co_await stream.read_until("\n");
    stream.write(line);
}
