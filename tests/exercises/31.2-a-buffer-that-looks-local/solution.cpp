// The kernel keeps an operation until its completion, so what the operation owns lives as
// long as the kernel needs it, whatever becomes of the frame.
#include "exercise.h"

#include <array>

namespace {

/// An operation, and the memory that the kernel writes for it.
struct Receive : Operation {
    Receive() { into = buffer; }
    std::array<char, 16> buffer{};
};

/// `co_await Completion(kernel, operation)`: resumes when the operation is complete.
class Completion {
  public:
    Completion(Kernel& kernel, std::shared_ptr<Operation> operation)
        : kernel_(kernel), operation_(std::move(operation)) {}
    Completion(const Completion&) = delete;
    Completion& operator=(const Completion&) = delete;
    ~Completion() {
        operation_->waiter = nullptr;
        kernel_.ask_to_end(*operation_);
    }

    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> waiter) {
        operation_->waiter = waiter;
        kernel_.lend(operation_);
    }
    void await_resume() const noexcept {}

  private:
    Kernel& kernel_;
    std::shared_ptr<Operation> operation_;
};

} // namespace

Job receive(Kernel& kernel, std::string& received) {
    const auto operation = std::make_shared<Receive>();
    co_await Completion(kernel, operation);
    received.assign(operation->buffer.data(), operation->count);
}
