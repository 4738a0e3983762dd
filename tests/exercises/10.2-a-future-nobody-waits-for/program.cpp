// The program whose trace you read: a kitchen and its guests, on stage 3's loop. There is
// nothing to edit here.
#include "questions.h"
#include "stage3_queue_crawler/runtime/loop/event_loop.h"
#include "stage3_queue_crawler/runtime/task/task.h"
#include "stage3_queue_crawler/runtime/task/wait.h"

#include <array>
#include <chrono>
#include <map>
#include <source_location>
#include <string>

using namespace std::chrono_literals;
using stage3::Coroutine;
using stage3::EventLoop;
using stage3::Future;

namespace {

class Kitchen {
  public:
    /// Ordering a dish returns a future, which is resolved when the dish is served. In a
    /// trace, the future is made at the line of the order.
    Future<> order(const std::string& dish,
                   std::source_location at = std::source_location::current()) {
        const Future<> served(stage3::running_loop(), at);
        orders_.insert_or_assign(dish, served);
        return served;
    }
    void serve(const std::string& dish) { orders_.at(dish).set_result(); }

  private:
    std::map<std::string, Future<>> orders_; // by dish
};

Coroutine<> anna(Kitchen& kitchen) {
    const auto soup = kitchen.order("soup");
    const auto bread = kitchen.order("bread");
    co_await soup;
    co_await bread;
}

Coroutine<> ben(Kitchen& kitchen) {
    const auto fish = kitchen.order("fish");
    const auto beans = kitchen.order("beans");
    co_await fish;
    co_await beans;
}

Coroutine<> clara(Kitchen& kitchen) {
    const auto tea = kitchen.order("tea");
    const auto rice = kitchen.order("rice");
    const auto salad = kitchen.order("rice");
    co_await tea;
    co_await rice;
    co_await salad;
}

constexpr std::array menu = {"soup", "tea", "fish", "rice", "bread", "beans"};

/// Serves one dish in each turn.
Coroutine<> cook(Kitchen& kitchen) {
    for (const char* dish : menu) {
        co_await stage3::next_turn();
        kitchen.serve(dish);
    }
}

} // namespace

void play(common::Tracer& tracer) {
    EventLoop loop({.tracer = &tracer});
    Kitchen kitchen;
    const auto a = create_task(loop, anna(kitchen), "anna");
    const auto b = create_task(loop, ben(kitchen), "ben");
    const auto c = create_task(loop, clara(kitchen), "clara");
    const auto d = create_task(loop, cook(kitchen), "cook");
    loop.call_later(50ms, [&loop] { loop.stop(); }); // closing time
    loop.run_forever();
}
