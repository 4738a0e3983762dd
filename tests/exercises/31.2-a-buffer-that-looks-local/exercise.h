// A kernel that completes operations, and coroutines that wait for it.
#pragma once

#include <algorithm>
#include <coroutine>
#include <cstddef>
#include <cstring>
#include <deque>
#include <exception>
#include <iterator>
#include <list>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

/// Something for the kernel to do. You may derive from it.
struct Operation {
    Operation() = default;
    Operation(const Operation&) = delete;
    Operation& operator=(const Operation&) = delete;
    virtual ~Operation() = default;

    std::span<char> into;           ///< where the kernel writes
    std::coroutine_handle<> waiter; ///< resumed by the completion; null: nothing is
    std::size_t count = 0;          ///< what the completion says: how many bytes came
};

/// Receives bytes for operations, and is in no hurry.
class Kernel {
  public:
    /// Keeps the operation until its completion, which comes in a `turn`.
    void lend(std::shared_ptr<Operation> operation) {
        lent_.push_back({std::move(operation), false});
    }

    /// Asks for an early end. If bytes have arrived for the operation, it's too late:
    /// the kernel writes them. Otherwise, the next turn completes it with no bytes.
    void ask_to_end(const Operation& operation) {
        for (Lent& one : lent_)
            one.must_end = one.must_end || one.operation.get() == &operation;
    }

    /// Bytes arrive for the operation that was lent first and has none yet.
    void bytes_arrive(std::string bytes) { arrived_.push_back(std::move(bytes)); }

    /// Completes all operations for which bytes have arrived, and those that must end:
    /// writes all their bytes first, and then resumes what waits for them.
    void turn() {
        std::list<Lent> complete;
        for (auto one = lent_.begin(); one != lent_.end();) {
            const auto next = std::next(one);
            if (!arrived_.empty())
                write(*one->operation);
            if (one->operation->count > 0 || one->must_end)
                complete.splice(complete.end(), lent_, one);
            one = next;
        }
        for (const Lent& one : complete)
            if (one.operation->waiter)
                one.operation->waiter.resume();
    }

    /// How many operations it has.
    std::size_t lent() const { return lent_.size(); }

  private:
    struct Lent {
        std::shared_ptr<Operation> operation;
        bool must_end;
    };

    void write(Operation& operation) {
        const std::string bytes = std::move(arrived_.front());
        arrived_.pop_front();
        operation.count = std::min(bytes.size(), operation.into.size());
        std::memcpy(operation.into.data(), bytes.data(), operation.count);
    }

    std::list<Lent> lent_;
    std::deque<std::string> arrived_;
};

/// The memory of frames that are gone: it isn't used again, so that one can see who
/// writes there.
class DeadFrames {
  public:
    /// How many bytes were written there.
    static std::size_t touched() {
        std::size_t count = 0;
        for (const auto& [memory, size] : all())
            for (std::size_t i = 0; i < size; ++i)
                count += memory[i] != mark;
        return count;
    }

    static void add(void* memory, std::size_t size) {
        std::memset(memory, mark, size);
        all().emplace_back(static_cast<char*>(memory), size);
    }

  private:
    static constexpr char mark = 0x5d;
    static std::vector<std::pair<std::unique_ptr<char[]>, std::size_t>>& all() {
        static std::vector<std::pair<std::unique_ptr<char[]>, std::size_t>> dead;
        return dead;
    }
};

/// What a call of such a coroutine returns. The coroutine begins at once, and runs until
/// it waits. The Job owns the frame: when it dies, the frame is destroyed.
class [[nodiscard]] Job {
  public:
    struct promise_type {
        static void* operator new(std::size_t size) { return new char[size]; }
        static void operator delete(void* frame, std::size_t size) {
            DeadFrames::add(frame, size);
        }
        Job get_return_object() {
            return Job(std::coroutine_handle<promise_type>::from_promise(*this));
        }
        std::suspend_never initial_suspend() const noexcept { return {}; }
        std::suspend_always final_suspend() const noexcept { return {}; }
        void return_void() const {}
        void unhandled_exception() const noexcept { std::terminate(); }
    };

    Job(const Job&) = delete;
    Job& operator=(const Job&) = delete;
    ~Job() { frame_.destroy(); }

  private:
    explicit Job(std::coroutine_handle<> frame) : frame_(frame) {}

    std::coroutine_handle<> frame_;
};

/// Receives at most 16 bytes, and stores them in `received`, which outlives the frame.
Job receive(Kernel& kernel, std::string& received);
