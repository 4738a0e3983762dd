// memory: reads memory that has been freed
#include "exercise.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace {

class YourTimers final : public Timers {
  public:
    Id call_at(Milliseconds when, Callback callback) override {
        const Id id = next_id_++;
        timers_.emplace(Key{when, id}, std::move(callback));
        return id;
    }

    void cancel(Id id) override {
        std::erase_if(timers_,
                      [id](const auto& timer) { return timer.first.second == id; });
    }

    std::optional<Milliseconds> timeout(Milliseconds now) const override {
        if (timers_.empty())
            return std::nullopt;
        // A timer that is late is due now. A negative timeout would mean "for ever".
        return std::max(timers_.begin()->first.first - now, Milliseconds(0));
    }

    void run_due(Milliseconds now) override {
        // Whoever is made from here on has a higher number, and waits for the next time.
        const Id end = next_id_;
        for (;;) {
            // Looked up anew each time: a callback may have cancelled any of them.
            const auto due = std::ranges::find_if(timers_, [&](const auto& timer) {
                return timer.first.first <= now && timer.first.second < end;
            });
            if (due == timers_.end())
                return;
            const Callback callback = std::move(due->second);
            timers_.erase(due); // first, so that it may make itself anew
            callback();
            last_called_ = due->first.second;
        }
    }

  private:
    using Key = std::pair<Milliseconds, Id>; // sorts by time, then by age

    std::map<Key, Callback> timers_;
    Id next_id_ = 1;
    Id last_called_ = 0;
};

} // namespace

std::unique_ptr<Timers> make_your_timers() { return std::make_unique<YourTimers>(); }
