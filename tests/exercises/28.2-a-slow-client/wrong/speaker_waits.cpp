// hint: a itself is held up
#include "exercise.h"
#include "stage3_queue_crawler/runtime/loop/at_exit.h"

#include <string>
#include <system_error>
#include <vector>

using stage3::Coroutine;
using stage3::Stream;

/// Writes to all, and then waits until all have read enough. Members may come and go
/// meanwhile, so this has its own list.
static Coroutine<> tell(std::vector<Stream*> members, const Stream& speaker,
                        std::string line) {
    std::erase(members, &speaker);
    for (Stream* member : members)
        member->write(line);
    for (Stream* member : members)
        co_await member->drain();
}

Coroutine<> Room::stay(Stream& client) {
    members_.push_back(&client);
    const stage3::AtExit leave([this, &client] { std::erase(members_, &client); });
    try {
        for (;;) {
            const std::string line = co_await client.read_until("\n", longest_line);
            co_await tell(members_, client, line);
        }
    } catch (const stage3::EndOfStream&) {
        co_return; // it has finished
    } catch (const stage3::LimitExceeded&) {
        co_return; // it says too much at once
    } catch (const std::system_error&) {
        co_return; // it has gone, or was closed: too far behind
    }
}
