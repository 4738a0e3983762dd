// A thread that nothing waits for. It owns everything it touches, or shares it with the
// coroutine, so either of them may end first.
#include "exercise.h"
#include "stage3_queue_crawler/runtime/loop/mailbox.h"

#include <exception>
#include <memory>
#include <thread>
#include <utility>

using stage3::Coroutine;
using stage3::EventLoop;
using stage3::Mailbox;

namespace {

/// What came of a lookup.
struct Found {
    std::string address;
    std::exception_ptr failure;
};

Found call(const LookUp& look_up, const std::string& host) noexcept {
    Found found;
    try {
        found.address = look_up(host);
    } catch (...) { // no exception may leave a thread
        found.failure = std::current_exception();
    }
    return found;
}

} // namespace

Coroutine<std::string> find_address(LookUp look_up, std::string host,
                                    EventLoop::Duration limit) {
    // Not the loop's own: the loop may be gone when the letter comes.
    const auto mailbox = std::make_shared<Mailbox>();
    const auto found = std::make_shared<Found>(); // only the loop's thread looks at it
    std::thread([mailbox, found, look_up = std::move(look_up), host = std::move(host)] {
        mailbox->put([found, now = call(look_up, host)] { *found = now; });
    }).detach();
    co_await wait_for(stage3::readable(mailbox->fd()), limit);
    for (stage3::RunQueue mail = mailbox->take(); !mail.empty();)
        mail.pop().run();
    if (found->failure)
        std::rethrow_exception(found->failure);
    co_return found->address;
}
