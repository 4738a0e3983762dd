// hint: was started inside another
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
        while (!waiting_.empty() && in_flight_ < at_most_) {
            const Job job = std::move(waiting_.front());
            waiting_.pop_front();
            ++in_flight_;
            job([this] {
                --in_flight_;
                start_jobs();
            });
        }
    }

    const std::size_t at_most_;
    std::deque<Job> waiting_;
    std::size_t in_flight_ = 0;
};

} // namespace

std::unique_ptr<Limiter> make_your_limiter(std::size_t at_most) {
    return std::make_unique<YourLimiter>(at_most);
}
