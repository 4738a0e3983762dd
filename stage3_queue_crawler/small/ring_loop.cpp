#include "stage3_queue_crawler/small/ring_loop.h"

#include "stage3_queue_crawler/small/ring_completion.h"

#include <cerrno>
#include <system_error>

namespace stage3::small {
namespace {

constexpr unsigned requests_at_once = 1024;

/// `result` is a count, or an error's number, negative.
void check(int result, const char* what) {
    if (result < 0)
        throw std::system_error(-result, std::generic_category(), what);
}

} // namespace

EventLoop::EventLoop() {
    check(io_uring_queue_init(requests_at_once, &ring_, 0),
          "io_uring can't be used here: io_uring_setup");
}

io_uring_sqe& EventLoop::next_request() {
    io_uring_sqe* request = io_uring_get_sqe(&ring_);
    if (request == nullptr) { // the ring is full
        submit();
        request = io_uring_get_sqe(&ring_);
    }
    return *request;
}

void EventLoop::submit() { check(io_uring_submit(&ring_), "io_uring_enter"); }

void EventLoop::ask_to_end(const Operation& operation) {
    io_uring_sqe& request = next_request();
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): it's only a name here
    io_uring_prep_cancel(&request, const_cast<Operation*>(&operation), 0);
    io_uring_sqe_set_data(&request, nullptr); // whatever comes of it, the operation says
}

// [turn]
void EventLoop::turn(std::optional<std::chrono::milliseconds> timeout) {
    if (!ready_.empty()) {
        submit(); // makes no system call if there are no requests
    } else {
        __kernel_timespec time{};
        if (timeout) {
            time.tv_sec = timeout->count() / 1000;
            time.tv_nsec = timeout->count() % 1000 * 1'000'000;
        }
        io_uring_cqe* first = nullptr;
        const int result = io_uring_submit_and_wait_timeout(
            &ring_, &first, 1, timeout ? &time : nullptr, nullptr);
        if (result != -ETIME && result != -EINTR)
            check(result, "io_uring_enter");
    }
    take_completions();
    RunQueue now;
    now.append(ready_);
    while (!now.empty())
        now.pop().run();
}

void EventLoop::take_completions() {
    io_uring_cqe* completion = nullptr;
    while (io_uring_peek_cqe(&ring_, &completion) == 0) {
        const int result = completion->res;
        std::unique_ptr<Operation> operation(
            static_cast<Operation*>(io_uring_cqe_get_data(completion)));
        io_uring_cqe_seen(&ring_, completion);
        if (operation == nullptr) // the answer to ask_to_end
            continue;
        --lent_;
        if (Completion* const waits = operation->awaited_by)
            waits->hand_back(std::move(operation), result);
    } // an operation that nothing waits for is destroyed here, and no earlier
}
// [/turn]

// NOLINTBEGIN(bugprone-exception-escape): a ring that takes no requests is the end
EventLoop::~EventLoop() {
    io_uring_sqe& all = next_request();
    io_uring_prep_cancel(&all, nullptr, IORING_ASYNC_CANCEL_ANY);
    io_uring_sqe_set_data(&all, nullptr);
    while (lent_ > 0) {
        io_uring_submit_and_wait(&ring_, 1);
        take_completions();
    }
    io_uring_queue_exit(&ring_);
}

// [hand-back]
void Completion::hand_back(std::unique_ptr<Operation> operation, int result) {
    lent_ = nullptr;
    returned_ = std::move(operation);
    result_ = result;
    set_result();
}

bool Completion::cancel() {
    if (lent_ != nullptr)
        loop_.ask_to_end(*lent_);
    return false; // it isn't over: the task notes that it must throw, and waits on
}

Completion::~Completion() {
    if (lent_ == nullptr)
        return;
    lent_->awaited_by = nullptr;
    loop_.ask_to_end(*lent_);
    loop_.submit(); // now, because the socket is closed next, and its number reused
}
// [/hand-back]
// NOLINTEND(bugprone-exception-escape)

std::size_t Completion::result(const char* what) const {
    check(result_, what);
    return static_cast<std::size_t>(result_);
}

} // namespace stage3::small
