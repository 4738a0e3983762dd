// What programs on the small runtime have in common, whoever wrote it: the includer says
// which one `small_runtime` is, and includes its task.h.
#pragma once

#include "tests/support/every_order.h"
#include "tests/support/prelude.h"

#include <list>
#include <span>

namespace orders {

/// What fails in these programs.
struct Rain {};

/// Tasks on a loop, all of which have ended when this is destroyed.
template <class SomeLoop>
struct World {
    explicit World(tests::Order& o) : order(o) {}
    World(const World&) = delete;
    World& operator=(const World&) = delete;
    ~World() { end(); }

    /// Lets all tasks end, because a task must not be destroyed before. To be called
    /// before what they use is destroyed.
    void end() {
        for (small_runtime::Task& task : tasks)
            task.cancel();
        while (loop.has_ready())
            loop.turn(0ms);
    }

    /// A future that gets a result, or fails, when the order says so; unless it's done.
    std::shared_ptr<small_runtime::Future> outcome(const std::string& what,
                                                   bool fails = false) {
        const auto future = std::make_shared<small_runtime::Future>(loop);
        order.event(what, [future, fails] {
            if (future->done())
                return;
            if (fails)
                future->fail(std::make_exception_ptr(Rain()));
            else
                future->set_result();
        });
        return future;
    }

    std::size_t not_done() const {
        return static_cast<std::size_t>(std::ranges::count_if(
            tasks, [](const small_runtime::Task& task) { return !task.done(); }));
    }

    tests::Order& order;
    SomeLoop loop;
    std::list<small_runtime::Task> tasks;
};

} // namespace orders
