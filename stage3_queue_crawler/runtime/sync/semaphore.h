// A limit on how many tasks do something at once.
//
// A task that wants to do something expensive first gets a permit, of which there is a
// limited number, and gives it back afterwards. If none is free, it waits in line. Page
// 22 of the book.
//
// Without memory: `acquire` throws, and then no permit is taken. Giving one back, and
// handing it to the next in line, needs no memory.
#pragma once

#include "stage3_queue_crawler/runtime/task/future.h"

#include <cstddef>
#include <deque>
#include <memory>
#include <utility>

namespace stage3 {

class Permit;

class Semaphore {
  public:
    explicit Semaphore(std::size_t permits);

    /// A permit: at once, or when one is given back and this call is first in line.
    /// Dropping the future, or cancelling it, gives up the place in line.
    Future<Permit> acquire();

    /// How many permits are free now.
    std::size_t available() const { return state_->free; }

  private:
    friend class Permit;
    /// Permits share it, so they may outlive the semaphore.
    struct State {
        std::size_t free; // if there is one, none waits
        std::deque<Ref<FutureState<Permit>>> line;
        std::size_t sweep_at = 16;

        void add(Ref<FutureState<Permit>> one);
    };
    static void take_back(const std::shared_ptr<State>& state);

    std::shared_ptr<State> state_;
};

/// Gives itself back when it dies.
class [[nodiscard]] Permit {
  public:
    Permit(Permit&& other) noexcept = default;
    /// Gives its own permit back, and takes the other's.
    Permit& operator=(Permit&& other) noexcept {
        const Permit old(
            std::exchange(semaphore_, std::exchange(other.semaphore_, nullptr)));
        return *this;
    }
    Permit(const Permit&) = delete;
    Permit& operator=(const Permit&) = delete;
    ~Permit();

  private:
    friend class Semaphore;
    explicit Permit(std::shared_ptr<Semaphore::State> semaphore)
        : semaphore_(std::move(semaphore)) {}

    std::shared_ptr<Semaphore::State> semaphore_;
};

} // namespace stage3
