#include "stage3_queue_crawler/crawler/robots_line.h"

#include <cstddef>
#include <utility>

namespace stage3 {

using namespace std::chrono_literals;

// [enter]
void RobotsLine::enter(QueuedItem item) {
    const std::string name(item.url.origin());
    if (const auto known = origins_.find(name); known != origins_.end()) {
        known->second.line.push_back(std::move(item));
        return;
    }
    const Future<RobotsSource::Answer> answer = source_.ask(item.url);
    if (answer.done() && !answer.cancelled() && !is_tired()) {
        judge(std::move(item), answer);
        return;
    }
    Origin& origin = origins_[name];
    origin.line.push_back(std::move(item));
    wait_for(name, origin, answer);
}
// [/enter]

void RobotsLine::wait_for(const std::string& name, Origin& origin,
                          const Future<RobotsSource::Answer>& answer) {
    origin.callback = std::make_unique<CancelAtExit>(answer.add_done_callback(
        [this, name](const auto& known) { judge_line(name, known); }));
    // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDeleteLeaks): the future owns it
}

/// The answer is there. Judges all items that wait for it, or as much as there's time
/// for: judging one item may take milliseconds, and the loop waits.
// `name` is a copy because `wait_for` replaces the callback that holds it.
// NOLINTNEXTLINE(performance-unnecessary-value-param)
void RobotsLine::judge_line(std::string name,
                            const Future<RobotsSource::Answer>& answer) {
    Origin& origin = origins_.at(name);
    if (answer.cancelled()) { // the question was withdrawn
        wait_for(name, origin, source_.ask(origin.line.front().url));
        return;
    }
    do { // at least one, so that each line moves
        QueuedItem item = std::move(origin.line.front());
        origin.line.pop_front();
        judge(std::move(item), answer);
    } while (!origin.line.empty() && !is_tired());
    if (origin.line.empty())
        origins_.erase(name);
    else
        wait_for(name, origin, answer); // keeps the answer, which the cache may drop
}

/// Keeps only the verdict, not all the rules: many items may wait in line with one.
void RobotsLine::judge(QueuedItem item, const Future<RobotsSource::Answer>& answer) {
    std::optional<Robots::Duration> delay;
    item.refusal.reset();
    if (answer.has_failed()) {
        item.refusal = std::make_shared<const Refusal>(
            Refusal{.reason = {}, .failure = answer.exception()});
    } else {
        const RobotsAnswer& says = *answer.result();
        if (says.rules.allows(item.url.target()))
            delay = says.rules.crawl_delay();
        else
            item.refusal = std::make_shared<const Refusal>(
                Refusal{.reason = says.reason, .failure = nullptr});
    }
    judged_(std::move(item), delay);
}

/// True if judging has taken long enough in this turn of the loop.
bool RobotsLine::is_tired() {
    const EventLoop::TimePoint now = loop_.time();
    if (loop_.turns() != turn_) {
        turn_ = loop_.turns();
        began_ = now;
    }
    return now - began_ > 2ms;
}

std::vector<QueuedItem> RobotsLine::take_all() {
    std::size_t number = 0;
    for (const auto& [name, origin] : origins_)
        number += origin.line.size();
    std::vector<QueuedItem> all;
    all.reserve(number); // first, since it may run out of memory: then all stay in line
    for (auto& [name, origin] : origins_)
        for (QueuedItem& item : origin.line)
            all.push_back(std::move(item));
    origins_.clear();
    return all;
}

} // namespace stage3
