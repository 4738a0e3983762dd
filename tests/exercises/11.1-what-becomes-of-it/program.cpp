#include "questions.h"
#include "stage3_queue_crawler/small/task.h"

#include <chrono>
#include <optional>

namespace {

using stage3::small::Cancelled;
using stage3::small::Coroutine;
using stage3::small::EventLoop;
using stage3::small::Future;
using stage3::small::Task;

struct Scene {
    EventLoop loop;
    Future future{loop}; // what the tasks wait for
    int number = 0;

    void note(int digit) { number = number * 10 + digit; }
    void turns(int count) {
        for (int i = 0; i < count; ++i)
            loop.turn(std::chrono::milliseconds(0)); // doesn't sleep
    }
    /// Records how the task has ended.
    int end(const Task& task) {
        if (!task.done())
            return number;
        try {
            task.throw_if_failed();
            note(5);
        } catch (const Cancelled&) {
            note(4);
        }
        return number;
    }
};

/// Notes 2 when it dies.
class Witness {
  public:
    explicit Witness(Scene& scene) : scene_(scene) {}
    Witness(const Witness&) = delete;
    Witness& operator=(const Witness&) = delete;
    ~Witness() { scene_.note(2); }

  private:
    Scene& scene_;
};

Coroutine<> wait(Scene& scene) {
    scene.note(1);
    const Witness witness(scene);
    co_await scene.future;
    scene.note(6);
}

Coroutine<> wait_and_catch(Scene& scene) {
    scene.note(1);
    try {
        co_await scene.future;
        scene.note(6);
    } catch (const Cancelled&) {
        scene.note(7);
    }
}

Coroutine<> cancel_itself(Scene& scene, std::optional<Task>& itself) {
    scene.note(1);
    itself->cancel();
    scene.note(6);
    co_return;
}

Coroutine<> wait_for_task(Scene& scene, Task& task) {
    co_await task;
    scene.note(8);
}

// it lets the request pass
int polite() {
    Scene scene;
    Task task(scene.loop, wait(scene));
    scene.turns(1);
    task.cancel();
    scene.note(3);
    scene.turns(2);
    return scene.end(task);
}

// cancelled before its first step
int early() {
    Scene scene;
    Task task(scene.loop, wait(scene));
    task.cancel();
    scene.note(3);
    scene.turns(2);
    return scene.end(task);
}

// it catches the request, and returns
int caught() {
    Scene scene;
    Task task(scene.loop, wait_and_catch(scene));
    scene.turns(1);
    task.cancel();
    scene.note(3);
    scene.turns(2);
    return scene.end(task);
}

// cancelled when its result is on the way
int late() {
    Scene scene;
    Task task(scene.loop, wait_and_catch(scene));
    scene.turns(1);
    scene.future.set_result();
    task.cancel();
    scene.note(3);
    scene.turns(2);
    return scene.end(task);
}

// it cancels itself, and returns
int itself() {
    Scene scene;
    std::optional<Task> task;
    task.emplace(scene.loop, cancel_itself(scene, task));
    scene.turns(2);
    return scene.end(*task);
}

// it waits for a task that refuses
int inner() {
    Scene scene;
    Task refuses(scene.loop, wait_and_catch(scene));
    Task task(scene.loop, wait_for_task(scene, refuses));
    scene.turns(1);
    task.cancel();
    scene.note(3);
    scene.turns(3);
    return scene.end(task);
}

} // namespace

Answers run_program() {
    return {.polite = polite(),
            .early = early(),
            .caught = caught(),
            .late = late(),
            .itself = itself(),
            .inner = inner()};
}
