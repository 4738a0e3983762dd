// Redis, whatever happens to it.
//
// A crawl takes hours, and in hours a server is restarted, a cable is pulled, a disk
// fills up. None of that should end the crawl. So this client repeats a call until there
// is an answer.
//
// That is only right for calls that may be made twice. If the connection breaks after a
// call was sent, there's no telling whether Redis has executed it: either the answer was
// lost or the call was. The client doesn't ask which, it repeats the call. Its user must
// make sure that this does no harm, as the scripts of the shared frontier do.
#pragma once

#include "stage3_queue_crawler/redis/redis_connection.h"

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace stage3 {

/// This Redis won't do, or can't be reached: one line for its user, who can fix that.
struct RedisUnfit : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct RedisSettings {
    EventLoop::Duration connect_timeout = std::chrono::seconds(5);
    EventLoop::Duration answer_timeout = std::chrono::seconds(10);
    /// Before the second try; doubled from then on.
    EventLoop::Duration first_pause = std::chrono::milliseconds(20);
    EventLoop::Duration longest_pause = std::chrono::seconds(1);
    /// How long `check` waits for a Redis that isn't there yet, or isn't ready.
    EventLoop::Duration wait_at_start{};
    /// Called with a line when Redis goes away, and when it's back.
    std::function<void(const std::string& line)> on_note = {};
};

/// For use in one loop; it must outlive its calls.
class RedisClient {
  public:
    using Settings = RedisSettings;
    using Words = std::vector<std::string>;

    RedisClient(EventLoop& loop, RedisUrl url, Settings settings = {});
    RedisClient(const RedisClient&) = delete;
    RedisClient& operator=(const RedisClient&) = delete;
    ~RedisClient() = default;

    /// To be called first, and once: connects, and checks what is there. If nothing is
    /// yet, tries again for a while; what else is wrong, the user has to fix. Throws
    /// RedisUnfit.
    Coroutine<> check();

    // ---- These repeat until there is an answer. To give up earlier, cancel them, or set
    // a time limit. ----

    /// Runs a Lua script, and returns what that returns. Throws RedisError if Redis
    /// refuses permanently, and NoRedis if something else answers by now.
    Coroutine<RedisReply> run(std::string script, Words keys, Words args);
    /// Makes all of these calls, in order: see RedisConnection::call_all. If one is
    /// refused for now, all are repeated.
    Coroutine<std::vector<RedisReply>> call_all(std::vector<RedisCommand> commands);
    /// Makes one call. Throws RedisError if Redis refuses permanently.
    Coroutine<RedisReply> call(RedisCommand command);

    const RedisUrl& url() const { return url_; }
    const Traffic& traffic() const { return connection_.traffic(); }

  private:
    class Patience;

    template <class T, class Attempt>
    Coroutine<T> until_it_works(Attempt attempt);
    Coroutine<> connect();
    Coroutine<RedisReply> run_once(const std::string& script, const Words& keys,
                                   const Words& args);
    Coroutine<std::vector<RedisReply>>
    call_all_once(const std::vector<RedisCommand>& commands);
    Coroutine<> look();
    void note(const std::string& line) const;

    EventLoop& loop_;
    const RedisUrl url_;
    const Settings settings_;
    RedisConnection connection_;
    std::map<std::string, std::string> loaded_; // scripts, and what Redis calls them
    std::minstd_rand random_;
    int in_trouble_ = 0; // calls that have failed and are still trying
    std::optional<EventLoop::TimePoint> away_since_; // if it was noted
};

} // namespace stage3
