// hint: jobs wait and none is in flight
#include "exercise.h"

#include <deque>
#include <utility>

namespace {

class YourLimiter final : public Limiter {
  public:
    explicit YourLimiter(std::size_t at_most) : at_most_(at_most) {}

    void add(Job job) override {
        waiting_.push_back(std::move(job));
        start_next();
    }

  private:
    void start_next() {
        if (starting_ || waiting_.empty() || in_flight_ == at_most_)
            return;
        const Job job = std::move(waiting_.front());
        waiting_.pop_front();
        ++in_flight_;
        starting_ = true;
        job([this] {
            --in_flight_;
            start_next();
        });
        starting_ = false;
    }

    const std::size_t at_most_;
    std::deque<Job> waiting_;
    std::size_t in_flight_ = 0;
    bool starting_ = false;
};

} // namespace

std::unique_ptr<Limiter> make_your_limiter(std::size_t at_most) {
    return std::make_unique<YourLimiter>(at_most);
}
