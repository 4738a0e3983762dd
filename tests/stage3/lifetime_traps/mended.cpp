// The traps of page 20 of the book without their faults. Compare wrong.cpp.
#include "stage3_queue_crawler/runtime/loop/at_exit.h"
#include "stage3_queue_crawler/runtime/task/wait.h"
#include "tests/stage3/lifetime_traps/traps.h"

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace std::chrono_literals;
using stage3::Coroutine;
using stage3::create_task;
using stage3::next_turn;
using stage3::Task;
using traps::say;

namespace mended {
namespace {

// ---- 1 ----

// [reference]
Coroutine<> greet(std::string name) {
    co_await next_turn();
    say("hello,", name);
}

Coroutine<> reference() {
    const Task<> task = create_task(greet("whoever reads this"));
    co_await task;
}
// [/reference]

// ---- 2 ----

// [view]
Coroutine<> visit_url(std::string url) {
    co_await next_turn();
    say("visits", url);
}

Task<> visit_page(int number) {
    const std::string url = "http://127.0.0.1:8000/p/" + std::to_string(number);
    return create_task(visit_url(url));
}
// [/view]

Coroutine<> view() { co_await visit_page(7); }

// ---- 3 ----

// [closure]
Coroutine<> closure() {
    const std::string host = "127.0.0.1";
    const Task<> task = create_task([](std::string name) -> Coroutine<> {
        co_await next_turn();
        say("asks", name);
    }(host));
    co_await task;
}
// [/closure]

// ---- 4 ----

// [object]
class Counter {
  public:
    Coroutine<> count() {
        for (; number_ < 3; ++number_)
            co_await next_turn();
    }

  private:
    int number_ = 0;
};

Coroutine<> object() {
    auto counter = std::make_unique<Counter>();
    const Task<> task = create_task(counter->count());
    co_await next_turn();
    co_await task;
    counter.reset();
}
// [/object]

// ---- 5 ----

// [range]
struct Page {
    std::vector<std::string> found;
    const std::vector<std::string>& links() const { return found; }
};
Page read_page() { return {{"/news", "/about"}}; }

Coroutine<> range() {
    const Page page = read_page();
    for (const std::string& link : page.links()) {
        co_await next_turn();
        say("visits", link);
    }
}
// [/range]

// ---- 6 ----

// [callback]
Coroutine<> wait_and_count() {
    int ticks = 0;
    const stage3::CancelAtExit timer(
        stage3::running_loop().call_later(1ms, [&ticks] { ++ticks; }));
    co_await stage3::sleep(1h);
}

Coroutine<> callback() {
    Task<> task = create_task(wait_and_count());
    co_await next_turn();
    task.cancel();
    co_await stage3::sleep(20ms);
}
// [/callback]

// ---- 7 ----

// [iterator]
using Urls = std::vector<std::string>;

Coroutine<> visit_all(Urls& urls) {
    while (!urls.empty()) {
        const std::string url = std::move(urls.back());
        urls.pop_back();
        co_await next_turn();
        say("visits", url);
    }
}

Coroutine<> iterator() {
    Urls urls{"/a", "/b"};
    const Task<> task = create_task(visit_all(urls));
    co_await next_turn();
    urls.emplace_back("/new");
    co_await task;
}
// [/iterator]

// ---- 8 ----

Coroutine<> with_room() {
    Urls urls{"/a", "/b"};
    urls.reserve(3);
    const Task<> task = create_task(visit_all(urls));
    co_await next_turn();
    urls.insert(urls.begin(), "/new");
    co_await task;
}

// ---- Not a trap ----

// [at-once]
Coroutine<> greet_by_reference(const std::string& name) {
    co_await next_turn();
    say("hello,", name);
}
// [/at-once]

} // namespace

// [await-at-once]
Coroutine<> awaited_at_once() { co_await greet_by_reference("whoever reads this"); }
// [/await-at-once]

Coroutine<> awaited_as_a_task() {
    co_await create_task(greet_by_reference("whoever reads this"));
}

const std::array<traps::Play, traps::count> plays = {
    reference, view, closure, object, range, callback, iterator, with_room};

} // namespace mended
