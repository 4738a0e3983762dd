// Plays programs of tasks, futures, timers and cancellations, and records what happens.
// random_programs.py makes the programs, plays them on Python's asyncio as well, and
// compares.
//
// A program is a line: the number of futures, then the steps of each task, separated by
// bars. A step is an operation and three numbers; `play` shows what each one means.
#include "stage3_queue_crawler/runtime/sync/event.h"
#include "stage3_queue_crawler/runtime/sync/semaphore.h"
#include "stage3_queue_crawler/runtime/task/task_group.h"
#include "stage3_queue_crawler/runtime/task/wait.h"
#include "tests/stage3/runtime/virtual_loop.h"

#include <fmt/core.h>

#include <chrono>
#include <cstddef>
#include <exception>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using stage3::Cancelled;
using stage3::Coroutine;
using stage3::Future;
using stage3::Task;
using std::chrono::milliseconds;

namespace {

struct Step {
    std::string operation;
    int a = 0;
    int b = 0;
    int catches = 0; // how often it continues after Cancelled
};
using Script = std::vector<Step>;

struct Failure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The outcome of a wait.
std::string describe(const std::exception_ptr& exception) {
    try {
        std::rethrow_exception(exception);
    } catch (const Cancelled& cancelled) {
        return "cancelled " + cancelled.message;
    } catch (const stage3::Timeout&) {
        return "timeout";
    } catch (const std::exception& error) {
        return error.what();
    }
}

class Program : public tests::LoopTest {
  public:
    explicit Program(const std::string& line) {
        std::istringstream in(line);
        std::size_t count = 0;
        in >> count;
        for (std::size_t i = 0; i < count; ++i)
            futures_.push_back(future<int>());
        scripts_.emplace_back();
        for (std::string word; in >> word;) {
            if (word == "|") {
                scripts_.emplace_back();
                continue;
            }
            Step step{.operation = word};
            in >> step.a >> step.b >> step.catches;
            scripts_.back().push_back(step);
        }
        tasks_.resize(scripts_.size());
    }
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;
    ~Program() { loop.close(); } // before the event, since tasks may still wait for it

    tests::Log play_all() {
        for (std::size_t i = 0; i < 2 && i < scripts_.size(); ++i)
            spawn(i);
        loop.call_later(std::chrono::hours(10), [this] { loop.stop(); });
        loop.run_forever();
        for (std::size_t i = 0; i < tasks_.size(); ++i)
            if (tasks_[i])
                note(fmt::format("task {}: {}", i, state_of(*tasks_[i])));
        for (std::size_t i = 0; i < futures_.size(); ++i)
            note(fmt::format("future {}: {}", i, state_of(futures_[i])));
        return log;
    }

  private:
    static std::string state_of(const Future<int>& future) {
        if (!future.done())
            return "pending";
        try {
            return fmt::format("result {}", future.result());
        } catch (...) {
            return describe(std::current_exception());
        }
    }

    Future<int>& future_at(int i) { return futures_.at(static_cast<std::size_t>(i)); }
    std::optional<Task<int>>& task_at(int i) {
        return tasks_.at(static_cast<std::size_t>(i));
    }

    void spawn(std::size_t i) {
        if (!tasks_[i])
            tasks_[i] = task(play(*this, static_cast<int>(i)));
    }

    void tell(int i, const std::string& what) {
        note(fmt::format("{} at {}: {}", i, elapsed(), what));
    }

    /// One task's script; also called as a plain coroutine.
    static Coroutine<int> play(Program& program, int i) {
        int last = i;
        for (const Step& step : program.scripts_[static_cast<std::size_t>(i)]) {
            std::string outcome;
            std::exception_ptr thrown;
            try {
                // A separate coroutine, so that every wait goes through two.
                last = co_await play_step(program, i, step);
                outcome = std::to_string(last);
            } catch (...) {
                thrown = std::current_exception();
                outcome = describe(thrown);
            }
            program.tell(i, fmt::format("{} {} {} -> {}", step.operation, step.a, step.b,
                                        outcome));
            if (thrown && step.catches == 0)
                std::rethrow_exception(thrown);
            if (step.operation == "return")
                co_return step.a;
        }
        co_return last;
    }

    static Coroutine<int> play_step(Program& program, int i, const Step& step) {
        const std::string& op = step.operation;
        if (op == "turn") {
            co_await stage3::sleep(milliseconds(0));
        } else if (op == "sleep") {
            co_await stage3::sleep(milliseconds(step.a));
        } else if (op == "future") { // await a future
            const int value = co_await program.future_at(step.a);
            co_return value;
        } else if (op == "task") { // await a task, if it exists
            const auto awaited = program.task_at(step.a);
            if (awaited) {
                const int value = co_await *awaited;
                co_return value;
            }
        } else if (op == "call") { // await a coroutine
            const int value = co_await play(program, step.a);
            co_return value;
        } else if (op == "for_future") { // the same, for at most b
            const int value = co_await stage3::wait_for(program.future_at(step.a),
                                                        milliseconds(step.b));
            co_return value;
        } else if (op == "for_task") {
            const auto awaited = program.task_at(step.a);
            if (awaited) {
                const int value =
                    co_await stage3::wait_for(*awaited, milliseconds(step.b));
                co_return value;
            }
        } else if (op == "for_call") {
            const int value =
                co_await stage3::wait_for(play(program, step.a), milliseconds(step.b));
            co_return value;
        } else if (op == "gather") { // two futures
            std::vector<Future<int>> both{program.future_at(step.a),
                                          program.future_at(step.b)};
            const auto values = co_await stage3::gather(std::move(both));
            co_return values[0] + values[1];
        } else if (op == "group" || op == "group_fail" || op == "group_cancel") {
            co_await in_group(program, i, step);
        } else if (op == "permit") { // holds it for that long
            const stage3::Permit permit = co_await program.semaphore_.acquire();
            co_await stage3::sleep(milliseconds(step.a));
        } else if (op == "permit_call") {
            const stage3::Permit permit = co_await program.semaphore_.acquire();
            const int value = co_await play(program, step.a);
            co_return value;
        } else if (op == "event") {
            co_await program.event_.wait();
        } else if (op == "event_set") {
            program.event_.set();
        } else if (op == "event_clear") {
            program.event_.clear();
        } else if (op == "set") {
            co_return program.future_at(step.a).set_result_unless_done(step.b) ? 1 : 0;
        } else if (op == "fail") {
            if (!program.future_at(step.a).done())
                program.future_at(step.a).set_exception(
                    Failure(fmt::format("failure {}", step.b)));
        } else if (op == "cancel_future") {
            co_return program.future_at(step.a).cancel(std::to_string(step.b)) ? 1 : 0;
        } else if (op == "cancel") {
            if (program.task_at(step.a))
                co_return program.task_at(step.a)->cancel(std::to_string(step.b)) ? 1 : 0;
        } else if (op == "spawn") {
            program.spawn(static_cast<std::size_t>(step.a));
        } else if (op == "callback") {
            program.future_at(step.a).add_done_callback(
                [&program, i, &step](const auto& future) {
                    program.tell(i, fmt::format("callback {} {}: {}", step.a, step.b,
                                                state_of(future)));
                });
        } else if (op == "later") {
            program.loop.call_later(milliseconds(step.a), [&program, i, &step] {
                program.tell(i, fmt::format("later {} {}", step.a, step.b));
                program.future_at(step.b).set_result_unless_done(step.a);
            });
        } else if (op == "throw") {
            throw Failure(fmt::format("failure {}", step.a));
        } else if (op != "return") {
            throw std::invalid_argument("no such operation: " + op);
        }
        co_return 0;
    }

    /// Children are the next two tasks from `a` on, if they exist and have not begun;
    /// the body sleeps `b`, and may throw then, or cancel the group.
    static Coroutine<> in_group(Program& program, int i, const Step& step) {
        std::exception_ptr thrown;
        try {
            stage3::TaskGroup group;
            co_await group.run(group_body(program, group, step));
        } catch (...) {
            thrown = std::current_exception();
        }
        for (; program.told_ < program.reports.size(); ++program.told_) {
            const stage3::Report& report = program.reports[program.told_];
            if (report.message.starts_with("another task of the group"))
                program.tell(i, "another failure: " + describe(report.exception));
        }
        if (thrown)
            std::rethrow_exception(thrown);
    }

    static Coroutine<> group_body(Program& program, stage3::TaskGroup& group,
                                  const Step& step) {
        for (int child = step.a; child < step.a + 2; ++child) {
            const auto place = static_cast<std::size_t>(child);
            if (place < program.tasks_.size() && !program.tasks_[place])
                program.tasks_[place] = group.create_task(play(program, child));
        }
        co_await stage3::sleep(milliseconds(step.b));
        if (step.operation == "group_fail")
            throw Failure("failure of a body");
        if (step.operation == "group_cancel")
            group.cancel();
    }

    std::vector<Script> scripts_;
    std::vector<Future<int>> futures_;
    std::vector<std::optional<Task<int>>> tasks_;
    stage3::Event event_;
    stage3::Semaphore semaphore_{1};
    std::size_t told_ = 0; // how many reports are in the log
};

} // namespace

// NOLINTNEXTLINE(bugprone-exception-escape): then the program ends with a message
int main() {
    for (std::string line; std::getline(std::cin, line);) {
        Program program(line);
        for (const std::string& entry : program.play_all())
            std::cout << entry << '\n';
        std::cout << "end\n";
    }
    return 0;
}
