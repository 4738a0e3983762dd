// A URL that a worker holds until it reports the result.
//
// A worker may be cancelled in the middle of a fetch. Its visit's destructor then gives
// the URL back, so none is lost. Page 18b of the book.
#pragma once

#include "stage3_queue_crawler/crawler/item.h"
#include "stage3_queue_crawler/crawler/record.h"
#include "stage3_queue_crawler/runtime/loop/event_loop.h"

#include <functional>
#include <utility>

namespace stage3 {

// NOLINTBEGIN(bugprone-exception-escape): to give back does not fail
/// An item that was taken out of a frontier. It must be done or put off. If it's dropped,
/// for example because its worker is cancelled, it's given back.
template <class Owner>
class Visit {
  public:
    using Item = typename Owner::Item;

    Visit(Owner& owner, Item item) : owner_(&owner), item_(std::move(item)) {}
    Visit(Visit&& other) noexcept
        : owner_(std::exchange(other.owner_, nullptr)), item_(std::move(other.item_)) {}
    Visit& operator=(Visit&&) = delete;
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;
    ~Visit() {
        if (owner_ != nullptr)
            owner_->give_back(std::move(item_));
    }

    const Item& item() const { return item_; }
    /// To be called when its request goes out. Until then, this must not be moved.
    std::function<void()> on_request() {
        return std::bind_front(&Owner::began, owner_, std::ref(item_));
    }
    /// To be tried again after `wait`.
    void put_off(EventLoop::Duration wait) { leave().put_off(std::move(item_), wait); }
    /// The same, but this time doesn't count as a try.
    void put_off_untried(EventLoop::Duration wait) {
        --item_.tries;
        put_off(wait);
    }
    /// The same, because its server has refused it.
    void put_off_refused(EventLoop::Duration wait) {
        ++item_.refusals;
        put_off_untried(wait);
    }
    void done(Record& record, const Found& found) {
        leave().done(std::move(item_), record, found);
    }

  private:
    Owner& leave() { return *std::exchange(owner_, nullptr); }

    Owner* owner_;
    Item item_;
};
// NOLINTEND(bugprone-exception-escape)

} // namespace stage3
