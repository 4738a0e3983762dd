// What is in a macro of the system, a test framework's say, is our code where it is used.
#pragma once

#include <exception>

#define CHECK(condition)                                                                 \
    do {                                                                                 \
        if (!(condition))                                                                \
            std::terminate();                                                            \
    } while (false)
