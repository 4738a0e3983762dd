// So many at once, and no more.
//
// Whoever wants to do something expensive first gets a permit, of which there are so
// many, and gives it back afterwards. If there is none, it stands in line. Told in
// book/13a.
#pragma once

#include "stage3_queue_crawler/runtime/sync/line.h"

#include <cstddef>
#include <utility>

namespace stage3 {

class Semaphore;

/// Given back when it dies. The semaphore must live until then.
class [[nodiscard]] Permit {
  public:
    Permit(Permit&& other) noexcept
        : semaphore_(std::exchange(other.semaphore_, nullptr)) {}
    Permit& operator=(Permit&& other) noexcept {
        std::swap(semaphore_, other.semaphore_);
        return *this;
    }
    Permit(const Permit&) = delete;
    Permit& operator=(const Permit&) = delete;
    ~Permit();

  private:
    friend class Semaphore;
    explicit Permit(Semaphore& semaphore) : semaphore_(&semaphore) {}

    Semaphore* semaphore_;
};

/// It must outlive those who wait for a permit, or have one.
class Semaphore {
  public:
    explicit Semaphore(std::size_t permits) : free_(permits) {}
    Semaphore(const Semaphore&) = delete;
    Semaphore& operator=(const Semaphore&) = delete;
    ~Semaphore() = default;

    /// A permit: at once, or when one is given back and nobody else has come before.
    Coroutine<Permit> acquire();

    /// How many permits could be had at once.
    std::size_t available() const { return free_; }

  private:
    friend class Permit;
    struct Waiter : Waiting<Waiter, Permit> {
        explicit Waiter(Line<Waiter>& line) : Waiting(line) {}
    };

    void take_back();

    std::size_t free_; // if there is one, nobody waits
    Line<Waiter> waiters_;
};

} // namespace stage3
