// A real Redis, for one test, on this machine.
//
// It listens on a free port of loopback and on a socket in its own folder, stores
// nothing, and ends with the test. On Linux it ends with the thread that started it, so
// it also ends if the test crashes. Programs in Python start theirs with
// tests/stage3/shared_frontier/redis_server.py.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <sys/types.h>

namespace tests {

class RedisServer {
  public:
    /// True if there is a redis-server on this machine. (meson skips tests that need one:
    /// see where_installed.sh.)
    static bool is_installed();

    /// Starts it, and waits until it accepts connections. `options` are further options
    /// as on its command line, word by word: {"--requirepass", "secret"}.
    /// Throws std::runtime_error, with its log, if it can't be started.
    explicit RedisServer(std::vector<std::string> options = {});
    RedisServer(const RedisServer&) = delete;
    RedisServer& operator=(const RedisServer&) = delete;
    /// Kills it, and removes its folder.
    ~RedisServer();

    /// kill -9. Does nothing if it isn't running.
    void kill();
    /// Freezes it (SIGSTOP): it answers nothing, and its connections stay open.
    void freeze() const;
    /// Lets a frozen server continue.
    void thaw() const;
    /// Starts it again, on the same port and empty.
    void start();

    std::uint16_t port() const { return port_; }
    pid_t pid() const { return pid_; }
    std::string url() const;
    const std::string& folder() const { return folder_; }
    std::string socket_path() const { return folder_ + "/socket"; }

  private:
    bool starts_within_its_time();
    std::string log() const;

    const std::vector<std::string> options_;
    std::string folder_;
    std::uint16_t port_ = 0;
    pid_t pid_ = -1;
};

} // namespace tests
