// No client is waited for, and one that is too far behind must go.
#include "exercise.h"
#include "stage3_queue_crawler/runtime/loop/at_exit.h"

#include <string>
#include <string_view>
#include <system_error>
#include <vector>

using stage3::Coroutine;
using stage3::Stream;

/// No client comes or goes meanwhile: this doesn't wait, and the task of a client that
/// is closed here resumes in a later turn, and leaves then.
static void tell(const std::vector<Stream*>& members, const Stream& speaker,
                 std::string_view line) {
    for (Stream* member : members) {
        if (member == &speaker)
            continue;
        member->write(line);
        if (member->unsent() > most_unsent)
            member->close();
    }
}

Coroutine<> Room::stay(Stream& client) {
    members_.push_back(&client);
    const stage3::AtExit leave([this, &client] { std::erase(members_, &client); });
    try {
        for (;;) {
            const std::string line = co_await client.read_until("\n", longest_line);
            tell(members_, client, line);
        }
    } catch (const stage3::EndOfStream&) {
        co_return; // it has finished
    } catch (const stage3::LimitExceeded&) {
        co_return; // it says too much at once
    } catch (const std::system_error&) {
        co_return; // it has gone, or was closed: too far behind
    }
}
