// Sends lines back until there are none, and then ends without losing anything.
#include "exercise.h"
#include "stage3_queue_crawler/runtime/task/wait.h"

#include <string>
#include <system_error>

using stage3::Coroutine;
using stage3::Stream;

/// Sends lines back. Returns false if one was too long.
static Coroutine<bool> send_lines_back(Stream& stream) {
    try {
        for (;;) {
            const std::string line = co_await stream.read_until("\n", longest_line);
            stream.write(line);
            co_await stream.drain();
        }
    } catch (const stage3::LimitExceeded&) {
        co_return false;
    } catch (const stage3::EndOfStream&) {
        co_return true;
    }
}

static Coroutine<> read_to_the_end(Stream& stream) {
    while (!stream.at_end())
        co_await stream.read_some(1000);
}

Coroutine<> echo(Stream& stream) {
    try {
        const bool short_enough = co_await send_lines_back(stream);
        if (!short_enough)
            stream.write("too long\n");
        co_await stream.flush();
        stream.finish_writing();
        co_await stage3::wait_for(read_to_the_end(stream), patience);
    } catch (const stage3::Timeout&) {
        co_return; // the client has not finished within `patience`
    } catch (const std::system_error&) {
        co_return; // the connection is broken: there is no one to tell
    }
}
