// A future that is done when the kernel is.
#pragma once

#include "stage3_queue_crawler/small/future.h"
#include "stage3_queue_crawler/small/ring_loop.h"

#include <cstddef>
#include <memory>
#include <utility>

namespace stage3::small {

// [completion]
/// Waits for an operation. Lives in the frame that waits; the operation doesn't.
class Completion : public Future {
  public:
    template <class Prepare>
    Completion(EventLoop& loop, Operation operation, Prepare prepare)
        : Future(loop), loop_(loop) {
        operation.awaited_by = this;
        auto lent = std::make_unique<Operation>(std::move(operation));
        lent_ = lent.get();
        loop.lend(std::move(lent), prepare);
    }
    Completion(const Completion&) = delete;
    Completion& operator=(const Completion&) = delete;
    ~Completion() override;

    /// Only asks. If a task waits, it gets Cancelled when the kernel has let go.
    bool cancel() override;

    /// For the loop: this came back from the kernel, with a count or an error (negative).
    void hand_back(std::unique_ptr<Operation> operation, int result);

    /// What the kernel said: a count. Throws std::system_error, naming `what`, if it
    /// failed.
    std::size_t result(const char* what) const;
    Operation& operation() { return *returned_; }

  private:
    EventLoop& loop_;
    Operation* lent_ = nullptr; // nullptr: it's back
    std::unique_ptr<Operation> returned_;
    int result_ = 0;
};
// [/completion]

} // namespace stage3::small
