#include "stage3_queue_crawler/runtime/event.h"

namespace stage3 {
namespace {

/// A place in a line, which is left when the wait is over, or is given up.
class PlaceInLine {
  public:
    PlaceInLine(std::list<Future<>>& line, const Future<>& waiter)
        : line_(line), place_(line.insert(line.end(), waiter)) {}
    PlaceInLine(const PlaceInLine&) = delete;
    PlaceInLine& operator=(const PlaceInLine&) = delete;
    ~PlaceInLine() { line_.erase(place_); }

  private:
    std::list<Future<>>& line_;
    std::list<Future<>>::iterator place_;
};

} // namespace

void Event::set() {
    set_ = true;
    for (const Future<>& waiter : waiters_)
        waiter.set_result_unless_done();
}

Coroutine<> Event::wait() {
    if (set_)
        co_return;
    const Future<> woken;
    const PlaceInLine place(waiters_, woken);
    co_await woken;
}

} // namespace stage3
