// The same intentions, written so that g++ 12 gets them right.
#include "coroutine.h"

#include <vector>

Task named_first() {
    const bool b = co_await Number(1);
    if (b)
        use(1);
    while (true) {
        const int n = co_await Number(2);
        if (n == 0)
            break;
    }
    Owner owner{.what = std::make_unique<int>(1)};
    co_await take(std::move(owner));
    const auto shout = [word = std::string("x")] {
        return static_cast<int>(word.size());
    };
    co_await call(shout);
}

Task harmless_temporaries() {
    co_await Number{1};
    co_await take_plain(Plain{1, 2});
    co_await take_or_nobody();
    co_await call([] { return 1; });
    use(co_await Number(1) + co_await Number(2));
    const std::string text = co_await Text() + "!";
    use(static_cast<int>(text.size()));
    co_yield 1;
}

Task in_bodies() {
    for (int i = co_await Number(0); i < 3; ++i)
        co_await Number(i);
    for (const int i : {1, 2})
        co_await Number(i);
    if (const int n = co_await Number(1); n > 0)
        co_await Number(n);
    do {
        co_yield 2;
    } while (false);
}

Task another_function_waits() {
    // What waits, and what owns something, are two functions' affairs.
    use([]() -> int {
        const auto inner = []() -> Task { co_await Number(1); };
        return sizeof(inner) == take(Owner{.what = nullptr}).value ? 1 : 2;
    }());
    co_return;
}

void not_a_coroutine() {
    take_or_none(), []() -> Task { co_await Number(1); }();
    // The condition contains a coroutine, but doesn't wait in itself.
    if ([]() -> Task { co_await Number(1); }; true)
        use(1);
}
