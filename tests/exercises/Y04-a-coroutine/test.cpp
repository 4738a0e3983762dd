// A coroutine belongs to a task, which comes with Y05. Here, a simple task takes its
// place. `./learn yours check` has both in one program, so what is included here has a
// namespace of its own.
#define yours yours_without_tasks
#include "coroutine.h"
#undef yours

#include "tests/exercises/track/kit.h"

#include <coroutine>

namespace yours_without_tasks {

/// Resumes coroutines, one after the other, until the outermost has ended or one waits.
class Task {
  public:
    explicit Task(PromiseBase& outermost) : next_(&outermost) { outermost.task = this; }

    void go_on_with(PromiseBase* promise) {
        next_ = promise;
        knows_next_ = true;
    }
    void wait() {
        waits_ = true;
        knows_next_ = true;
    }

    /// False if a coroutine has stopped, and has not said which one is the next.
    bool run() {
        waits_ = false;
        while (next_ != nullptr && !waits_) {
            knows_next_ = false;
            next_->frame.resume();
            if (!knows_next_)
                return false;
        }
        return true;
    }

  private:
    PromiseBase* next_;
    bool waits_ = false;
    bool knows_next_ = false;
};

void await_child(PromiseBase& parent, PromiseBase& child) {
    child.task = parent.task;
    child.caller = &parent;
    if (parent.task != nullptr) // it has not begun too early
        parent.task->go_on_with(&child);
}

void PromiseBase::Ended::await_suspend(std::coroutine_handle<> /*frame*/) const noexcept {
    if (promise.task != nullptr)
        promise.task->go_on_with(promise.caller);
}

} // namespace yours_without_tasks

using track::Noted;
using track::Rain;
using track::said;
using yours_without_tasks::Coroutine;
using yours_without_tasks::Task;

namespace {

Coroutine<> with_parameter(std::string& told, Noted /*parameter*/) {
    told += "runs ";
    co_return;
}

/// What a call returns. It reports nothing until it runs.
template <class Call>
std::unique_ptr<Coroutine<>> called(const std::string& told, Call call) {
    // Nothing is moved here, nor destroyed after a failure: both could crash.
    auto* const coroutine = new Coroutine<>(call());
    REQUIRE_MESSAGE(told.empty(),
                    "a call has run the coroutine: it must stop before its first line. "
                    "Reported: "
                        << told);
    REQUIRE_MESSAGE(coroutine->promise().frame,
                    "a promise doesn't know its frame, so nothing can resume it, or "
                    "destroy it: get_return_object computes the handle, and puts it into "
                    "`frame`.");
    return std::unique_ptr<Coroutine<>>(coroutine);
}

/// Calls a coroutine, and lets the simple task run it.
class Run {
  public:
    template <class Call>
    Run(const std::string& told, Call call)
        : coroutine_(called(told, std::move(call))), task_(coroutine_->promise()) {
        run();
    }

    void run() {
        const bool knows_next = task_.run();
        if (!knows_next)
            static_cast<void>(coroutine_.release()); // to destroy it now could crash
        REQUIRE_MESSAGE(knows_next,
                        "a coroutine has stopped, and has not said which coroutine to "
                        "resume next. Where it awaits another coroutine, await_suspend "
                        "must call await_child. And at its end, it must stop with an "
                        "Ended, whose await_suspend is called then.");
    }

    /// What has left the coroutine.
    std::exception_ptr error() const { return coroutine_->promise().error; }

    void destroy() { coroutine_.reset(); }

  private:
    std::unique_ptr<Coroutine<>> coroutine_;
    Task task_;
};

/// What was reported.
struct CoroutineTest {
    std::string told;

    /// A message that ends with what was reported.
    std::string reported(const std::string& text) const {
        return text + " Reported: " + said(told);
    }
};

/// `co_await Pause()` stops the coroutine, and its task, until that runs again.
struct Pause {
    bool await_ready() const noexcept { return false; }
    template <class Promise>
    void await_suspend(std::coroutine_handle<Promise> frame) const {
        if (frame.promise().task != nullptr) // it has not begun too early
            frame.promise().task->wait();
    }
    void await_resume() const noexcept {}
};

} // namespace

TEST_CASE_FIXTURE(CoroutineTest, "A1: a call runs none of a coroutine; if it is never "
                                 "awaited, its frame is destroyed unused") {
    called(told, [&] { return with_parameter(told, Noted(told, "dropped")); }).reset();
    CHECK_MESSAGE(
        told == "~dropped ",
        reported("the coroutine was never awaited, and is gone, so its frame is, too."));
}

TEST_CASE_FIXTURE(CoroutineTest, "A5: a coroutine that was moved has one owner, and its "
                                 "frame is destroyed once") {
    auto first = called(told, [&] { return with_parameter(told, Noted(told, "frame")); });
    auto second = std::make_unique<Coroutine<>>(std::move(*first));
    first.reset();
    if (!told.empty())
        static_cast<void>(second.release()); // to destroy it now could crash
    REQUIRE_MESSAGE(told.empty(),
                    "one Coroutine was moved into another and then destroyed. It has "
                    "destroyed the frame, although that belongs to the other now.");
    second.reset();
    CHECK_MESSAGE(told == "~frame ",
                  reported("the owner of the frame is gone, so the frame is, too."));
}

// ---- One coroutine ----

namespace {

Coroutine<> fails(std::string& told) {
    const Noted local(told, "local");
    throw Rain();
    co_return;
}

Coroutine<> pauses(std::string& told) {
    const Noted local(told, "local");
    told += "begins ";
    co_await Pause();
    told += "goes on ";
}

} // namespace

TEST_CASE_FIXTURE(CoroutineTest, "a coroutine runs until it waits, and to its end") {
    Run pausing(told, [&] { return pauses(told); });
    REQUIRE_MESSAGE(told == "begins ", reported("a coroutine begins, and waits."));
    SUBCASE("and is destroyed there") {
        told.clear();
        pausing.destroy();
        CHECK_MESSAGE(told == "~local ",
                      reported("its Coroutine was destroyed while it waited, and owned "
                               "the frame with all its local variables."));
    }
    SUBCASE("and goes on") {
        pausing.run();
        CHECK_MESSAGE(
            told == "begins goes on ~local ",
            reported("the coroutine resumed after its wait, and ran to its end."));
    }
}

TEST_CASE_FIXTURE(CoroutineTest, "a promise keeps what has left its coroutine") {
    const Run failing(told, [&] { return fails(told); });
    CHECK(told == "~local ");
    REQUIRE_MESSAGE(failing.error(),
                    "the coroutine has thrown \"it rains\". The promise must keep an "
                    "exception that leaves the body, but its `error` is null.");
    CHECK_THROWS_AS(std::rethrow_exception(failing.error()), Rain);
}

// ---- Children ----

namespace {

Coroutine<> tell(std::string& told, std::string text) {
    told += text + " ";
    co_return;
}
Coroutine<> tells(std::string& told) {
    told += "begins ";
    co_await tell(told, "a");
    co_await tell(told, "b");
    told += "ends ";
}

/// Opens a test in which a child returns something: it could crash if that isn't there.
void needs_children() {
    std::string told;
    const Run run(told, [&] { return tells(told); });
    REQUIRE_MESSAGE(told == "begins a b ends ",
                    "a coroutine awaits two others, one after the other, which report a "
                    "and b. Reported: "
                        << said(told));
}

Coroutine<int> sum_of(int a, int b) { co_return a + b; }
Coroutine<std::unique_ptr<int>> wrapped(int value) {
    const int sum = co_await sum_of(value, 1);
    co_return std::make_unique<int>(sum);
}
Coroutine<> adds(std::string& told) {
    const int sum = co_await sum_of(2, 3);
    told += std::to_string(sum) + " ";
    const std::unique_ptr<int> one = co_await wrapped(sum);
    told += (one ? std::to_string(*one) : "null") + " ";
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

Coroutine<> awaits_one_that_pauses(std::string& told) {
    const Noted local(told, "outer");
    co_await pauses(told);
    told += "ends ";
}

} // namespace

TEST_CASE("a coroutine that is awaited runs, and then its parent goes on") {
    needs_children();
}

TEST_CASE_FIXTURE(CoroutineTest,
                  "A2: what a coroutine returns is the value of its co_await") {
    needs_children();
    const Run run(told, [&] { return adds(told); });
    CHECK_MESSAGE(told == "5 6 30 ",
                  reported("a coroutine awaits three others, which return 5, a pointer "
                           "to 6, and 30."));
}

TEST_CASE_FIXTURE(
    CoroutineTest,
    "A3: what a coroutine throws is thrown by its co_await, and so on outwards") {
    needs_children();
    const Run run(told, [&] { return catches(told); });
    CHECK_MESSAGE(told == "~local ~middle it rains",
                  reported("a child of a child has thrown \"it rains\". An exception "
                           "that leaves a child is thrown by its parent's co_await, and "
                           "so on outwards until a coroutine catches it."));
}

TEST_CASE_FIXTURE(
    CoroutineTest,
    "A4: after a co_await, the frame of the coroutine that it awaited is gone") {
    const Run run(told, [&] { return awaits_one(told); });
    CHECK_MESSAGE(told == "runs ~awaited ends ",
                  reported("a child was awaited, and its frame is gone when its parent "
                           "goes on after the co_await."));
}

TEST_CASE_FIXTURE(CoroutineTest, "a chain that waits is destroyed from the inside out") {
    Run run(told, [&] { return awaits_one_that_pauses(told); });
    REQUIRE(told == "begins ");
    told.clear();
    run.destroy();
    CHECK_MESSAGE(told == "~local ~outer ",
                  reported("a coroutine and its child were destroyed while the child "
                           "waited."));
}
