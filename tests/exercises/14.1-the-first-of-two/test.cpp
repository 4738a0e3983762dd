#include "exercise.h"
#include "tests/stage3/runtime/loop_test.h"

#include <cstring>
#include <new>

using stage3::Cancelled;
using stage3::Coroutine;
using stage3::Future;
using stage3::Task;
using tests::LoopTest;

namespace {

/// Keeps freed memory as it was at that moment, as long as it watches. A later write to
/// it does no harm and is detected. AddressSanitizer does this by itself, so under it
/// this does nothing.
class FreedMemory {
  public:
    FreedMemory() { watching_ = true; }
    FreedMemory(const FreedMemory&) = delete;
    FreedMemory& operator=(const FreedMemory&) = delete;
    ~FreedMemory() { let_go(); }

    /// True if something has been written there. Stops watching.
    static bool let_go() {
        watching_ = false;
        bool written = false;
        for (; count_ > 0; --count_) {
            const Block& block = blocks_.at(count_ - 1);
            written |= std::memcmp(block.memory, block.copy, block.memory->size) != 0;
            std::free(block.memory);
            std::free(block.copy);
        }
        return written;
    }

    /// The header in front of each piece of memory.
    struct alignas(std::max_align_t) Head {
        std::size_t size; // with the head
    };
    static bool keeps(Head* memory) {
        if (!watching_ || count_ == blocks_.size())
            return false;
        auto* const copy = static_cast<Head*>(std::malloc(memory->size));
        if (copy == nullptr)
            return false;
        std::memcpy(copy, memory, memory->size);
        blocks_.at(count_++) = {memory, copy};
        return true;
    }

  private:
    struct Block {
        Head* memory;
        Head* copy;
    };
    inline static std::array<Block, 10'000> blocks_;
    inline static std::size_t count_ = 0;
    inline static bool watching_ = false;
};

/// An answer that takes its time. When it's cancelled, it cleans up for 100 ms.
Coroutine<int> answer(LoopTest& test, std::chrono::milliseconds time, int value) {
    bool cancelled = false;
    try {
        co_await stage3::sleep(time);
    } catch (const Cancelled&) {
        cancelled = true;
    }
    if (cancelled) {
        co_await stage3::sleep(100ms);
        test.note("cleaned up " + std::to_string(value));
        throw Cancelled{};
    }
    co_return value;
}

Coroutine<int> value_when(Future<> go, int value) {
    co_await go;
    co_return value;
}

Coroutine<> cancel_when(Future<> go, std::optional<Task<int>>& whom) {
    co_await go;
    if (whom)
        whom->cancel();
}

struct FirstOfTest : LoopTest {
    FreedMemory freed;
    int left = 0; // of the two, when first_of ended

    void cancel_after(std::chrono::milliseconds delay, Task<int> waiter) {
        loop.call_later(delay, [waiter]() mutable { waiter.cancel(); });
    }
    /// Runs until everything is over.
    void run_all(const Task<int>& waiter, Task<int> one, Task<int> other) {
        waiter.add_done_callback([this, one, other](const auto&) {
            left = (one.done() ? 0 : 1) + (other.done() ? 0 : 1);
        });
        loop.call_later(1h, [this] { loop.stop(); });
        loop.run_forever();
        REQUIRE_MESSAGE(waiter.done(), "it should be over by now.");
    }
    void check_cancelled_in_clean_up(const Task<int>& waiter, const Task<int>& one,
                                     const Task<int>& other) {
        cancel_after(100ms, waiter);
        run_all(waiter, one, other);
        CHECK_MESSAGE(left == 0,
                      "it was cancelled while it waited for the two to clean up, and "
                          << left
                          << " of the two still ran when it ended. It must keep waiting, "
                             "in a loop, until both are done.");
        CHECK_MESSAGE(
            waiter.cancelled(),
            "the request was swallowed. It came late, but it must be rethrown.");
    }
    void check_memory(const Task<int>& waiter) {
        REQUIRE_MESSAGE(waiter.done(), "it should be over by now.");
        CHECK_MESSAGE(
            !freed.let_go(),
            "something has written to memory that is gone. A callback of yours was "
            "called after first_of had ended, and it refers to a local variable. Take "
            "the callback back at the end, however that comes: stage3::CancelAtExit.");
    }
};

} // namespace

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED
#endif
#endif
#if !defined(__SANITIZE_ADDRESS__) && !defined(SANITIZED)
void* operator new(std::size_t size) {
    auto* const head =
        static_cast<FreedMemory::Head*>(std::malloc(sizeof(FreedMemory::Head) + size));
    if (head == nullptr)
        throw std::bad_alloc();
    head->size = sizeof(FreedMemory::Head) + size;
    return head + 1;
}
void operator delete(void* memory) noexcept {
    if (memory == nullptr)
        return;
    auto* const head = static_cast<FreedMemory::Head*>(memory) - 1;
    if (!FreedMemory::keeps(head))
        std::free(head);
}
void operator delete(void* memory, std::size_t /*size*/) noexcept {
    operator delete(memory);
}
#endif

TEST_CASE_FIXTURE(FirstOfTest, "the faster one wins in either position") {
    const Task<int> slow = task(answer(*this, 10'000ms, 1));
    const Task<int> fast = task(answer(*this, 1000ms, 2));
    const int value = run(first_of(slow, fast));
    CHECK_MESSAGE(elapsed() < 5000,
                  "it took as long as the slower one. Whichever is done first must wake "
                  "first_of: give both a done callback, and cancel the slower one.");
    CHECK_MESSAGE(value == 2, "the first answer was 2. Yours: " << value);
    const Task<int> fast_again = task(answer(*this, 1000ms, 3));
    const Task<int> slow_again = task(answer(*this, 10'000ms, 4));
    CHECK(run(first_of(fast_again, slow_again)) == 3);
}

TEST_CASE_FIXTURE(FirstOfTest, "first_of leaves nothing running") {
    const Task<int> slow = task(answer(*this, 10'000ms, 1));
    const Task<int> fast = task(answer(*this, 1000ms, 2));
    run(first_of(slow, fast));
    CHECK_MESSAGE(slow.done(),
                  "first_of has returned, and the slower one is still running because it "
                  "is cleaning up. Cancel it, and wait until it has ended.");
}

TEST_CASE_FIXTURE(FirstOfTest, "the first one counts if both are done at once") {
    const Task<int> one = task(answer(*this, 0ms, 1));
    const Task<int> other = task(answer(*this, 0ms, 2));
    turns(3);
    CHECK_MESSAGE(run(first_of(one, other)) == 1,
                  "if both are done, the first one counts.");
}

TEST_CASE_FIXTURE(FirstOfTest, "a cancelled first_of cancels both and waits for them") {
    const Task<int> one = task(answer(*this, 10'000ms, 1));
    const Task<int> other = task(answer(*this, 10'000ms, 2));
    const Task<int> waiter = task(first_of(one, other));
    cancel_after(50ms, waiter);
    run_all(waiter, one, other);
    CHECK_MESSAGE((one.cancelled() && other.cancelled()),
                  "the waiting task was cancelled, but the two keep running, although "
                  "nothing needs their answers now. Catch Cancelled, make a note of it, "
                  "and after the handler cancel both and wait for them.");
    CHECK_MESSAGE(
        waiter.cancelled(),
        "the request was swallowed. When everything is cleaned up, it must be rethrown.");
    CHECK_MESSAGE(left == 0, "both have to be waited for, not only cancelled.");
}

TEST_CASE_FIXTURE(FirstOfTest, "a second cancellation during clean-up is not lost") {
    const Task<int> one = task(answer(*this, 10'000ms, 1));
    const Task<int> other = task(answer(*this, 10'000ms, 2));
    const Task<int> waiter = task(first_of(one, other));
    cancel_after(50ms, waiter);
    check_cancelled_in_clean_up(waiter, one, other);
}

TEST_CASE_FIXTURE(FirstOfTest, "a cancellation that comes after the answer is not lost") {
    const Task<int> slow = task(answer(*this, 10'000ms, 1));
    const Task<int> fast = task(answer(*this, 50ms, 2));
    const Task<int> waiter = task(first_of(slow, fast));
    check_cancelled_in_clean_up(waiter, slow, fast);
}

TEST_CASE_FIXTURE(FirstOfTest, "no callback outlives first_of") {
    const Future<> go = future();
    const Task<int> one = task(value_when(go, 1));
    const Task<int> other = task(value_when(go, 2));
    go.set_result();
    turns(2); // now both are done
    const Task<int> waiter = task(first_of(one, other));
    turns(5);
    check_memory(waiter);
}

TEST_CASE_FIXTURE(FirstOfTest, "no callback outlives a cancelled first_of") {
    const Future<> go = future();
    std::optional<Task<int>> waiter;
    const Task<> in_a_hurry = task(cancel_when(go, waiter));
    const Task<int> one = task(value_when(go, 1));
    const Task<int> other = task(value_when(go, 2));
    waiter = task(first_of(one, other));
    turns(2);
    go.set_result(); // it's cancelled, and both are done, in the same turn
    turns(5);
    check_memory(*waiter);
}
