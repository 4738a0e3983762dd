#include "common/trace/trace.h"
#include "questions.h"
#include "stage2_coroutines/future.h"
#include "stage2_coroutines/task.h"

#include <memory>

namespace {

using stage2::Coroutine;
using stage2::Future;
using stage2::FuturePtr;
using stage2::Task;

/// The digits noted so far.
struct Notes {
    int number = 0;
    void note(int digit) { number = number * 10 + digit; }
};

/// Notes `first`, waits, and notes `second`.
Coroutine<> wait_for(FuturePtr future, Notes& notes, int first, int second) {
    notes.note(first);
    co_await future;
    notes.note(second);
}

/// Waits for one future, and then resolves another.
Coroutine<> pass_on(FuturePtr from, FuturePtr to, Notes& notes) {
    notes.note(1);
    co_await from;
    notes.note(2);
    to->set_result("");
    notes.note(3);
}

FuturePtr pending() { return std::make_shared<Future>(); }

// A task is made.
int made() {
    common::Tracer tracer;
    Notes notes;
    notes.note(1);
    const Task task(wait_for(pending(), notes, 2, 3), tracer);
    notes.note(4);
    return notes.number;
}

// A future is resolved.
int resolved() {
    common::Tracer tracer;
    Notes notes;
    const FuturePtr future = pending();
    const Task task(wait_for(future, notes, 1, 2), tracer);
    future->add_done_callback([&notes](const Future&) { notes.note(3); });
    notes.note(4);
    future->set_result("");
    notes.note(5);
    return notes.number;
}

// Two tasks wait for one future.
int two() {
    common::Tracer tracer;
    Notes notes;
    const FuturePtr future = pending();
    const Task one(wait_for(future, notes, 1, 2), tracer);
    const Task other(wait_for(future, notes, 3, 4), tracer);
    future->set_result("");
    return notes.number;
}

// One task resolves what another waits for.
int nested() {
    common::Tracer tracer;
    Notes notes;
    const FuturePtr first = pending();
    const FuturePtr second = pending();
    const Task resolver(pass_on(first, second, notes), tracer);
    const Task waiter(wait_for(second, notes, 4, 5), tracer);
    first->set_result("");
    return notes.number;
}

// A future is resolved before a task waits.
int late() {
    common::Tracer tracer;
    Notes notes;
    const FuturePtr future = pending();
    future->set_result("");
    const Task task(wait_for(future, notes, 1, 2), tracer);
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
