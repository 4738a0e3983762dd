// hint: was taken back by another callback
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
        return std::max(timers_.begin()->first.first - now, Milliseconds(0));
    }

    void run_due(Milliseconds now) override {
        std::vector<Callback> due;
        while (!timers_.empty() && timers_.begin()->first.first <= now) {
            due.push_back(std::move(timers_.begin()->second));
            timers_.erase(timers_.begin());
        }
        for (const Callback& callback : due)
            callback();
    }

  private:
    using Key = std::pair<Milliseconds, Id>; // sorts by time, then by age

    std::map<Key, Callback> timers_;
    Id next_id_ = 1;
};

} // namespace

std::unique_ptr<Timers> make_your_timers() { return std::make_unique<YourTimers>(); }
