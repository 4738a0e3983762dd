#include "questions.h"
#include "stage3_queue_crawler/runtime/task/run.h"
#include "stage3_queue_crawler/runtime/task/task_group.h"
#include "stage3_queue_crawler/runtime/task/wait.h"

#include <chrono>
#include <list>
#include <set>

namespace {

using namespace std::chrono_literals;
using stage3::Coroutine;
using stage3::create_task;
using stage3::next_turn;
using stage3::Task;
using stage3::TaskGroup;

// A thing that can be asked, by its address and even after its death, whether it is
// alive.
class Thing {
  public:
    Thing() { living.insert(this); }
    Thing(const Thing& /*other*/) : Thing() {}
    Thing& operator=(const Thing&) = default;
    ~Thing() { living.erase(this); }

    inline static std::set<const Thing*> living;
};

int answer = unanswered;

void use(const Thing& thing) { answer = Thing::living.contains(&thing) ? lives : gone; }

/// What a std::string_view is to a std::string.
struct View {
    View(const Thing& thing) : viewed(&thing) {}
    const Thing* viewed;
};

Coroutine<> wait_and_use(const Thing& thing) {
    co_await next_turn();
    use(thing);
}

// a temporary, for a coroutine that is awaited
Coroutine<> awaited() { co_await wait_and_use(Thing()); }

// a temporary, used before the first wait
Coroutine<> use_at_once(const Thing& thing) {
    use(thing);
    co_await next_turn();
}
Coroutine<> first_line() {
    const Task<> task = create_task(use_at_once(Thing()));
    co_await task;
}

// a view, taken by value
Coroutine<> wait_and_use_view(View view) {
    co_await next_turn();
    use(*view.viewed);
}
Task<> start_with_view() {
    const Thing thing;
    return create_task(wait_and_use_view(thing));
}
Coroutine<> view() { co_await start_with_view(); }

// a lambda with a name
Coroutine<> named() {
    const auto lambda = [thing = Thing()]() -> Coroutine<> {
        co_await next_turn();
        use(thing);
    };
    const Task<> task = create_task(lambda());
    co_await task;
}

// a lambda with a name, and its task is returned
Task<> start_lambda() {
    const auto lambda = [thing = Thing()]() -> Coroutine<> {
        co_await next_turn();
        use(thing);
    };
    return create_task(lambda());
}
Coroutine<> handed_out() { co_await start_lambda(); }

// a local variable, for a child of a group
Coroutine<> start_child(TaskGroup& group, const Thing& thing) {
    group.start(wait_and_use(thing));
    co_return;
}
Coroutine<> in_group() {
    const Thing thing;
    TaskGroup group;
    co_await group.run(start_child(group, thing));
}

// an element of a list that grows
Coroutine<> in_list() {
    std::list<Thing> things(1);
    const Task<> task = create_task(wait_and_use(things.front()));
    co_await next_turn();
    for (int i = 0; i < 100; ++i)
        things.emplace_back();
    co_await task;
}

// a local variable, for a callback
Coroutine<> register_and_wait() {
    const Thing thing;
    stage3::running_loop().call_later(1ms, [&thing] { use(thing); });
    co_await stage3::sleep(1h);
}
Coroutine<> in_callback() {
    Task<> task = create_task(register_and_wait());
    co_await next_turn();
    task.cancel();
    co_await stage3::sleep(20ms);
}

int play(Coroutine<> scene) {
    answer = unanswered;
    stage3::run(std::move(scene));
    return answer;
}

} // namespace

Answers run_program() {
    return {.awaited = play(awaited()),
            .first_line = play(first_line()),
            .view = play(view()),
            .named = play(named()),
            .handed_out = play(handed_out()),
            .in_group = play(in_group()),
            .in_list = play(in_list()),
            .in_callback = play(in_callback())};
}
