#include "coroutine.h"

#include <vector>

struct Two {
    int a;
    int b;
};

Task aggregates() {
    co_await OwningAwaiter{std::make_unique<int>(6)};       // bad: temporary
    co_await take(Owner{.what = std::make_unique<int>(1)}); // bad: temporary
    co_await take({std::make_unique<int>(2), 3});           // bad: temporary
    co_await take(Owner(std::make_unique<int>(2), 3));      // bad: temporary
    co_await take_or_none();                                // bad: temporary
}

Task closures() {
    auto p = std::make_unique<int>(1);
    co_await call([q = std::move(p)] { return *q; }); // bad: temporary
}

Task braces() {
    const Two two{co_await Number(1), co_await Number(2)}; // bad: braces
    use(two.a);
}
