#include "stage3_queue_crawler/redis/redis_client.h"

#include "stage3_queue_crawler/redis/back_off.h"
#include "stage3_queue_crawler/redis/redis_fitness.h"
#include "stage3_queue_crawler/runtime/task/wait.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <system_error>
#include <utility>

namespace stage3 {
namespace {

double seconds(EventLoop::Duration duration) {
    return std::chrono::duration<double>(duration).count();
}

/// What has happened and may pass. Empty: nothing worth a note. Called where an exception
/// is caught; rethrows it if a second try would end the same way.
std::string passing_trouble() {
    try {
        throw;
    } catch (const RedisError& error) {
        if (!may_pass(error))
            throw;
        // It was restarted, and is fine: it only needs the script again.
        const bool is_well = error.code() == "NOSCRIPT";
        return is_well ? "" : fmt::format("can't do it now ({})", error.what());
    } catch (const std::system_error& error) {
        if (error.code() == std::errc::not_connected)
            return ""; // another call closed it, and reports that itself
        return fmt::format("doesn't answer ({})", common::describe(error.code()));
    } catch (const Timeout&) {
        return "doesn't answer (not in time)";
    } catch (const EndOfStream& error) {
        return fmt::format("doesn't answer ({})", error.what());
    } catch (const common::ResolveError& error) {
        return fmt::format("doesn't answer ({})", error.what());
    }
}

} // namespace

/// What one call goes through until it has its answer.
class RedisClient::Patience {
  public:
    explicit Patience(RedisClient& client)
        : client_(client),
          pauses_(client.settings_.first_pause, client.settings_.longest_pause) {}
    Patience(const Patience&) = delete;
    Patience& operator=(const Patience&) = delete;
    ~Patience() {
        if (has_failed_ && --client_.in_trouble_ == 0)
            client_.away_since_.reset(); // all were cancelled: it may be back by now
    }

    /// Called where an exception is caught; rethrows it if it won't pass.
    void failed() {
        const std::string trouble = passing_trouble();
        client_.connection_.close();
        if (!std::exchange(has_failed_, true))
            ++client_.in_trouble_;
        if (trouble.empty() || client_.away_since_)
            return;
        client_.away_since_ = client_.loop_.time();
        client_.note(fmt::format("{}: trying again", trouble));
    }
    void succeeded() {
        if (!has_failed_ || !client_.away_since_)
            return;
        const double away = seconds(client_.loop_.time() - *client_.away_since_);
        client_.away_since_.reset();
        client_.note(away < 1 ? fmt::format("is back after {:.1g} s", away)
                              : fmt::format("is back after {:.0f} s", away));
    }
    EventLoop::Duration pause() { return pauses_.next(client_.random_); }

  private:
    RedisClient& client_;
    BackOff pauses_;
    bool has_failed_ = false;
};

RedisClient::RedisClient(EventLoop& loop, RedisUrl url, Settings settings)
    : loop_(loop), url_(std::move(url)), settings_(std::move(settings)),
      connection_(
          loop, url_,
          {.connect = settings_.connect_timeout, .answer = settings_.answer_timeout}),
      random_(loop.random()) {}

template <class T, class Attempt>
Coroutine<T> RedisClient::until_it_works(Attempt attempt) {
    Patience patience(*this);
    for (;;) {
        try {
            co_await connect();
            T result = co_await attempt();
            patience.succeeded();
            co_return result;
        } catch (const std::exception&) {
            patience.failed(); // rethrows what a second try can't change
        }
        co_await sleep(patience.pause());
    }
}

Coroutine<RedisReply> RedisClient::run(std::string script, Words keys, Words args) {
    auto attempt = [&] { return run_once(script, keys, args); };
    co_return co_await until_it_works<RedisReply>(attempt);
}

Coroutine<std::vector<RedisReply>>
RedisClient::call_all(std::vector<RedisCommand> commands) {
    auto attempt = [&] { return call_all_once(commands); };
    co_return co_await until_it_works<std::vector<RedisReply>>(attempt);
}

Coroutine<RedisReply> RedisClient::call(RedisCommand command) {
    std::vector<RedisCommand> commands;
    commands.push_back(std::move(command));
    std::vector<RedisReply> replies = co_await call_all(std::move(commands));
    if (replies.at(0).is_error)
        throw RedisError(replies.at(0).text);
    co_return std::move(replies.at(0));
}

Coroutine<> RedisClient::connect() {
    if (connection_.is_open())
        co_return;
    loaded_.clear(); // it may be another Redis, or have forgotten them
    co_await connection_.open();
}

/// A script is sent once; from then on, its name will do, which is a hash of it.
Coroutine<RedisReply> RedisClient::run_once(const std::string& script, const Words& keys,
                                            const Words& args) {
    if (!loaded_.contains(script)) {
        RedisCommand load{"SCRIPT", "LOAD", script};
        const RedisReply name = co_await connection_.call(std::move(load));
        loaded_[script] = name.text;
    }
    RedisCommand command{"EVALSHA", loaded_[script], std::to_string(keys.size())};
    command.insert(command.end(), keys.begin(), keys.end());
    command.insert(command.end(), args.begin(), args.end());
    co_return co_await connection_.call(std::move(command));
}

Coroutine<std::vector<RedisReply>>
RedisClient::call_all_once(const std::vector<RedisCommand>& commands) {
    std::vector<RedisReply> replies = co_await connection_.call_all(commands);
    for (const RedisReply& reply : replies) {
        if (reply.is_error && may_pass(RedisError(reply.text)))
            throw RedisError(reply.text);
    }
    co_return replies;
}

Coroutine<> RedisClient::check() {
    const EventLoop::TimePoint deadline = // NOLINT(clang-analyzer-deadcode.DeadStores)
        loop_.time() + settings_.wait_at_start;
    BackOff pauses(settings_.first_pause, settings_.longest_pause);
    for (bool is_first = true;; is_first = false) {
        std::exception_ptr failure;
        try {
            co_await wait_for(look(), settings_.connect_timeout);
            co_return;
        } catch (const std::exception&) {
            failure = std::current_exception();
        }
        connection_.close();
        const std::string why =
            explain(failure, url_, seconds(settings_.connect_timeout));
        const EventLoop::Duration left = deadline - loop_.time();
        if (!may_come_yet(failure) || left <= EventLoop::Duration::zero())
            throw RedisUnfit(fmt::format("{}: {}", url_.shown(), why));
        if (is_first)
            note(fmt::format("isn't ready ({}): waiting for it, {:g} s at most", why,
                             seconds(settings_.wait_at_start)));
        co_await sleep(std::min(pauses.next(random_), left));
    }
}

Coroutine<> RedisClient::look() {
    co_await connect();
    try {
        RedisCommand info{"INFO"};
        const RedisReply reply = co_await connection_.call(std::move(info));
        const std::string fault = fault_in(reply.text);
        if (!fault.empty())
            throw RedisUnfit(fault);
    } catch (const RedisError& error) {
        if (error.code() != "NOPERM")
            throw;
        note("doesn't let us call INFO, so whether it is fit wasn't checked");
    }
    const std::string script = "return 1";
    const Words none;
    try { // may we run scripts at all?
        co_await run_once(script, none, none);
    } catch (const RedisError& error) {
        if (!may_pass(error))
            throw;
    }
}

void RedisClient::note(const std::string& line) const {
    if (settings_.on_note)
        settings_.on_note(fmt::format("{} {}", url_.shown(), line));
}

} // namespace stage3
