// It starts everything at once, as stage 1 does. Make it start `at_most` jobs, keep the
// others in a queue, and start the next one when one ends. exercise.h has the details.
#include "exercise.h"

namespace {

class YourLimiter final : public Limiter {
  public:
    explicit YourLimiter(std::size_t /*at_most*/) {}

    void add(Job job) override {
        job([] {
            // This job has ended.
        });
    }
};

} // namespace

std::unique_ptr<Limiter> make_your_limiter(std::size_t at_most) {
    return std::make_unique<YourLimiter>(at_most);
}
