#include "questions.h"
#include "stage3_queue_crawler/small/event_loop.h"
#include "stage3_queue_crawler/small/future.h"
#include "stage3_queue_crawler/small/run_queue.h"

#include <chrono>
#include <functional>
#include <utility>

namespace {

using stage3::small::EventLoop;
using stage3::small::Future;
using stage3::small::Runnable;

/// Calls a function when it runs.
class Callback : public Runnable {
  public:
    explicit Callback(std::function<void()> function) : function_(std::move(function)) {}
    void run() override { function_(); }

  private:
    std::function<void()> function_;
};

/// A loop, and the digits noted so far.
struct Scene {
    EventLoop loop;
    Future future{loop};
    int number = 0;

    void note(int digit) { number = number * 10 + digit; }
    auto noting(int digit) {
        return [this, digit] { note(digit); };
    }
    /// What is noted in so many turns.
    int after(int turns) {
        for (int i = 0; i < turns; ++i)
            loop.turn(std::chrono::milliseconds(0)); // doesn't sleep
        return number;
    }
};

// make_ready inside a callback
int inside() {
    Scene scene;
    Callback late(scene.noting(2));
    Callback first([&] {
        scene.note(1);
        scene.loop.make_ready(late);
        scene.note(3);
    });
    Callback second(scene.noting(4));
    scene.loop.make_ready(first);
    scene.loop.make_ready(second);
    return scene.after(2);
}

// a future is resolved
int resolved() {
    Scene scene;
    Callback waiter(scene.noting(1));
    scene.future.add_waiter(waiter);
    Callback first([&] {
        scene.note(2);
        scene.future.set_result();
        scene.note(3);
    });
    Callback second(scene.noting(4));
    scene.loop.make_ready(first);
    scene.loop.make_ready(second);
    return scene.after(2);
}

// two futures
int two() {
    Scene scene;
    Future other(scene.loop);
    Callback a(scene.noting(1));
    Callback b(scene.noting(2));
    Callback c(scene.noting(3));
    scene.future.add_waiter(a);
    other.add_waiter(b);
    scene.future.add_waiter(c);
    Callback first([&] {
        other.set_result();
        scene.note(4);
        scene.future.set_result();
    });
    scene.loop.make_ready(first);
    return scene.after(2);
}

// resolved twice
int twice() {
    Scene scene;
    Callback waiter(scene.noting(1));
    scene.future.add_waiter(waiter);
    Callback first([&] {
        scene.note(2);
        scene.future.set_result();
    });
    Callback second([&] {
        scene.note(3);
        scene.future.set_result();
    });
    scene.loop.make_ready(first);
    scene.loop.make_ready(second);
    return scene.after(2);
}

// one future after another
int chain() {
    Scene scene;
    Future second(scene.loop);
    Callback a([&] {
        scene.note(1);
        second.set_result();
    });
    Callback b(scene.noting(2));
    scene.future.add_waiter(a);
    second.add_waiter(b);
    Callback every_turn([&] {
        scene.note(3);
        scene.loop.make_ready(every_turn);
    });
    scene.loop.make_ready(every_turn);
    scene.future.set_result();
    return scene.after(3);
}

} // namespace

Answers run_program() {
    return {.inside = inside(),
            .resolved = resolved(),
            .two = two(),
            .twice = twice(),
            .chain = chain()};
}
