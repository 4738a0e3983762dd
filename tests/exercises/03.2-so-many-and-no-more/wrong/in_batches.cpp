// hint: a place is free, and stays empty
#include "exercise.h"

#include <deque>
#include <utility>

namespace {

class YourLimiter final : public Limiter {
  public:
    explicit YourLimiter(std::size_t at_most) : at_most_(at_most) {}

    void add(Job job) override {
        waiting_.push_back(std::move(job));
        start_jobs();
    }

  private:
    void start_jobs() {
        if (starting_)
            return;
        starting_ = true;
        while (!waiting_.empty() && in_flight_ < at_most_) {
            const Job job = std::move(waiting_.front());
            waiting_.pop_front();
            ++in_flight_;
            job([this] {
                if (--in_flight_ == 0)
                    start_jobs();
            });
        }
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
