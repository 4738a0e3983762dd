// Why exceptions.cpp goes the older way: the smallest case that clang 19 gets wrong with
// WebAssembly's own exceptions. A coroutine waits in a `try`, in a loop, and what it
// waits for throws when it's resumed: its handler must be entered. (It is, if
// `await_suspend` can't throw. It seems that clang gives a loop that is entered in its
// middle another form, and that the call is outside the `try` then.)
//
// Neither a library nor a page takes part: only the machine throws and catches.
#include <coroutine>
#include <cstddef>
#include <exception>

namespace {

alignas(16) char frame[1024]; // there is only one

struct Coroutine {
    struct promise_type {
        static void* operator new(std::size_t) { return frame; }
        static void operator delete(void*) {}
        Coroutine get_return_object() {
            return {std::coroutine_handle<promise_type>::from_promise(*this)};
        }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() noexcept {}
    };
    std::coroutine_handle<promise_type> handle;
};

int thrown = 0;
int handled = 0;

__attribute__((noinline)) void throw_if(bool wanted) {
    if (wanted)
        __builtin_wasm_throw(0, &thrown);
}

struct Wait {
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<>) { throw_if(handled > 100); } // never
    void await_resume() { throw_if(handled < 100); }                         // always
};

Coroutine handle_three() {
    for (int i = 0; i < 3; ++i) {
        try {
            co_await Wait();
        } catch (...) {
            ++handled;
        }
    }
}

} // namespace

extern "C" {

void* __cxa_begin_catch(void* one) noexcept { return one; }
void __cxa_end_catch() {}

/// How many of three exceptions were handled.
__attribute__((export_name("handled_of_three"))) int handled_of_three() {
    const Coroutine coroutine = handle_three();
    for (int i = 0; i < 4; ++i)
        coroutine.handle.resume();
    return handled;
}

} // extern "C"

void std::terminate() noexcept { __builtin_trap(); }
