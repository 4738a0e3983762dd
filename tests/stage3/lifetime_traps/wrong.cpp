// The traps of page 20 of the book. Each of these coroutines is wrong on purpose: it uses
// something that is gone. mended.cpp has the same without the faults, under the same
// names.
//
// They run under the address sanitizer, which ends the program (see main.cpp), and
// judge.py checks what the book says about the tools that find each one. Since the faults
// are intended, clang-tidy need not be silent about this file.
#include "stage3_queue_crawler/runtime/task/wait.h"
#include "tests/stage3/lifetime_traps/traps.h"

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

using namespace std::chrono_literals;
using stage3::Coroutine;
using stage3::create_task;
using stage3::next_turn;
using stage3::Task;
using traps::say;

namespace wrong {
namespace {

// ---- 1 ----

// [reference]
Coroutine<> greet(const std::string& name) {
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
Coroutine<> visit_url(std::string_view url) {
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
    const Task<> task = create_task([host]() -> Coroutine<> {
        co_await next_turn();
        say("asks", host);
    }());
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
    counter.reset();
    co_await task;
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
    for (const std::string& link : read_page().links()) {
        co_await next_turn();
        say("visits", link);
    }
}
// [/range]

// ---- 6 ----

// [callback]
Coroutine<> wait_and_count() {
    int ticks = 0;
    stage3::running_loop().call_later(1ms, [&ticks] { ++ticks; });
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
    for (const std::string& url : urls) {
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

// [with-room]
Coroutine<> with_room() {
    Urls urls{"/a", "/b"};
    urls.reserve(3);
    const Task<> task = create_task(visit_all(urls));
    co_await next_turn();
    urls.insert(urls.begin(), "/new");
    co_await task;
}
// [/with-room]

} // namespace

// ---- Not a trap ----

// clang-tidy's advice about this function would turn it into the seventh trap.
// [by-index]
Coroutine<> visit_by_index(std::vector<std::string>& urls) {
    for (std::size_t i = 0; i < urls.size(); ++i) {
        const std::string url = urls[i];
        co_await next_turn();
        say("visits", url);
    }
}
// [/by-index]

const std::array<traps::Play, traps::count> plays = {
    reference, view, closure, object, range, callback, iterator, with_room};

} // namespace wrong
