#pragma once

#include "coroutine.h"

inline Task in_a_header() {
    if (co_await Number(1)) // bad: condition
        use(1);
}

template <class T>
Task in_a_template(T thing) {
    while (co_await thing) // bad: condition
        use(1);
}
