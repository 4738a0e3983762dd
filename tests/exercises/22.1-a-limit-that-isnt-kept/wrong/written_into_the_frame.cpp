// memory: memory that has been freed
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

/// What came of a look-up.
struct Found {
    std::string address;
    std::exception_ptr failure;
};

void call(const LookUp& look_up, const std::string& host, Found& found) noexcept {
    try {
        found.address = look_up(host);
    } catch (...) { // no exception may leave a thread
        found.failure = std::current_exception();
    }
}

} // namespace

Coroutine<std::string> find_address(LookUp look_up, std::string host,
                                    EventLoop::Duration limit) {
    // Not the loop's own: the loop may be gone when the letter comes.
    const auto mailbox = std::make_shared<Mailbox>();
    Found found;
    std::thread([mailbox, &found, look_up = std::move(look_up), host = std::move(host)] {
        call(look_up, host, found);
        mailbox->put([] {});
    }).detach();
    co_await wait_for(stage3::readable(mailbox->fd()), limit);
    for (stage3::RunQueue mail = mailbox->take(); !mail.empty();)
        mail.pop().run();
    if (found.failure)
        std::rethrow_exception(found.failure);
    co_return found.address;
}
