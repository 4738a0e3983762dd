// Which descriptors are ready? As common/system/selector.h, but only with poll, and in 30
// lines: for programs that the browser runs.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include <poll.h>

namespace common {

enum class Events : short { read = POLLIN, write = POLLOUT };

struct Ready {
    int fd;
};

class Selector {
  public:
    using Milliseconds = std::chrono::milliseconds;

    void register_fd(int fd, Events events, int /*data*/) {
        watched_.push_back({fd, static_cast<short>(events), 0});
    }

    void unregister_fd(int fd) {
        std::erase_if(watched_, [fd](const pollfd& one) { return one.fd == fd; });
    }

    std::vector<Ready> select(std::optional<Milliseconds> timeout) {
        const int most = timeout ? static_cast<int>(timeout->count()) : -1;
        std::vector<Ready> ready;
        if (::poll(watched_.data(), watched_.size(), most) > 0)
            for (const pollfd& one : watched_)
                if (one.revents != 0)
                    ready.push_back({one.fd});
        return ready;
    }

  private:
    std::vector<pollfd> watched_;
};

inline std::unique_ptr<Selector> make_selector(std::string_view /*name*/) {
    return std::make_unique<Selector>();
}

} // namespace common
