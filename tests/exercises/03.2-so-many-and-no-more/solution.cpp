// A queue of jobs, a count, and one loop that starts them.
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
        // A job that ends at once, or adds another, gets here from inside the loop below.
        // That loop looks at the queue and at the count again as soon as the job has
        // returned, so there is nothing to do. Without this, each job that ends at once
        // would start the next one on top of itself.
        if (starting_)
            return;
        starting_ = true;
        while (!waiting_.empty() && in_flight_ < at_most_) {
            // It leaves the queue first, since it may add to it,
            const Job job = std::move(waiting_.front());
            waiting_.pop_front();
            ++in_flight_; // and is counted: it may end before it returns
            job([this] {
                --in_flight_;
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
