// A URL that a worker holds until it reports the result.
//
// A worker may be cancelled in the middle of a fetch. Its visit's destructor then gives
// the URL back, so none is lost. Page 18b of the book.
#pragma once

#include "stage3_queue_crawler/crawler/record.h"
#include "stage3_queue_crawler/crawler/work.h"
#include "stage3_queue_crawler/runtime/loop/event_loop.h"

#include <functional>
#include <utility>

namespace stage3 {

// NOLINTBEGIN(bugprone-exception-escape): to give back does not fail
/// Work that was taken out of a frontier. It must be done or put off. If it's dropped,
/// for example because its worker is cancelled, it's given back.
template <class Owner>
class Visit {
  public:
    using Work = typename Owner::Work;

    Visit(Owner& owner, Work work) : owner_(&owner), work_(std::move(work)) {}
    Visit(Visit&& other) noexcept
        : owner_(std::exchange(other.owner_, nullptr)), work_(std::move(other.work_)) {}
    Visit& operator=(Visit&&) = delete;
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;
    ~Visit() {
        if (owner_ != nullptr)
            owner_->give_back(std::move(work_));
    }

    const Work& work() const { return work_; }
    /// To be called when its request goes out. Until then, this must not be moved.
    std::function<void()> on_request() {
        return [this] { owner_->began(work_); };
    }
    /// To be tried again after `wait`.
    void put_off(EventLoop::Duration wait) { leave().put_off(std::move(work_), wait); }
    /// The same, but this time doesn't count as a try.
    void put_off_untried(EventLoop::Duration wait) {
        --work_.tries;
        put_off(wait);
    }
    /// The same, because its server has refused it.
    void put_off_refused(EventLoop::Duration wait) {
        ++work_.refusals;
        put_off_untried(wait);
    }
    void done(Record& record, const Found& found) {
        leave().done(std::move(work_), record, found);
    }

  private:
    Owner& leave() { return *std::exchange(owner_, nullptr); }

    Owner* owner_;
    Work work_;
};
// NOLINTEND(bugprone-exception-escape)

} // namespace stage3
