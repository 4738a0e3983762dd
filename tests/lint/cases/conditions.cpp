#include "coroutine.h"

#include <check.h>

Task in_if() {
    if (co_await Number(1)) // bad: condition
        use(1);
    if (!co_await Number(1)) // bad: condition
        use(2);
    if (const int n = 3; n == co_await Number(3)) // bad: condition
        use(n);
}

Task in_loops() {
    while (co_await Number(1)) // bad: condition
        use(1);
    do { // bad: condition
        use(2);
    } while (1 == co_await Number(2));
    for (int i = 0; i < co_await Number(3); ++i) // bad: condition
        use(i);
    while (co_yield 1, false) { // bad: condition
    }
}

Task in_switch() {
    switch (co_await Number(1)) { // bad: condition
    default: break;
    }
}

Task in_an_assertion() {
    CHECK(co_await Number(1) == 1); // bad: condition
}

Task in_a_conditional(bool k) {
    use(k ? co_await Number(1) : 2);             // bad: conditional
    const auto text = k ? co_await Text() : "x"; // bad: conditional
    use(static_cast<int>(text.size()));
}
