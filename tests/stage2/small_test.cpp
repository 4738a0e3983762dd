// The smallest generator, future, task and coroutine.
#include "common/small/event_loop.h"
#include "common/web/url.h"
#include "stage2_coroutines/small/coroutine.h"
#include "stage2_coroutines/small/fetch.h"
#include "stage2_coroutines/small/future.h"
#include "stage2_coroutines/small/generator.h"
#include "stage2_coroutines/small/task.h"
#include "tests/support/listener.h"
#include "tests/support/prelude.h"

using namespace small;

namespace {

using Log = std::vector<std::string>;

/// Logs that it is gone.
class Noted {
  public:
    Noted(Log& log, std::string name) : log_(log), name_(std::move(name)) {}
    ~Noted() { log_.push_back(name_ + " is gone"); }
    Noted(const Noted&) = delete;
    Noted& operator=(const Noted&) = delete;

  private:
    Log& log_;
    std::string name_;
};

Generator<int, std::string, std::string> conversation(Log& log) {
    const Noted local(log, "local variable");
    log.emplace_back("begins");
    const std::string one = co_yield 1;
    log.push_back("was sent " + one);
    const std::string two = co_yield 2;
    log.push_back("was sent " + two);
    co_return "done";
}

TEST_CASE("the smallest generator yields values and takes those that are sent") {
    Log log;
    auto talker = conversation(log);
    CHECK(log.empty()); // a call runs nothing
    CHECK(talker.next() == 1);
    CHECK(talker.send("hello") == 2);
    CHECK(talker.send("bye") == std::nullopt);
    CHECK(talker.next() == std::nullopt); // it has ended, and isn't resumed again
    CHECK(talker.returned() == "done");
    CHECK(log
          == Log{"begins", "was sent hello", "was sent bye", "local variable is gone"});
}

TEST_CASE("the smallest generator can be destroyed while suspended, once") {
    Log log;
    {
        auto talker = conversation(log);
        talker.next();
        const auto moved = std::move(talker);
        CHECK(log == Log{"begins"});
    }
    CHECK(log == Log{"begins", "local variable is gone"});
}

Generator<int, int, int> failing() {
    co_yield 1;
    throw std::runtime_error("no");
}

TEST_CASE("an exception from the smallest generator comes out of the resuming call") {
    auto generator = failing();
    CHECK(generator.next() == 1);
    CHECK_THROWS_WITH_AS(generator.send(0), "no", std::runtime_error);
    CHECK(generator.next() == std::nullopt); // that ended it
}

TEST_CASE("the smallest future calls every callback that was added") {
    Future future;
    Log log;
    future.add_done_callback(
        [&](const Future& done) { log.push_back("a: " + done.result()); });
    future.add_done_callback(
        [&](const Future& done) { log.push_back("b: " + done.result()); });
    CHECK_FALSE(future.done());
    future.set_result("there");
    CHECK(future.done());
    CHECK(log == Log{"a: there", "b: there"});
}

Waiting wait_for_both(FuturePtr one, FuturePtr two, Log& log) {
    log.push_back(co_yield one);
    log.push_back(co_yield two);
    co_return "both";
}

TEST_CASE("the smallest task takes its coroutine from future to future") {
    const auto one = std::make_shared<Future>();
    const auto two = std::make_shared<Future>();
    Log log;
    const Task task(wait_for_both(one, two, log),
                    [&](const std::string& returned) { log.push_back(returned); });
    one->set_result("one");
    CHECK(log == Log{"one"});
    two->set_result("two");
    CHECK(log == Log{"one", "two", "both"});
}

Coroutine<std::string> inner(FuturePtr future, Log& log) {
    const Noted local(log, "inner");
    const std::string result = co_await future;
    if (result == "bad")
        throw std::runtime_error("a bad result");
    co_return result + "!";
}

Coroutine<int> outer(FuturePtr future, Log& log) {
    try {
        log.push_back(co_await inner(future, log));
    } catch (const std::runtime_error& error) {
        log.emplace_back(error.what());
    }
    co_return 0;
}

TEST_CASE("the smallest coroutine resumes with a result or fails with an error") {
    const auto future = std::make_shared<Future>();
    Log log;
    auto coroutine = outer(future, log);
    coroutine.start();
    CHECK(log.empty());
    SUBCASE("with the result") {
        future->set_result("good");
        CHECK(log == Log{"inner is gone", "good!"});
    }
    SUBCASE("with the error") {
        future->set_result("bad");
        CHECK(log == Log{"inner is gone", "a bad result"});
    }
}

TEST_CASE("the smallest coroutine doesn't wait for a future that is done") {
    const auto future = std::make_shared<Future>();
    future->set_result("good");
    Log log;
    auto coroutine = outer(future, log);
    coroutine.start();
    CHECK(log == Log{"inner is gone", "good!"});
}

Coroutine<bool> fetch_in_vain(small::EventLoop& loop, common::Url url, bool& caught) {
    try {
        co_await small::fetch(loop, url);
    } catch (const std::system_error&) {
        caught = true;
    }
    loop.stop();
    co_return true;
}

TEST_CASE("one handler covers the whole smallest fetch with coroutines") {
    const auto port = tests::local_port(tests::listen_on_loopback(0)); // closed again
    const auto nobody = *common::parse_url(fmt::format("http://127.0.0.1:{}/", port));
    small::EventLoop loop;
    bool caught = false;
    auto coroutine = fetch_in_vain(loop, nobody, caught);
    coroutine.start();
    loop.run();
    CHECK(caught);
}

} // namespace
