// As much of a runtime as the cases in lent.cpp need.
#pragma once

#include <coroutine>
#include <exception>
#include <string>

struct Awaitable {
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<>) const noexcept {}
    void await_resume() const noexcept {}
};

struct Coroutine : Awaitable {
    Coroutine() = default;
    Coroutine(Coroutine&&) = default;
    ~Coroutine() {}
    struct promise_type {
        Coroutine get_return_object() { return {}; }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() { std::terminate(); }
    };
};

struct Task : Awaitable {};
Task create_task(Coroutine coroutine, std::string name = {});
