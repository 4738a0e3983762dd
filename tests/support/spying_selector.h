// A selector that tells a test what it is told.
#pragma once

#include "common/system/selector.h"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace tests {

/// The best selector of this system, and a function that hears of each change first.
/// Events::none before: `fd` is new. Events::none after: it is no longer watched.
class SpyingSelector final : public common::Selector {
  public:
    using Hear = std::function<void(int fd, common::Events before, common::Events after)>;
    explicit SpyingSelector(Hear hear) : hear_(std::move(hear)) {}
    std::string_view name() const override { return "spying"; }

  private:
    void add(int fd, common::Events events) override {
        hear_(fd, common::Events::none, events);
        kernel_->register_fd(fd, events, 0);
    }
    void change(int fd, common::Events events) override {
        hear_(fd, registration(fd).events, events);
        kernel_->modify_fd(fd, events, 0);
    }
    bool remove(int fd) override {
        hear_(fd, registration(fd).events, common::Events::none);
        return kernel_->unregister_fd(fd);
    }
    bool wait(int timeout_ms, std::vector<common::Ready>& ready) override {
        const std::optional<Milliseconds> timeout =
            timeout_ms < 0 ? std::nullopt : std::optional(Milliseconds(timeout_ms));
        for (const common::Ready& one : kernel_->select(timeout))
            ready.push_back({one.fd, one.events, registration(one.fd).data});
        return true;
    }

    Hear hear_;
    std::unique_ptr<common::Selector> kernel_ = common::make_selector();
};

} // namespace tests
