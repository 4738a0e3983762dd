// What exceptions.cpp has to get right, case by case: each writes what it has seen. As a
// module for a page, and as a program for this machine, whose compiler and library are
// right: both must write the same.
#include "tests/live/wasm/door.h"

#include <cstdio>
#include <exception>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>

namespace {

std::string said;
void say(std::string_view text) { said.append(" ").append(text); }
void say(int number) { say(std::to_string(number)); }

/// Says what becomes of it.
struct Seen {
    explicit Seen(int its_number) : number(its_number) {}
    Seen(const Seen& other) : number(other.number) { say("copied"); }
    Seen& operator=(const Seen&) = delete;
    ~Seen() { say("destroyed"); }
    int number;
};
struct First {
    virtual ~First() = default;
    int first = 1;
};
struct Second {
    virtual ~Second() = default;
    int second = 2;
};
struct Both : First, Second {};
struct Left : virtual Second {};
struct Right : virtual Second {};
struct Diamond : Left, Right {};

void throw_again() { throw; }

void rethrown() {
    try {
        try {
            throw Seen(1);
        } catch (Seen& one) {
            one.number = 2;
            throw;
        }
    } catch (const Seen& one) {
        say(one.number);
    }
    say("later");
}

void rethrown_by_a_function() {
    try {
        try {
            throw Seen(1);
        } catch (...) {
            throw_again();
        }
    } catch (const Seen& one) {
        say(one.number);
    }
}

void rethrown_and_caught_inside() {
    try {
        try {
            throw Seen(1);
        } catch (Seen& one) {
            try {
                throw;
            } catch (Seen& same) {
                say(&one == &same ? "same" : "other");
            }
            say("inside");
            throw;
        }
    } catch (const Seen& one) {
        say(one.number);
    }
    say(std::current_exception() ? "caught" : "none");
}

void another_in_a_handler() {
    try {
        throw Seen(1);
    } catch (...) {
        try {
            throw std::runtime_error("another");
        } catch (const std::exception& error) {
            say(error.what());
        }
        try {
            throw;
        } catch (const Seen& one) {
            say(one.number);
        }
    }
}

void another_instead() {
    try {
        try {
            throw Seen(1);
        } catch (const Seen&) {
            throw std::out_of_range("instead");
        }
    } catch (const std::logic_error& error) {
        say(error.what());
    }
}

void second_base_class() {
    try {
        throw Both();
    } catch (const Second& second) {
        say(second.second);
    }
    try {
        try {
            throw Both();
        } catch (First& first) {
            first.first = 3;
            throw;
        }
    } catch (const Second& second) {
        say(dynamic_cast<const Both&>(second).first);
    }
    try {
        throw Diamond();
    } catch (const Second& second) {
        say(second.second);
    }
}

void pointers() {
    Both both;
    try {
        throw &both;
    } catch (const Second* second) {
        say(second->second);
        say(second == &both ? "same" : "other");
    }
    try {
        throw nullptr;
    } catch (const First* first) {
        say(first == nullptr ? "null" : "other");
    }
}

void first_handler_that_fits() {
    for (int i = 0; i < 4; ++i) {
        try {
            if (i == 0)
                throw 7;
            if (i == 1)
                throw std::string("text");
            if (i == 2)
                throw std::out_of_range("range");
            throw 'c';
        } catch (int number) {
            say(number);
        } catch (const std::string& text) {
            say(text);
        } catch (const std::exception& error) {
            say(error.what());
        } catch (...) {
            say("...");
        }
    }
}

/// Throws and catches while it's destroyed.
struct Careful {
    ~Careful() {
        say(std::uncaught_exceptions());
        try {
            throw Seen(4);
        } catch (const Seen& one) {
            say(std::uncaught_exceptions());
            say(one.number);
        }
    }
};

[[gnu::noinline]] void throw_past_it() {
    const Careful here;
    throw Seen(3);
}

void caught_in_another_function() {
    try {
        throw_past_it();
    } catch (const Seen& one) {
        say(one.number);
    }
}

void caught_during_unwinding() {
    {
        const Careful usual;
    }
    try {
        const Careful one, two;
        throw Seen(5);
    } catch (const Seen& one) {
        say(one.number);
        say(std::uncaught_exceptions());
    }
}

void one_pointer_thrown_twice() {
    std::exception_ptr kept;
    try {
        throw Seen(6);
    } catch (...) {
        kept = std::current_exception();
    }
    say("kept");
    for (int i = 0; i < 2; ++i) {
        try {
            std::rethrow_exception(kept);
        } catch (Seen& one) {
            say(one.number++);
        }
    }
    try { // and while it's caught already
        std::rethrow_exception(kept);
    } catch (const Seen& one) {
        try {
            std::rethrow_exception(kept);
        } catch (const Seen& same) {
            say(&one == &same ? "same" : "other");
        }
        say(std::current_exception() == kept ? "kept" : "other");
    }
    kept = nullptr;
    say("gone");
}

void nested() {
    try {
        try {
            throw std::runtime_error("cause");
        } catch (...) {
            std::throw_with_nested(std::logic_error("effect"));
        }
    } catch (const std::exception& error) {
        say(error.what());
        try {
            std::rethrow_if_nested(error);
        } catch (const std::exception& cause) {
            say(cause.what());
        }
    }
}

struct Half {
    Half() { throw std::runtime_error("half"); }
    Seen whole{8};
};

void half_made() {
    try {
        const Half half;
    } catch (const std::runtime_error& error) {
        say(error.what());
    }
}

void caught_as_a_copy() {
    try {
        throw Seen(9);
    } catch (Seen copy) { // NOLINT: on purpose
        copy.number = 10;
        try {
            throw;
        } catch (const Seen& one) {
            say(one.number);
        }
    }
}

struct Case {
    std::string_view name;
    void (*play)();
};

} // namespace

std::string tests::live::answer(std::string_view /*text*/) {
    std::string lines;
    for (const auto& [name, play] : std::initializer_list<Case>{
             Case{"rethrown", rethrown},
             {"rethrown by a function", rethrown_by_a_function},
             {"rethrown and caught inside", rethrown_and_caught_inside},
             {"another in a handler", another_in_a_handler},
             {"another instead", another_instead},
             {"second base class", second_base_class},
             {"pointers", pointers},
             {"first handler that fits", first_handler_that_fits},
             {"caught during unwinding", caught_during_unwinding},
             {"caught in another function", caught_in_another_function},
             {"one pointer thrown twice", one_pointer_thrown_twice},
             {"nested", nested},
             {"half made", half_made},
             {"caught as a copy", caught_as_a_copy},
         }) {
        said.clear();
        try {
            play();
        } catch (...) {
            say("nobody has caught it");
        }
        say(std::uncaught_exceptions());
        lines.append(name).append(":").append(said).append("\n");
    }
    return lines;
}

#ifndef __wasm__
int main() {
    const std::string lines = tests::live::answer({});
    return std::fwrite(lines.data(), 1, lines.size(), stdout) == lines.size() ? 0 : 1;
}
#endif
