#include "questions.h"
#include "stage3_queue_crawler/runtime/executor/executor.h"
#include "stage3_queue_crawler/runtime/task/run.h"
#include "stage3_queue_crawler/runtime/task/wait.h"

#include <atomic>
#include <latch>
#include <memory>
#include <thread>
#include <utility>

namespace {

using stage3::Coroutine;
using stage3::EventLoop;
using stage3::Future;
using stage3::Task;

stage3::LoopOptions with_one_thread() {
    stage3::LoopOptions options;
    options.threads = 1;
    return options;
}

void turn(EventLoop& loop) {
    loop.stop();
    loop.run_forever(); // stopped before: exactly one turn
}

// ---- In which thread? ----

Coroutine<> await_and_note(EventLoop& loop, Answers& answers) {
    const auto here = [home = std::this_thread::get_id()] {
        return std::this_thread::get_id() == home ? loops : another;
    };
    // Nothing but a shared_ptr that notes when its last owner lets it go.
    std::shared_ptr<void> captured(nullptr,
                                   [&, here](void*) { answers.captures = here(); });
    auto function = [&answers, here, captured = std::move(captured)] {
        answers.function = here();
        return 7;
    };
    const Future<int> result = run_in_executor(loop, std::move(function));
    result.add_done_callback([&](const auto&) { answers.callback = here(); });
    co_await result;
    answers.after = here();
}

void in_which_thread(Answers& answers) {
    EventLoop loop(with_one_thread());
    run_until_complete(loop, await_and_note(loop, answers));
    loop.close();
}

// ---- Cancelled while it runs ----

/// Notes when it's gone.
struct Thing {
    explicit Thing(std::shared_ptr<std::atomic<bool>> flag) : lives(std::move(flag)) {
        *lives = true;
    }
    Thing(const Thing&) = delete;
    Thing& operator=(const Thing&) = delete;
    ~Thing() { *lives = false; }

    std::shared_ptr<std::atomic<bool>> lives;
};

using Flag = std::shared_ptr<std::atomic<bool>>;

/// Two moments that one thread signals to the other.
struct Moments {
    std::latch has_begun{1};
    std::latch may_end{1};
};

Coroutine<> await_with_things(EventLoop& loop, Moments& moments, Answers& answers) {
    const auto local_lives = std::make_shared<std::atomic<bool>>();
    const auto shared_lives = std::make_shared<std::atomic<bool>>();
    const Thing local(local_lives);
    auto shared = std::make_shared<const Thing>(shared_lives);
    // It asks the flags, because looking at `local` itself may be a mistake.
    auto function = [&moments, &answers, local_lives, shared_lives, shared] {
        moments.has_begun.count_down();
        moments.may_end.wait();
        answers.local = *local_lives ? yes : no;
        answers.shared = *shared_lives ? yes : no;
        answers.runs_on = yes;
    };
    const Future<> result = run_in_executor(loop, std::move(function));
    co_await result;
}

void cancelled_while_it_runs(Answers& answers) {
    Moments moments;
    EventLoop loop(with_one_thread());
    answers.runs_on = no;
    Task<> task = create_task(loop, await_with_things(loop, moments, answers));
    turn(loop);
    moments.has_begun.wait();
    task.cancel();
    turn(loop); // here the task gets Cancelled, and ends
    moments.may_end.count_down();
    loop.close();
    answers.closed = answers.runs_on;
}

// ---- Cancelled before it begins ----

Coroutine<> await_function(EventLoop& loop, Flag has_begun) {
    auto function = [has_begun] { *has_begun = true; };
    const Future<> result = run_in_executor(loop, std::move(function));
    co_await result;
}

void cancelled_before_it_begins(Answers& answers) {
    Moments moments;
    EventLoop loop(with_one_thread());
    // The only thread is busy.
    const Future<> first = run_in_executor(loop, [&] {
        moments.has_begun.count_down();
        moments.may_end.wait();
    });
    moments.has_begun.wait();
    const auto has_begun = std::make_shared<std::atomic<bool>>(false);
    Task<> task = create_task(loop, await_function(loop, has_begun));
    turn(loop);
    task.cancel();
    turn(loop);
    moments.may_end.count_down();
    // A third job after it: when that is done, the second one's turn has come and gone.
    run_until_complete(loop, await_function(loop, std::make_shared<std::atomic<bool>>()));
    answers.begins = *has_begun ? yes : no;
    loop.close();
}

} // namespace

Answers run_program() {
    Answers answers;
    in_which_thread(answers);
    cancelled_while_it_runs(answers);
    cancelled_before_it_begins(answers);
    return answers;
}
