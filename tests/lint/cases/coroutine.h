// The smallest coroutine type that the cases need, and things that own something.
#pragma once

#include <coroutine>
#include <exception>
#include <memory>
#include <string>
#include <utility>

struct Task {
    struct promise_type {
        Task get_return_object() { return {}; }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        std::suspend_always yield_value(int) { return {}; }
        void return_void() {}
        void unhandled_exception() { std::terminate(); }
    };
};

/// Awaiting it gives a number.
struct Number {
    explicit Number(int n = 0) : value(n) {}
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<>) const noexcept {}
    int await_resume() const noexcept { return value; }
    int value;
};

/// Awaiting it gives a string.
struct Text {
    Text() {}
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<>) const noexcept {}
    std::string await_resume() const { return {}; }
};

/// An aggregate that owns something.
struct Owner {
    std::unique_ptr<int> what;
    int n = 0;
};

/// An aggregate that owns nothing.
struct Plain {
    int a = 0;
    int b = 0;
};

/// An aggregate that can be awaited, and owns something.
struct OwningAwaiter {
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<>) const noexcept {}
    int await_resume() const noexcept { return 0; }
    std::unique_ptr<int> what;
};

inline Number take(Owner) { return Number(); }
inline Number take_or_none(Owner = {}) { return Number(); }
inline Number take_or_nobody(Owner = Owner()) { return Number(); }
inline Number take_plain(Plain) { return Number(); }
template <class F>
Number call(F f) {
    return Number(f());
}
inline void use(int) {}
