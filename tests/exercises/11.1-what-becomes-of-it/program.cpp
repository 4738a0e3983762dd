#include "questions.h"
#include "stage3_queue_crawler/runtime/task/task.h"

#include <optional>

namespace {

using stage3::Cancelled;
using stage3::Coroutine;
using stage3::EventLoop;
using stage3::Future;
using stage3::Task;

struct Scene {
    EventLoop loop;
    int number = 0;

    void note(int digit) { number = number * 10 + digit; }
    void turns(int count) {
        for (int i = 0; i < count; ++i) {
            loop.stop();
            loop.run_forever(); // stopped before: exactly one turn
        }
    }
    /// Records how the task has ended.
    int end(const Task<int>& task) {
        if (task.done())
            note(task.cancelled() ? 4 : 5);
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

Coroutine<int> wait(Scene& scene, Future<int> future) {
    scene.note(1);
    const Witness witness(scene);
    const int value = co_await future;
    scene.note(6);
    co_return value;
}

Coroutine<int> wait_and_catch(Scene& scene, Future<int> future) {
    scene.note(1);
    try {
        co_await future;
        scene.note(6);
    } catch (const Cancelled&) {
        scene.note(7);
    }
    co_return 1;
}

Coroutine<int> cancel_itself(Scene& scene, std::optional<Task<int>>& itself) {
    scene.note(1);
    itself->cancel();
    scene.note(6);
    co_return 1;
}

Coroutine<int> wait_for_task(Scene& scene, Task<int> task) {
    const int value = co_await task;
    scene.note(8);
    co_return value;
}

// it lets the request pass
int polite() {
    Scene scene;
    Task<int> task = create_task(scene.loop, wait(scene, Future<int>(scene.loop)));
    scene.turns(1);
    task.cancel();
    scene.note(3);
    scene.turns(2);
    return scene.end(task);
}

// cancelled before its first step
int early() {
    Scene scene;
    Task<int> task = create_task(scene.loop, wait(scene, Future<int>(scene.loop)));
    task.cancel();
    scene.note(3);
    scene.turns(2);
    return scene.end(task);
}

// it catches the request, and returns
int caught() {
    Scene scene;
    Task<int> task =
        create_task(scene.loop, wait_and_catch(scene, Future<int>(scene.loop)));
    scene.turns(1);
    task.cancel();
    scene.note(3);
    scene.turns(2);
    return scene.end(task);
}

// cancelled when its result is on the way
int late() {
    Scene scene;
    const Future<int> future(scene.loop);
    Task<int> task = create_task(scene.loop, wait_and_catch(scene, future));
    scene.turns(1);
    future.set_result(7);
    task.cancel();
    scene.note(3);
    scene.turns(2);
    return scene.end(task);
}

// it cancels itself, and returns
int itself() {
    Scene scene;
    std::optional<Task<int>> task;
    task = create_task(scene.loop, cancel_itself(scene, task));
    scene.turns(2);
    return scene.end(*task);
}

// it waits for a task that refuses
int inner() {
    Scene scene;
    const Task<int> refuses =
        create_task(scene.loop, wait_and_catch(scene, Future<int>(scene.loop)));
    Task<int> task = create_task(scene.loop, wait_for_task(scene, refuses));
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
