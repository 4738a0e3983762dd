#include "questions.h"
#include "stage2_coroutines/small/future.h"
#include "stage2_coroutines/small/task.h"

#include <memory>
#include <string>

namespace {

using small::Future;
using small::FuturePtr;
using small::Task;
using small::Waiting;

/// The digits noted so far.
struct Notes {
    int number = 0;
    void note(int digit) { number = number * 10 + digit; }
};

/// Notes `first`, waits, and notes `second`.
Waiting wait_for(FuturePtr future, Notes& notes, int first, int second) {
    notes.note(first);
    co_yield future;
    notes.note(second);
    co_return "";
}

/// Waits for one future, and then resolves another.
Waiting pass_on(FuturePtr from, FuturePtr to, Notes& notes) {
    notes.note(1);
    co_yield from;
    notes.note(2);
    to->set_result("");
    notes.note(3);
    co_return "";
}

/// What to do when a task is done.
void nothing(const std::string& /*returned*/) {}

FuturePtr pending() { return std::make_shared<Future>(); }

// A task is made.
int made() {
    Notes notes;
    notes.note(1);
    const Task task(wait_for(pending(), notes, 2, 3), nothing);
    notes.note(4);
    return notes.number;
}

// A future is resolved.
int resolved() {
    Notes notes;
    const FuturePtr future = pending();
    const Task task(wait_for(future, notes, 1, 2), nothing);
    future->add_done_callback([&notes](const Future&) { notes.note(3); });
    notes.note(4);
    future->set_result("");
    notes.note(5);
    return notes.number;
}

// Two tasks wait for one future.
int two() {
    Notes notes;
    const FuturePtr future = pending();
    const Task one(wait_for(future, notes, 1, 2), nothing);
    const Task other(wait_for(future, notes, 3, 4), nothing);
    future->set_result("");
    return notes.number;
}

// One task resolves what another waits for.
int nested() {
    Notes notes;
    const FuturePtr first = pending();
    const FuturePtr second = pending();
    const Task resolver(pass_on(first, second, notes), nothing);
    const Task waiter(wait_for(second, notes, 4, 5), nothing);
    first->set_result("");
    return notes.number;
}

// A future is resolved before a task waits.
int late() {
    Notes notes;
    const FuturePtr future = pending();
    future->set_result("");
    const Task task(wait_for(future, notes, 1, 2), nothing);
    notes.note(3);
    return notes.number;
}

} // namespace

Answers run_program() {
    return {.made = made(),
            .resolved = resolved(),
            .two = two(),
            .nested = nested(),
            .late = late()};
}
