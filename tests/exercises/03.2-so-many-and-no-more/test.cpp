#include "common/simple_crawl/event_loop.h"
#include "common/system/selector.h"
#include "common/system/socket.h"
#include "common/trace/trace.h"
#include "exercise.h"
#include "tests/support/prelude.h"

#include <fmt/ranges.h>

#include <numeric>

#include <sys/socket.h>

namespace {

/// Makes jobs, and keeps count of them. The limiter must die first.
class Account {
  public:
    /// A job that ends when `end` is called with its number.
    Job long_job(int number) {
        return [this, number](Ended ended) {
            begin(number);
            running_[number] = std::move(ended);
            --depth_;
        };
    }

    /// A job that calls `action`, and ends before it returns.
    Job short_job(int number, std::function<void()> action = [] {}) {
        return [this, number, action = std::move(action)](const Ended& ended) {
            begin(number);
            action();
            --in_flight_;
            ended();
            --depth_;
        };
    }

    /// Ends a long job.
    void end(int number) {
        const auto found = running_.find(number);
        const bool is_running = found != running_.end();
        REQUIRE_MESSAGE(is_running, "Job " << number << " was not started.");
        const Ended ended = std::move(found->second);
        running_.erase(found);
        --in_flight_;
        ended();
    }

    int in_flight() const { return in_flight_; }
    int most_in_flight() const { return most_in_flight_; }

    /// Fails unless jobs 1 to `last` have been started, in this order.
    void check_started(int last) const {
        std::vector<int> expected(static_cast<std::size_t>(last));
        std::iota(expected.begin(), expected.end(), 1);
        const bool as_expected = started_ == expected;
        CHECK_MESSAGE(as_expected,
                      "Jobs 1 to " << last
                                   << " should have been started by now, in this order. "
                                      "The order was: "
                                   << fmt::format("{}", fmt::join(started_, " ")));
    }

    /// Fails unless all `count` jobs have been started, and none inside another.
    void check_all(std::size_t count) const {
        CHECK_MESSAGE(
            deepest_ <= 1,
            "A job was started inside another job, which had ended at once or "
            "had added it. They were nested "
                << deepest_
                << " deep. Leave the next job to the loop that is already "
                   "starting jobs: it can start it when this one has returned.");
        CHECK_MESSAGE(started_.size() <= count, "A job was started twice.");
        CHECK_MESSAGE((started_.size() >= count || in_flight_ > 0),
                      (count - started_.size())
                          << " jobs wait and none is in flight, so nothing will ever "
                             "start them. After a job that ended at once, look whether "
                             "another can start.");
    }

  private:
    void begin(int number) {
        started_.push_back(number);
        most_in_flight_ = std::max(most_in_flight_, ++in_flight_);
        deepest_ = std::max(deepest_, ++depth_);
    }

    std::map<int, Ended> running_;
    std::vector<int> started_;
    int in_flight_ = 0;
    int most_in_flight_ = 0;
    int depth_ = 0; // jobs whose start has not returned
    int deepest_ = 0;
};

} // namespace

TEST_CASE("no more jobs run at once than are allowed") {
    Account account;
    const auto limiter = make_your_limiter(2);
    for (int number = 1; number <= 5; ++number)
        limiter->add(account.long_job(number));
    CHECK_MESSAGE(account.in_flight() <= 2,
                  account.in_flight()
                      << " jobs are in flight, though only 2 are allowed.");
    CHECK_MESSAGE(account.in_flight() >= 2, "2 jobs are allowed, and only "
                                                << account.in_flight()
                                                << " is in flight: there is room.");
    account.check_started(2);
}

TEST_CASE("when a job ends, the next one starts") {
    Account account;
    const auto limiter = make_your_limiter(2);
    for (int number = 1; number <= 5; ++number)
        limiter->add(account.long_job(number));
    account.end(2);
    CHECK_MESSAGE(account.in_flight() == 2,
                  "Jobs 1 and 2 were in flight, 2 has ended, and 3 waits. A place is "
                  "free, and it stays empty.");
    account.check_started(3);
    account.end(1);
    account.end(3);
    account.check_started(5);
    account.end(4);
    account.end(5);
    CHECK(account.in_flight() == 0);
    limiter->add(account.long_job(6)); // all places are free again
    limiter->add(account.long_job(7));
    account.check_started(7);
    CHECK(account.most_in_flight() == 2);
}

TEST_CASE("a job may end at once") {
    Account account;
    const auto limiter = make_your_limiter(2);
    for (int number = 1; number <= 10; ++number)
        limiter->add(account.short_job(number));
    account.check_all(10);
    for (int number = 11; number <= 14; ++number)
        limiter->add(account.long_job(number));
    CHECK_MESSAGE(account.in_flight() == 2,
                  "10 jobs have ended at once, so 2 places should be free again.");
    account.check_started(12);
}

TEST_CASE("a long queue of jobs that end at once runs to its end") {
    Account account;
    const auto limiter = make_your_limiter(1);
    limiter->add(account.long_job(1));
    for (int number = 2; number <= 200; ++number)
        limiter->add(account.short_job(number));
    account.check_started(1);
    account.end(1);
    account.check_all(200);
    account.check_started(200);
    CHECK(account.in_flight() == 0);
}

TEST_CASE("a job may add jobs") {
    // A site of 100 pages: page n has links to pages 2n and 2n + 1.
    Account account;
    const auto limiter = make_your_limiter(3);
    std::function<void(int)> add = [&](int page) {
        if (page <= 100)
            limiter->add(account.short_job(page, [&add, page] {
                add(2 * page);
                add(2 * page + 1);
            }));
    };
    add(1);
    account.check_all(100);
    account.check_started(100);
    CHECK(account.most_in_flight() <= 3);
}

TEST_CASE("twenty connections are served three at a time") {
    common::Tracer tracer;
    common::EventLoop loop(common::make_selector(), tracer);
    std::vector<common::Socket> sockets;
    int in_flight = 0;
    int most_in_flight = 0;
    int ended_so_far = 0;
    const auto limiter = make_your_limiter(3);
    for (int number = 1; number <= 20; ++number)
        limiter->add([&](const Ended& ended) {
            most_in_flight = std::max(most_in_flight, ++in_flight);
            std::array<int, 2> ends{};
            REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0);
            sockets.emplace_back(ends[0]);
            std::error_code error;
            sockets.emplace_back(ends[1]).send("x", error); // the answer comes at once
            loop.register_fd(ends[0], common::Events::read, "answered", [&, ends, ended] {
                loop.unregister_fd(ends[0]);
                --in_flight;
                if (++ended_so_far == 20)
                    loop.stop();
                ended();
            });
        });
    CHECK_MESSAGE(loop.run(500ms), "The loop has nothing left to wait for, and only "
                                       << ended_so_far << " of 20 jobs have ended.");
    CHECK(most_in_flight == 3);
}
