// Tasks whose coroutines refer to a temporary of the call, and others that don't.
#include "tasks.h"

#include <string>
#include <string_view>

Coroutine greet(const std::string& name);
Coroutine visit(std::string_view url);
Coroutine keep(std::string text);
Coroutine count(std::string text, const int& from, int to = 3);
std::string text();

struct Group {
    Task start(Coroutine coroutine);
    Coroutine run(const std::string& name);
    Coroutine run(Coroutine body);
};

Coroutine lent(Group& group, std::string name) {
    create_task(greet("a literal"));                 // bad: lent
    create_task(greet(text()));                      // bad: lent
    create_task(visit(name + "/"), "visits");        // bad: lent
    group.start(visit(std::string("/")));            // bad: lent
    create_task(group.run(text()));                  // bad: lent
    const Task kept = create_task(count(text(), 3)); // bad: lent
    create_task([](const std::string& who) -> Coroutine {
        co_await greet(who);
    }("a literal")); // bad: lent
    co_await group.run([](Group& inside) -> Coroutine {
        inside.start(greet("a literal")); // bad: lent
        co_return;
    }(group));
    co_await kept;
}

Coroutine fine(Group& group, std::string name, int number) {
    create_task(greet(name));
    create_task(visit(name));
    create_task(visit("a literal"));
    create_task(keep(text()));
    create_task(keep("a literal"));
    create_task(count(text(), number));
    group.start(group.run(name));
    create_task([](std::string who) -> Coroutine { co_await greet(who); }("a literal"));
    // Whoever waits keeps the temporary.
    co_await greet("a literal");
    co_await create_task(greet(text()));
}
