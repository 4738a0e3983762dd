// A room in which no client hears another. exercise.h says what it should do.
//
// You may want: member->write(line), member->unsent(), member->close(). A task that
// waits for something on a stream that is closed gets std::system_error, not inside
// `close` but in its next turn. And const stage3::AtExit at_exit([&] { ... }), which
// calls the function when the scope is left, whatever the reason.
#include "exercise.h"
#include "stage3_queue_crawler/runtime/loop/at_exit.h"
#include "stage3_queue_crawler/runtime/task/wait.h"

#include <string>
#include <system_error>

using stage3::Coroutine;
using stage3::Stream;

Coroutine<> Room::stay(Stream& client) {
    members_.push_back(&client);
    try {
        for (;;) {
            const std::string line = co_await client.read_until("\n", longest_line);
            // Which other clients are here?
            static_cast<void>(line);
        }
    } catch (const stage3::EndOfStream&) {
        members_.clear(); // all of them?
    }
}
