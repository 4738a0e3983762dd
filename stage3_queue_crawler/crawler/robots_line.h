// Where an item waits until its origin has said what may be fetched.
//
// A robots.txt may take half a minute to arrive, and hundreds of URLs may need the same
// one. They wait in one line per origin, and one callback per line lets them continue.
// Page 24 of the book.
#pragma once

#include "stage3_queue_crawler/crawler/queued_item.h"
#include "stage3_queue_crawler/crawler/robots_cache.h"

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace stage3 {

class RobotsLine {
  public:
    /// Called with an item that has been judged, and the pause that the origin wants.
    using Judged = std::function<void(QueuedItem, std::optional<Robots::Duration>)>;

    /// All of these must outlive it.
    RobotsLine(EventLoop& loop, RobotsSource& source, Judged judged)
        : loop_(loop), source_(source), judged_(std::move(judged)) {}

    /// Takes an item in. It leaves as soon as the answer is there, perhaps at once.
    void enter(QueuedItem item);

    /// Takes out all that are waiting.
    std::vector<QueuedItem> take_all();
    /// The same, if nobody wants them. Needs no memory.
    void drop_all() { origins_.clear(); }

  private:
    struct Origin {
        std::deque<QueuedItem> line;
        std::unique_ptr<CancelAtExit> callback;
    };

    void wait_for(const std::string& name, Origin& origin,
                  const Future<RobotsSource::Answer>& answer);
    void judge_line(std::string name, const Future<RobotsSource::Answer>& answer);
    void judge(QueuedItem item, const Future<RobotsSource::Answer>& answer);
    bool is_tired();

    static constexpr auto no_turn = std::numeric_limits<std::uint64_t>::max();

    EventLoop& loop_;
    RobotsSource& source_;
    const Judged judged_;
    std::unordered_map<std::string, Origin> origins_; // those with a line
    std::uint64_t turn_ = no_turn; // the turn of the loop in which it began to judge
    EventLoop::TimePoint began_{};
};

} // namespace stage3
