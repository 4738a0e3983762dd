#include "questions.h"
#include "stage3_queue_crawler/small/queue.h"
#include "stage3_queue_crawler/small/task.h"

#include <chrono>

namespace {

using stage3::small::Coroutine;
using stage3::small::EventLoop;
using stage3::small::Future;
using stage3::small::Queue;
using stage3::small::Task;

struct Scene {
    EventLoop loop;
    Queue<int> queue{loop};
    Future parsed{loop}; // what the worker in `links` waits for
    int number = 0;

    void note(int digit) { number = number * 10 + digit; }
    void turns(int count) {
        for (int i = 0; i < count; ++i)
            loop.turn(std::chrono::milliseconds(0)); // doesn't sleep
    }
};

/// Notes its own number, if it has one, and then the item.
Coroutine<> get(Scene& scene, int self = 0) {
    const int item = co_await scene.queue.get();
    if (self != 0)
        scene.note(self);
    scene.note(item);
}

Coroutine<> join(Scene& scene) {
    co_await scene.queue.join();
    scene.note(5);
}

/// The crawl is over when nothing is unfinished. Then the worker is sent home.
Coroutine<> crawl(Scene& scene, Task& worker) {
    co_await scene.queue.join();
    scene.note(5);
    worker.cancel();
}

/// Fetches pages; page 1 has a link to page 2.
Coroutine<> work(Scene& scene) {
    for (;;) {
        const int page = co_await scene.queue.get();
        scene.note(page);
        scene.queue.task_done(); // too early
        co_await scene.parsed;
        if (page == 1)
            scene.queue.put(2);
    }
}

// first come, first served
int orders() {
    Scene scene;
    scene.queue.put(8);
    scene.queue.put(7);
    const Task first(scene.loop, get(scene, 1));
    const Task second(scene.loop, get(scene, 2));
    const Task third(scene.loop, get(scene, 3));
    scene.turns(1);
    scene.queue.put(9);
    scene.turns(1);
    return scene.number;
}

// a newcomer
int newcomer() {
    Scene scene;
    const Task waits(scene.loop, get(scene, 1));
    scene.turns(1);
    const Task comes(scene.loop, get(scene, 2)); // its turn comes before getter 1's
    scene.queue.put(7);
    scene.turns(1);
    scene.queue.put(8);
    scene.turns(1);
    return scene.number;
}

// the served one is cancelled
int cancelled() {
    Scene scene;
    Task first(scene.loop, get(scene, 1));
    const Task second(scene.loop, get(scene, 2));
    const Task third(scene.loop, get(scene, 3));
    scene.turns(1);
    scene.queue.put(7);
    scene.queue.put(8);
    first.cancel();
    scene.turns(3);
    return scene.number;
}

// both are cancelled
int both() {
    Scene scene;
    Task first(scene.loop, get(scene, 1));
    Task second(scene.loop, get(scene, 2));
    scene.turns(1);
    scene.queue.put(7);
    scene.queue.put(8);
    first.cancel();
    second.cancel();
    scene.turns(1);
    const Task third(scene.loop, get(scene, 3));
    const Task fourth(scene.loop, get(scene, 4));
    scene.turns(1);
    return scene.number;
}

// when does join return
int joined() {
    Scene scene;
    scene.queue.put(1);
    scene.queue.put(1);
    const Task joiner(scene.loop, join(scene));
    scene.turns(1);
    const Task first(scene.loop, get(scene));
    const Task second(scene.loop, get(scene));
    scene.turns(2);
    for (int i = 0; i < 2; ++i) {
        scene.queue.task_done();
        scene.note(2);
        scene.turns(1);
    }
    return scene.number;
}

// links after task_done
int links() {
    Scene scene;
    scene.queue.put(1);
    Task worker(scene.loop, work(scene));
    const Task main(scene.loop, crawl(scene, worker));
    scene.turns(1);
    scene.parsed.set_result();
    scene.turns(5);
    return scene.number;
}

} // namespace

Answers run_program() {
    return {.orders = orders(),
            .newcomer = newcomer(),
            .cancelled = cancelled(),
            .both = both(),
            .joined = joined(),
            .links = links()};
}
