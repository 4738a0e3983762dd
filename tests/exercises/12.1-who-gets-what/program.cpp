#include "questions.h"
#include "stage3_queue_crawler/runtime/sync/queue.h"

#include <vector>

namespace {

using stage3::Coroutine;
using stage3::EventLoop;
using stage3::LifoQueue;
using stage3::Queue;
using stage3::Task;

struct Scene {
    Scene() = default;
    Scene(const Scene&) = delete;
    Scene& operator=(const Scene&) = delete;
    ~Scene() { loop.close(); }

    EventLoop loop;
    int number = 0;

    void note(int digit) { number = number * 10 + digit; }
    void turns(int count) {
        for (int i = 0; i < count; ++i) {
            loop.stop();
            loop.run_forever(); // stopped before: exactly one turn
        }
    }
};

/// Notes its own number, if it has one, and then the item.
Coroutine<> get(Scene& scene, Queue<int>& queue, int self = 0) {
    const int item = co_await queue.get();
    if (self != 0)
        scene.note(self);
    scene.note(item);
}

Coroutine<> put(Queue<int>& queue, int item) { co_await queue.put(item); }

Coroutine<> join(Scene& scene, Queue<int>& queue) {
    co_await queue.join();
    scene.note(5);
}

/// The crawl is over when nothing is unfinished. Then the worker is sent home.
Coroutine<> crawl(Scene& scene, Queue<int>& queue, Task<>& worker) {
    co_await queue.join();
    scene.note(5);
    worker.cancel();
}

/// Fetches pages; page 1 has a link to page 2.
Coroutine<> work(Scene& scene, Queue<int>& queue) {
    for (;;) {
        const int page = co_await queue.get();
        scene.note(page);
        queue.task_done();            // too early
        co_await stage3::next_turn(); // it parses
        if (page == 1)
            queue.put_nowait(2);
    }
}

// fifo, then lifo
int orders() {
    Scene scene;
    Queue<int> fifo;
    LifoQueue<int> lifo;
    for (const int item : {2, 1, 3}) {
        fifo.put_nowait(item);
        lifo.put_nowait(item);
    }
    while (!fifo.empty())
        scene.note(fifo.get_nowait());
    while (!lifo.empty())
        scene.note(lifo.get_nowait());
    return scene.number;
}

// a newcomer
int newcomer() {
    Scene scene;
    Queue<int> queue;
    const Task<> waits = create_task(scene.loop, get(scene, queue));
    scene.turns(1);
    queue.put_nowait(7);
    scene.note(queue.empty() ? 9 : queue.get_nowait() + 1);
    scene.turns(2);
    return scene.number;
}

// the served one is cancelled
int cancelled() {
    Scene scene;
    Queue<int> queue;
    std::vector<Task<>> getters;
    for (const int self : {1, 2, 3})
        getters.push_back(create_task(scene.loop, get(scene, queue, self)));
    scene.turns(1);
    queue.put_nowait(7);
    queue.put_nowait(8);
    getters[0].cancel();
    scene.turns(3);
    return scene.number;
}

// room for one
int room() {
    Scene scene;
    Queue<int> queue(1);
    queue.put_nowait(1);
    const Task<> waits = create_task(scene.loop, put(queue, 2));
    scene.turns(1);
    scene.note(queue.get_nowait());
    if (!queue.full())
        queue.put_nowait(3);
    scene.note(queue.get_nowait());
    if (!queue.full())
        queue.put_nowait(4);
    scene.turns(1);
    while (!queue.empty())
        scene.note(queue.get_nowait());
    return scene.number;
}

// when does join return
int joined() {
    Scene scene;
    Queue<int> queue;
    queue.put_nowait(7);
    queue.put_nowait(7);
    const Task<> joiner = create_task(scene.loop, join(scene, queue));
    scene.turns(1);
    for (int i = 0; i < 2; ++i) {
        queue.get_nowait();
        scene.note(1);
        scene.turns(1);
    }
    for (int i = 0; i < 2; ++i) {
        queue.task_done();
        scene.note(2);
        scene.turns(1);
    }
    return scene.number;
}

// links after task_done
int links() {
    Scene scene;
    Queue<int> queue;
    queue.put_nowait(1);
    Task<> worker = create_task(scene.loop, work(scene, queue));
    const Task<> main = create_task(scene.loop, crawl(scene, queue, worker));
    scene.turns(6);
    return scene.number;
}

} // namespace

Answers run_program() {
    return {.orders = orders(),
            .newcomer = newcomer(),
            .cancelled = cancelled(),
            .room = room(),
            .joined = joined(),
            .links = links()};
}
