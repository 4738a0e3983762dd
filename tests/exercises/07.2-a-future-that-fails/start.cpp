// A future that can only succeed. Let it fail, too: exercise.h says how.
#include "exercise.h"

#include <optional>
#include <utility>
#include <vector>

namespace {

class YourFuture final : public FailingFuture {
  public:
    bool done() const override { return result_.has_value(); }

    const std::string& result() const override {
        if (!result_)
            throw InvalidState("the future has no result yet");
        return *result_;
    }

    std::exception_ptr exception() const override {
        return nullptr; // not done yet
    }

    void add_done_callback(Callback callback) override {
        callbacks_.push_back(std::move(callback));
    }

    void set_result(std::string result) override {
        if (done())
            throw InvalidState("the future is done already");
        result_ = std::move(result);
        call_back();
    }

    void set_exception(std::exception_ptr exception) override {
        exception_ = std::move(exception); // and then?
    }

  private:
    void call_back() {
        const std::vector<Callback> callbacks = std::move(callbacks_);
        for (const Callback& callback : callbacks)
            callback(*this);
    }

    std::optional<std::string> result_;
    std::exception_ptr exception_;
    std::vector<Callback> callbacks_;
};

} // namespace

std::unique_ptr<FailingFuture> make_your_future() {
    return std::make_unique<YourFuture>();
}
