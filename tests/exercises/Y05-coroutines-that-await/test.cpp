#include "coroutine.h"
#include "event_loop.h"
#include "future.h"
#include "tests/exercises/track/kit.h"
#include "tests/exercises/track/loop_kit.h"

#include <coroutine>

using track::Noted;
using track::Rain;
using track::rain;
using track::said;
using yours::Cancelled;
using yours::Chain;
using yours::Coroutine;
using yours::EventLoop;
using yours::Future;

namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool sanitized = true;
#elif defined(__has_feature)
constexpr bool sanitized = __has_feature(address_sanitizer);
#else
constexpr bool sanitized = false;
#endif

/// A loop, two futures to wait for, and what was reported.
struct ChainTest : track::Test<EventLoop> {
    Future future{loop};
    Future second{loop};

    /// A message that ends with what was reported.
    std::string reported(const std::string& text) const {
        return text + " Reported: " + said(told);
    }
};

/// Which chain a coroutine belongs to: `co_await` of one of these doesn't wait.
struct WhoseChain {
    Chain* chain = nullptr;

    bool await_ready() const noexcept { return false; }
    template <class Promise>
    bool await_suspend(std::coroutine_handle<Promise> frame) {
        chain = frame.promise().chain;
        return false;
    }
    Chain* await_resume() const noexcept { return chain; }
};

Coroutine<> look_at_chain(Chain*& chain) {
    WhoseChain question;
    chain = co_await question;
}
Coroutine<> let_child_look(Chain*& own, Chain*& childs) {
    WhoseChain question;
    own = co_await question;
    co_await look_at_chain(childs);
}

/// Opens a test in which a child waits for a future: it would crash.
void needs_the_chain() {
    EventLoop loop;
    Chain* own = nullptr;
    Chain* childs = nullptr;
    const Chain chain(loop, let_child_look(own, childs));
    loop.turn(track::Milliseconds(0));
    CHECK(own == &chain);
    REQUIRE_MESSAGE(childs == &chain,
                    "a child doesn't know which chain it belongs to, so what is to wait "
                    "when it awaits a future? Its parent's promise knows the chain, and "
                    "await_suspend is given its parent's handle.");
}

} // namespace

// ---- The outermost ----

namespace {

Coroutine<> tell(std::string& told, std::string text) {
    told += text + " ";
    co_return;
}

Coroutine<> with_parameter(std::string& told, Noted /*parameter*/) {
    told += "runs ";
    co_return;
}

Coroutine<> fails(std::string& told) {
    const Noted local(told, "local");
    throw Rain();
    co_return;
}

} // namespace

TEST_CASE_FIXTURE(ChainTest, "A1: a call runs none of a coroutine; if it is never "
                             "awaited, its frame is destroyed unused") {
    {
        const Coroutine<> dropped = with_parameter(told, Noted(told, "dropped"));
        REQUIRE_MESSAGE(
            told.empty(),
            reported(
                "a call has run the coroutine: it must stop before its first line."));
    }
    CHECK_MESSAGE(
        told == "~dropped ",
        reported("the coroutine was never awaited, and is gone, so its frame is, too."));
}

TEST_CASE_FIXTURE(ChainTest, "the outermost coroutine begins in the next turn") {
    const Chain chain(loop, tell(told, "it"));
    CHECK(told.empty());
    turn();
    REQUIRE_MESSAGE(told == "it ", reported("the Chain was ready, and its turn has come: "
                                            "its run() resumes the next coroutine."));
    turn();
    CHECK(told == "it ");
}

TEST_CASE_FIXTURE(ChainTest,
                  "an exception that leaves the outermost coroutine leaves the turn") {
    const Chain chain(loop, fails(told));
    std::string caught = "nothing";
    try {
        turn();
    } catch (const Rain& error) {
        caught = error.what();
    }
    REQUIRE(told == "~local ");
    CHECK_MESSAGE(caught == "it rains",
                  "the outermost coroutine has thrown \"it rains\", and ended(error) of "
                  "this Chain throws what it is given. The turn has thrown "
                      << caught
                      << ". Is the exception kept in the promise, and passed to ended?");
}

// ---- Children ----

namespace {

Coroutine<int> sum_of(int a, int b) { co_return a + b; }
Coroutine<std::unique_ptr<int>> wrapped(int value) {
    const int sum = co_await sum_of(value, 1);
    co_return std::make_unique<int>(sum);
}
Coroutine<> adds(std::string& told) {
    told += "begins ";
    co_await tell(told, "a");
    co_await tell(told, "b");
    const int sum = co_await sum_of(2, 3);
    told += std::to_string(sum) + " ";
    const std::unique_ptr<int> one = co_await wrapped(sum);
    told += std::to_string(*one) + " ";
    Coroutine<int> kept = sum_of(10, 20);
    const int later = co_await std::move(kept);
    told += std::to_string(later) + " ";
}

Coroutine<int> passes_on(std::string& told) {
    const Noted local(told, "middle");
    co_await fails(told);
    told += "never ";
    co_return 1;
}
Coroutine<> catches(std::string& told) {
    try {
        const int never = co_await passes_on(told);
        told += "got " + std::to_string(never);
    } catch (const Rain& error) {
        told += error.what();
    }
}

Coroutine<> awaits_one(std::string& told) {
    Noted parameter(told, "awaited");
    co_await with_parameter(told, std::move(parameter));
    told += "ends ";
}

/// How much of the stack is in use, counted from some place.
[[gnu::noinline]] std::intptr_t depth() {
    return -reinterpret_cast<std::intptr_t>(__builtin_frame_address(0));
}

Coroutine<> note_depth(std::intptr_t& deepest) {
    deepest = depth();
    co_return;
}
Coroutine<> many_children(int number, std::intptr_t& first, std::intptr_t& last,
                          int& ran) {
    co_await note_depth(first);
    for (ran = 1; ran < number; ++ran)
        co_await note_depth(last);
}
Coroutine<> child_of_child(int more, std::intptr_t& innermost) {
    if (more > 0)
        co_await child_of_child(more - 1, innermost);
    else
        innermost = depth();
}
Coroutine<> long_chain(int length, std::intptr_t& first, std::intptr_t& innermost) {
    co_await note_depth(first);
    co_await child_of_child(length, innermost);
}

} // namespace

TEST_CASE_FIXTURE(ChainTest,
                  "A2: what a coroutine returns is the value of its co_await") {
    const Chain chain(loop, adds(told));
    turn();
    REQUIRE_MESSAGE(
        told != "begins ",
        "the outermost awaits a child, and that hasn't begun. The handle that "
        "await_suspend of its awaiter returns decides what resumes: the child.");
    REQUIRE_MESSAGE(told != "begins a ",
                    "the child has ended, and its parent doesn't resume. Does the child "
                    "know what awaits it, and does it return that at its end?");
    CHECK_MESSAGE(told == "begins a b 5 6 30 ",
                  reported("children are awaited, one after the other. Two report a and "
                           "b, the others return 5, a pointer to 6, and 30."));
}

TEST_CASE_FIXTURE(
    ChainTest,
    "A3: what a coroutine throws is thrown by its co_await, and so on outwards") {
    const Chain chain(loop, catches(told));
    turn();
    CHECK_MESSAGE(
        told == "~local ~middle it rains",
        reported(
            "a child of a child has thrown \"it rains\". An exception that leaves a "
            "child is thrown by its parent's co_await, and so on until one catches it."));
}

TEST_CASE_FIXTURE(
    ChainTest,
    "A4: after a co_await, the frame of the coroutine that it awaited is gone") {
    const Chain chain(loop, awaits_one(told));
    turn();
    CHECK_MESSAGE(told == "runs ~awaited ends ",
                  reported("a child was awaited, and its frame is gone when its parent "
                           "resumes after the co_await."));
}

TEST_CASE_FIXTURE(
    ChainTest,
    "K3: awaiting a coroutine neither goes through the loop nor grows the stack") {
    std::intptr_t first = 0;
    std::intptr_t last = 0;
    int ran = 0;
    {
        const Chain chain(loop, many_children(1000, first, last, ran));
        turn();
        REQUIRE(ran == 1000);
    }
    const std::string advice =
        " more bytes of the stack in use. So each runs inside the one before, and many "
        "of them would overflow it. await_suspend must return the handle of the "
        "coroutine to resume, and not resume it itself, both where a child begins and "
        "where it ends.";
    // The sanitizer makes a call of what is a jump in other builds.
    REQUIRE_MESSAGE((last - first < 20'000 || sanitized),
                    "a loop awaits a thousand children, none of which waits. At the last "
                    "one, there were "
                        << last - first << advice);
    {
        const Chain chain(loop, long_chain(500, first, last));
        turn();
        REQUIRE_MESSAGE(
            (last - first < 20'000 || sanitized),
            "each child awaits another, five hundred deep. At the innermost, there were "
                << last - first << advice);
    }
    const int number = sanitized ? 2'000 : 200'000;
    const Chain chain(loop, many_children(number, first, last, ran));
    turn();
    CHECK(ran == number);
}

// ---- Futures ----

namespace {

Coroutine<> waits(std::string& told, std::string name, Future& future) {
    told += name + "1 ";
    co_await future;
    told += name + "2 ";
}

Coroutine<int> waits_and_returns(std::string& told, Future& future, int value) {
    const Noted local(told, "inner");
    told += "waits ";
    co_await future;
    co_return value;
}
Coroutine<int> in_the_middle(std::string& told, Future& future, int value) {
    const Noted local(told, "middle");
    const int returned = co_await waits_and_returns(told, future, value);
    co_return 2 * returned;
}
Coroutine<> asks_twice(std::string& told, Future& first, Future& second) {
    const Noted local(told, "outer");
    const int one = co_await in_the_middle(told, first, 1);
    told += std::to_string(one) + " ";
    const int two = co_await in_the_middle(told, second, 2);
    told += std::to_string(two) + " ";
}

Coroutine<> counts_turns(std::string& told, Future& done) {
    for (int i = 0; i < 3; ++i) {
        co_await done;
        told += std::to_string(i) + " ";
    }
}

Coroutine<> hears_of(std::string& told, Future& future) {
    try {
        co_await future;
        told += "fine ";
    } catch (const Cancelled&) {
        told += "cancelled ";
    } catch (const Rain& error) {
        told += std::string(error.what()) + " ";
    }
}

Coroutine<> see_what_comes(Future& future, std::vector<const Rain*>& seen) {
    try {
        co_await future;
    } catch (const Rain& one) {
        seen.push_back(&one);
    }
}

} // namespace

TEST_CASE_FIXTURE(ChainTest, "F20: awaiting a pending future suspends until it is done") {
    const Chain chain(loop, waits(told, "x", future));
    turn(2);
    REQUIRE_MESSAGE(told == "x1 ",
                    reported("the future isn't done, and the coroutine awaits it."));
    future.set_result();
    CHECK_MESSAGE(told == "x1 ", "the coroutine has resumed inside set_result.");
    turn();
    REQUIRE_MESSAGE(
        told == "x1 x2 ",
        reported("the future is done, and the coroutine has not resumed after its "
                 "co_await. The future's awaiter tells the chain; the chain waits for "
                 "the future; its run() resumes the coroutine."));
    turn();
    CHECK(told == "x1 x2 ");
}

TEST_CASE("a child belongs to its parent's chain") {
    // Some of the cases below need it, too, and would crash.
    needs_the_chain();
}

TEST_CASE_FIXTURE(ChainTest, "the innermost coroutine waits, and then all resume") {
    needs_the_chain();
    const Chain chain(loop, asks_twice(told, future, second));
    turn();
    REQUIRE(told == "waits ");
    future.set_result();
    turn();
    REQUIRE_MESSAGE(told == "waits ~inner ~middle 2 waits ",
                    reported("the innermost of three has resumed and ended. In the same "
                             "turn its parent resumes, and then the parent of that."));
    told.clear();
    second.set_result();
    turn();
    CHECK_MESSAGE(told == "~inner ~middle 4 ~outer ",
                  reported("then the second future was done."));
}

TEST_CASE_FIXTURE(ChainTest, "a chain is destroyed from the inside out") {
    needs_the_chain();
    {
        const Chain chain(loop, asks_twice(told, future, second));
        turn();
        REQUIRE(told == "waits ");
        told.clear();
    }
    CHECK_MESSAGE(told == "~inner ~middle ~outer ",
                  reported("the chain was destroyed while its innermost waited."));
}

TEST_CASE_FIXTURE(
    ChainTest,
    "F22: all waiting tasks get the outcome, in the order in which they came") {
    const Chain x(loop, waits(told, "x", future));
    const Chain y(loop, waits(told, "y", second));
    const Chain z(loop, waits(told, "z", future));
    turn();
    CHECK(told == "x1 y1 z1 ");
    future.set_result();
    turn();
    CHECK_MESSAGE(
        told == "x1 y1 z1 x2 z2 ",
        reported("x and z wait for one future, which is done now, and y for another."));
    second.set_result();
    turn();
    CHECK(told == "x1 y1 z1 x2 z2 y2 ");
}

TEST_CASE_FIXTURE(ChainTest,
                  "F21: awaiting a future that is done does not give up control") {
    future.set_result();
    const Chain chain(loop, counts_turns(told, future));
    turn();
    CHECK_MESSAGE(
        told == "0 1 2 ",
        "a coroutine awaits a future that is done, three times. There is nothing to wait "
        "for, so it doesn't stop. In its first turn it reported: "
            << said(told));
}

TEST_CASE_FIXTURE(ChainTest, "a future that fails throws at the co_await") {
    std::string expected;
    SUBCASE("while a task waits") {
        const Chain chain(loop, hears_of(told, future));
        turn();
        future.set_exception(rain());
        turn();
        expected = "it rains ";
    }
    SUBCASE("before a task waits") {
        future.set_exception(rain());
        const Chain chain(loop, hears_of(told, future));
        turn();
        expected = "it rains ";
    }
    SUBCASE("because it is cancelled") {
        const Chain chain(loop, hears_of(told, future));
        turn();
        future.cancel();
        turn();
        expected = "cancelled ";
    }
    CHECK_MESSAGE(told == expected,
                  reported("the future has failed, and its co_await throws that."));
}

TEST_CASE_FIXTURE(ChainTest, "F23: all waiting tasks get the same exception object") {
    std::vector<const Rain*> seen;
    const Chain a(loop, see_what_comes(future, seen));
    const Chain b(loop, see_what_comes(future, seen));
    turn();
    future.set_exception(rain());
    turn();
    REQUIRE(seen.size() == 2);
    CHECK_MESSAGE(seen[0] == seen[1], "two wait for a future that fails, and what one of "
                                      "them catches is a copy of the other's.");
}

// ---- What the next step builds on ----

namespace {

/// A Chain that reports what is called.
class Watched final : public Chain {
  public:
    Watched(EventLoop& loop, Coroutine<> outermost, std::string& told)
        : Chain(loop, std::move(outermost)), told_(told) {}

    void wait_for(Future& future, std::coroutine_handle<> innermost) override {
        Chain::wait_for(future, innermost);
        told_ += awaited() == &future ? "wait_for " : "wait_for(not awaited) ";
    }
    void going_on() override {
        told_ += awaited() == nullptr ? "going_on " : "going_on(awaited) ";
        if (objection)
            std::rethrow_exception(objection);
    }
    void ended(std::exception_ptr error) override {
        told_ += awaited() == nullptr ? "ended" : "ended(awaited)";
        try {
            if (error)
                std::rethrow_exception(error);
        } catch (const std::exception& failure) {
            told_ += std::string("(") + failure.what() + ")";
        }
        told_ += " ";
    }
    const Future* waits_for() const { return awaited(); }

    std::exception_ptr objection; // what going_on throws

  private:
    std::string& told_;
};

Coroutine<> waits_in_a_child(std::string& told, Future& first, Future& second) {
    co_await waits(told, "x", first);
    co_await waits(told, "y", second);
}

} // namespace

TEST_CASE_FIXTURE(ChainTest, "a chain is notified when it waits, resumes and ends") {
    needs_the_chain();
    Watched chain(loop, waits_in_a_child(told, future, second), told);
    CHECK(chain.waits_for() == nullptr);
    turn();
    REQUIRE_MESSAGE(told == "x1 wait_for ",
                    reported("a coroutine waits for a future: wait_for is called, and "
                             "awaited() is that future from then on."));
    CHECK_MESSAGE(chain.waits_for() == &future, "it waits, and awaited() is another.");
    future.set_result();
    CHECK_MESSAGE(chain.waits_for() == &future,
                  "it hasn't resumed yet, so awaited() is what it was.");
    told.clear();
    turn();
    REQUIRE_MESSAGE(told == "going_on x2 y1 wait_for ",
                    reported("the future was done, and the chain's turn has come: now "
                             "awaited() is nullptr, going_on is called, and then the "
                             "coroutine resumes until it waits for the next."));
    CHECK_MESSAGE(chain.waits_for() == &second, "it waits, and awaited() is another.");
    second.set_result();
    told.clear();
    turn();
    CHECK_MESSAGE(told == "going_on y2 ended ",
                  reported("the second future was done, and the outermost has ended: "
                           "ended is called, once, with nullptr."));
    CHECK(chain.waits_for() == nullptr);
    turn();
    CHECK(told == "going_on y2 ended ");
}

TEST_CASE_FIXTURE(ChainTest, "a chain that has not waited does not resume") {
    future.set_result();
    Watched chain(loop, waits(told, "x", future), told);
    turn();
    CHECK_MESSAGE(told == "x1 x2 ended ",
                  reported("the future was done before, so there was no wait: neither "
                           "wait_for nor going_on is called."));
}

TEST_CASE_FIXTURE(ChainTest, "the co_await throws what going_on throws") {
    Watched chain(loop, hears_of(told, future), told);
    turn();
    chain.objection = std::make_exception_ptr(Cancelled());
    SUBCASE("even if there is a result") { future.set_result(); }
    SUBCASE("even if the future has failed") { future.set_exception(rain()); }
    turn();
    CHECK_MESSAGE(told == "wait_for going_on cancelled ended ",
                  reported("going_on has thrown Cancelled: whatever the future's "
                           "outcome, that is thrown by the co_await."));
}
