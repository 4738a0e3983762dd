#include "questions.h"

#include <coroutine>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

namespace {

struct Cancelled {};

/// The digits noted so far.
struct Notes {
    int number = 0;
    void note(int digit) { number = number * 10 + digit; }
};

/// Where bytes are received. Notes 1 when it's destroyed.
class Buffer {
  public:
    explicit Buffer(Notes& notes) : notes_(notes) {}
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() { notes_.note(1); }

  private:
    Notes& notes_;
};

struct Receive;

/// Something for the kernel to do.
struct Operation {
    std::optional<Buffer> own; // or else the buffer is elsewhere
    Receive* awaited_by = nullptr;
    bool has_bytes = false; // they have arrived
    bool must_end = false;  // it was asked to
};

/// Has at most one operation, and completes it when its turn comes. Notes 2 when it
/// writes to the buffer.
class Kernel {
  public:
    explicit Kernel(Notes& notes) : notes_(notes) {}

    void lend(std::unique_ptr<Operation> operation) { lent_ = std::move(operation); }
    void bytes_arrive() { lent_->has_bytes = true; }
    void ask_to_end() { lent_->must_end = true; }
    void turn();

  private:
    Notes& notes_;
    std::unique_ptr<Operation> lent_;
};

/// `co_await Receive(kernel, operation)`: resumes when the kernel has completed it.
struct Receive {
    Receive(Kernel& k, std::unique_ptr<Operation> one) : kernel(k) {
        lent = one.get();
        one->awaited_by = this;
        kernel.lend(std::move(one));
    }
    Receive(const Receive&) = delete;
    Receive& operator=(const Receive&) = delete;
    ~Receive() {
        if (lent == nullptr)
            return;
        lent->awaited_by = nullptr;
        kernel.ask_to_end();
    }

    void cancel() {
        must_throw = true;
        kernel.ask_to_end();
    }

    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> frame) noexcept { waiter = frame; }
    void await_resume() const {
        if (must_throw)
            throw Cancelled();
    }

    Kernel& kernel;
    Operation* lent = nullptr; // nullptr: it's back
    std::coroutine_handle<> waiter;
    bool must_throw = false;
};

void Kernel::turn() {
    const auto operation = std::exchange(lent_, nullptr);
    if (operation->has_bytes || !operation->must_end)
        notes_.note(2);
    if (Receive* const receive = operation->awaited_by) {
        receive->lent = nullptr;
        receive->waiter.resume();
    }
}

/// Owns a coroutine that has begun, and destroys its frame.
class Job {
  public:
    struct promise_type {
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

/// The operation owns no buffer. `receive` becomes what the coroutine waits with.
Job wait(Notes& notes, Kernel& kernel, Receive*& receive) {
    Receive waiting(kernel, std::make_unique<Operation>());
    receive = &waiting;
    try {
        co_await waiting;
        notes.note(3);
    } catch (const Cancelled&) {
        notes.note(4);
    }
}

// bytes arrive
int complete() {
    Notes notes;
    Kernel kernel(notes);
    Receive* receive = nullptr;
    const Job job = wait(notes, kernel, receive);
    kernel.bytes_arrive();
    notes.note(5);
    kernel.turn();
    notes.note(6);
    return notes.number;
}

// asked to end
int asked() {
    Notes notes;
    Kernel kernel(notes);
    Receive* receive = nullptr;
    const Job job = wait(notes, kernel, receive);
    receive->cancel();
    notes.note(5);
    kernel.turn();
    notes.note(6);
    return notes.number;
}

// bytes arrive, and then it's asked to end
int too_late() {
    Notes notes;
    Kernel kernel(notes);
    Receive* receive = nullptr;
    const Job job = wait(notes, kernel, receive);
    kernel.bytes_arrive();
    receive->cancel();
    notes.note(5);
    kernel.turn();
    notes.note(6);
    return notes.number;
}

Job wait_with_its_own_buffer(Notes& notes, Kernel& kernel) {
    auto operation = std::make_unique<Operation>();
    operation->own.emplace(notes);
    co_await Receive(kernel, std::move(operation));
    notes.note(3);
}

// destroyed; the operation owns the buffer
int owned() {
    Notes notes;
    Kernel kernel(notes);
    {
        const Job job = wait_with_its_own_buffer(notes, kernel);
        kernel.bytes_arrive();
        notes.note(5);
    }
    notes.note(6);
    kernel.turn();
    notes.note(7);
    return notes.number;
}

Job wait_with_a_local_buffer(Notes& notes, Kernel& kernel) {
    const Buffer local(notes); // the kernel would have its address
    Receive waiting(kernel, std::make_unique<Operation>());
    co_await waiting;
    notes.note(3);
}

// destroyed; the frame owns the buffer
int local() {
    Notes notes;
    Kernel kernel(notes);
    {
        const Job job = wait_with_a_local_buffer(notes, kernel);
        kernel.bytes_arrive();
        notes.note(5);
    }
    notes.note(6);
    kernel.turn();
    notes.note(7);
    return notes.number;
}

} // namespace

Answers run_program() {
    return {.complete = complete(),
            .asked = asked(),
            .too_late = too_late(),
            .owned = owned(),
            .local = local()};
}
