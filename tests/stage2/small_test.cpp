// The smallest generator, future, task and coroutine.
#include "common/small/event_loop.h"
#include "common/web/url.h"
#include "stage2_coroutines/small/coroutine.h"
#include "stage2_coroutines/small/fetch.h"
#include "stage2_coroutines/small/future.h"
#include "stage2_coroutines/small/generator.h"
#include "stage2_coroutines/small/path.h"
#include "stage2_coroutines/small/task.h"
#include "tests/support/listener.h"
#include "tests/support/prelude.h"

#include <regex>
#include <source_location>

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

// [inside]
TEST_CASE("callbacks run inside set_result of the smallest future") {
    Future future;
    Log log;
    future.add_done_callback([&](const Future&) { log.emplace_back("callback"); });
    log.emplace_back("before");
    future.set_result("");
    log.emplace_back("after");
    CHECK(log == Log{"before", "callback", "after"}); // good: before, after, callback
}
// [/inside]

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

// [function-or-coroutine]
// One caller, and two ways to get a word: a function that returns a future ...
FuturePtr word_from_future(FuturePtr source) { return source; }
// ... and a coroutine.
Coroutine<std::string> word_from_coroutine(FuturePtr source) {
    const std::string word = co_await source;
    co_return word + " by way of a coroutine";
}

template <class GetWord>
Coroutine<bool> use_word(GetWord get_word, FuturePtr source, Log& log) {
    log.push_back(co_await get_word(source));
    co_return true;
}
// [/function-or-coroutine]

TEST_CASE("a function may become a smallest coroutine behind its caller's back") {
    const auto source = std::make_shared<Future>();
    Log log;
    auto first = use_word(word_from_future, source, log);
    auto second = use_word(word_from_coroutine, source, log);
    first.start();
    second.start();
    source->set_result("word");
    CHECK(log == Log{"word", "word by way of a coroutine"});
}

Coroutine<int> fail(FuturePtr future) {
    co_await future;
    throw std::runtime_error("no");
}

Coroutine<int> fail_inside(FuturePtr future) {
    auto failing = fail(future); // one that isn't awaited as it is called
    co_return co_await std::move(failing);
}

Coroutine<int> fail_at_once() {
    throw std::logic_error("not even begun");
    co_return 0;
}

/// Whether an exception has left it.
Coroutine<bool> catch_all(Coroutine<int> coroutine) {
    try {
        co_await std::move(coroutine);
    } catch (const std::exception&) {
        co_return true;
    }
    co_return false;
}

/// The path that is noted, without the numbers of the lines.
std::string noted_path() {
    return std::regex_replace(path.text(), std::regex("cpp:[0-9]+"), "cpp");
}

/// The path of the exception that leaves `coroutine` when `future` has its result.
std::string path_out_of(Coroutine<int> coroutine, const FuturePtr& future) {
    auto caught = catch_all(std::move(coroutine));
    caught.start();
    future->set_result("");
    return noted_path();
}

TEST_CASE("the path names each coroutine that an exception has left, outermost first") {
    const auto future = std::make_shared<Future>();
    CHECK(path_out_of(fail_inside(future), future)
          == "  fail_inside, waiting at small_test.cpp\n"
             "  fail, resumed at small_test.cpp\n");
}

/// The line of the next statement.
unsigned next_line(std::source_location here = std::source_location::current()) {
    return here.line() + 1;
}

unsigned line_of_the_await = 0;

Coroutine<int> fail_after_two(FuturePtr future) {
    co_await future;
    line_of_the_await = next_line();
    co_await future;
    throw std::runtime_error("no");
}

TEST_CASE("the path tells the co_await that was reached last") {
    const auto future = std::make_shared<Future>();
    path_out_of(fail_after_two(future), future);
    CHECK(path.text()
          == fmt::format("  fail_after_two, resumed at small_test.cpp:{}\n",
                         line_of_the_await));
}

Coroutine<int> replace_error(FuturePtr future) {
    try {
        co_await fail_inside(future);
    } catch (const std::runtime_error&) {
        throw std::logic_error("another");
    }
    co_return 0;
}

Coroutine<int> throw_on(FuturePtr future) {
    try {
        co_await fail_inside(future);
    } catch (const std::runtime_error&) {
        throw;
    }
    co_return 0;
}

Coroutine<int> recover_and_fail(FuturePtr future) {
    co_await catch_all(fail_inside(future));
    co_return co_await fail_at_once();
}

TEST_CASE("a path ends where the exception is caught") {
    const auto future = std::make_shared<Future>();
    SUBCASE("another one that is thrown there begins one of its own") {
        CHECK(path_out_of(replace_error(future), future)
              == "  replace_error, resumed at small_test.cpp\n");
    }
    SUBCASE("so does one that is thrown later, before any co_await") {
        CHECK(path_out_of(recover_and_fail(future), future)
              == "  recover_and_fail, waiting at small_test.cpp\n"
                 "  fail_at_once, resumed at small_test.cpp\n");
    }
    SUBCASE("but one that is rethrown goes on") {
        CHECK(path_out_of(throw_on(future), future)
              == "  throw_on, waiting at small_test.cpp\n"
                 "  fail_inside, waiting at small_test.cpp\n"
                 "  fail, resumed at small_test.cpp\n");
    }
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
