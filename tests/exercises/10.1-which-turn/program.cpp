#include "questions.h"
#include "stage3_queue_crawler/runtime/task/task.h"

#include <chrono>

namespace {

using stage3::Coroutine;
using stage3::EventLoop;
using stage3::Future;
using stage3::Task;

/// A loop, and the digits noted so far.
struct Scene {
    EventLoop loop;
    int number = 0;

    void note(int digit) { number = number * 10 + digit; }
    auto noting(int digit) {
        return [this, digit] { note(digit); };
    }
    void turn() {
        loop.stop();
        loop.run_forever(); // stopped before: exactly one turn
    }
};

Coroutine<> await_and_note(Future<int> future, Scene& scene, int first, int second) {
    scene.note(first);
    co_await future;
    scene.note(second);
}

Coroutine<> note_both(Scene& scene, int first, int second) {
    scene.note(first);
    scene.note(second);
    co_return;
}

// call_soon inside a callback
int soon() {
    Scene scene;
    scene.loop.call_soon([&] {
        scene.note(1);
        scene.loop.call_soon(scene.noting(2));
        scene.note(3);
    });
    scene.loop.call_soon(scene.noting(4));
    scene.turn();
    scene.turn();
    return scene.number;
}

// a future is resolved
int resolved() {
    Scene scene;
    const Future<int> future(scene.loop);
    future.add_done_callback([&](const auto&) { scene.note(1); });
    scene.loop.call_soon([&] {
        scene.note(2);
        future.set_result(7);
        scene.note(3);
    });
    scene.loop.call_soon(scene.noting(4));
    scene.turn();
    scene.turn();
    return scene.number;
}

// a task is made inside a callback
int task() {
    Scene scene;
    scene.loop.call_soon([&] {
        scene.note(1);
        static_cast<void>(create_task(scene.loop, note_both(scene, 2, 3)));
        scene.note(4);
    });
    scene.loop.call_soon(scene.noting(5));
    scene.turn();
    scene.turn();
    return scene.number;
}

// awaiting what is done
int done() {
    Scene scene;
    const Future<int> ready(scene.loop);
    ready.set_result(7);
    const Future<int> later(scene.loop);
    const auto a = create_task(scene.loop, await_and_note(ready, scene, 1, 2));
    const auto b = create_task(scene.loop, await_and_note(later, scene, 3, 4));
    scene.loop.call_soon([&] {
        later.set_result(7);
        scene.note(5);
    });
    scene.turn();
    scene.turn();
    return scene.number;
}

// a timer that is due at once
int timer() {
    Scene scene;
    scene.loop.call_later(std::chrono::seconds(0), scene.noting(1));
    scene.loop.call_soon([&] {
        scene.note(2);
        scene.loop.call_soon(scene.noting(3));
        scene.loop.call_later(std::chrono::seconds(0), scene.noting(4));
    });
    scene.turn();
    scene.turn();
    return scene.number;
}

} // namespace

Answers run_program() {
    return {.soon = soon(),
            .resolved = resolved(),
            .task = task(),
            .done = done(),
            .timer = timer()};
}
