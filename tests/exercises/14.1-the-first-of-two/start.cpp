// Always waits for the first, even if the other is faster; exercise.h says what it should
// do.
//
// You may want: task.add_done_callback(function), Future<> or stage3::Event to be woken
// by it, task.done(), and task.cancel(). Remember: no co_await in a condition or a
// handler, and no {braces} in a line with co_await.
#include "exercise.h"

using stage3::Coroutine;
using stage3::Task;

Coroutine<int> first_of(Task<int> one, Task<int> other) {
    const int value = co_await one;
    other.cancel();
    co_return value;
}
