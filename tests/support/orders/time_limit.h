// A time limit of the small runtime, in every order. The includer includes its loop.h.
//
// A loop asks std::chrono::steady_clock for the time, and that is replaced here: while an
// order is played, time passes when the order says so. So only one file of a program may
// include this.
#pragma once

#include "tests/support/orders/world.h"

#include <ctime>

namespace orders {
namespace detail {
inline std::optional<std::chrono::steady_clock::time_point> now_played;
} // namespace detail

struct LimitWorld : World<small_runtime::Loop> {
    LimitWorld(tests::Order& o, bool f, bool r) : World(o), fails(f), refuses(r) {}
    LimitWorld(const LimitWorld&) = delete;
    LimitWorld& operator=(const LimitWorld&) = delete;
    ~LimitWorld() { end(); }

    const bool fails;
    const bool refuses; ///< to end when it is asked to
    std::string how;
    bool was_asked = false;
    int alive = 0;
};

inline small_runtime::Coroutine<> work(LimitWorld& world) {
    ++world.alive;
    const auto over = world.outcome(world.fails ? "it fails" : "it is done", world.fails);
    std::exception_ptr error;
    try {
        co_await *over;
    } catch (...) {
        error = std::current_exception();
    }
    --world.alive;
    if (error && !world.refuses)
        std::rethrow_exception(error);
}

inline small_runtime::Coroutine<> limited(LimitWorld& world) {
    try {
        const bool in_time =
            co_await small_runtime::ends_within(world.loop, 1h, work(world));
        world.how = in_time ? "in time" : "late";
    } catch (const small_runtime::Cancelled&) {
        world.how = "cancelled";
    } catch (const Rain&) {
        world.how = "failed";
    }
    world.order.promise(world.alive == 0, "what is limited has ended");
}

inline void play_limit(tests::Order& order, const tests::Numbers& numbers) {
    struct Time { // as long as this lives
        Time() { detail::now_played.emplace(); }
        Time(const Time&) = delete;
        Time& operator=(const Time&) = delete;
        ~Time() { detail::now_played.reset(); }
    };
    const Time time;
    LimitWorld world(order, numbers[0] > 0, numbers[1] > 0);
    world.tasks.emplace_back(world.loop, limited(world));
    order.event_for_loop("the time is up", [] { *detail::now_played += 2h; });
    if (numbers[2] > 0)
        order.event("cancel",
                    [&world] { world.was_asked = world.tasks.front().cancel(); });
    order.run(world.loop);
    order.promise(world.tasks.front().done(), "it ends");
    world.tasks.front().throw_if_failed();
    if (!world.was_asked)
        order.promise(world.how != "cancelled", "a late coroutine is no request to end");
    if (world.fails && !world.refuses)
        order.promise(world.how != "in time", "an error isn't lost");
    if (world.refuses && !world.was_asked)
        order.promise(world.how == "in time", "what refuses to end ends in time");
    if (world.was_asked && !world.refuses && !world.fails)
        order.promise(world.how == "cancelled", "a request to end isn't lost");
}

inline const tests::OrderPrograms limits{
    .title = "A time limit: the coroutine ends, the time is up, or a cancel comes.",
    .things = {{"failure", "failures", 0, 1},
               {"refusal", "refusals", 0, 1},
               {"cancel", "cancels", 0, 1}},
    .play = play_limit,
};

} // namespace orders

// NOLINTNEXTLINE(cert-dcl58-cpp,misc-definitions-in-headers)
std::chrono::steady_clock::time_point std::chrono::steady_clock::now() noexcept {
    if (orders::detail::now_played)
        return *orders::detail::now_played;
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return time_point(seconds(now.tv_sec) + nanoseconds(now.tv_nsec));
}
