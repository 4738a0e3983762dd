#include "questions.h"

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>

namespace {

/// Where the last frame is, and how many were made. The promise below notes it.
struct Frames {
    const char* begin = nullptr;
    std::size_t size = 0;
    int made = 0;

    int hold(const void* what) const {
        const auto address = reinterpret_cast<std::uintptr_t>(what);
        const auto first = reinterpret_cast<std::uintptr_t>(begin);
        return address >= first && address < first + size ? 1 : 0;
    }
} frames;

/// The smallest type of coroutine that pauses where it is told to.
class Story {
  public:
    struct promise_type {
        // The compiler gets the frame's memory here.
        static void* operator new(std::size_t size) {
            void* memory = std::malloc(size);
            if (memory == nullptr)
                throw std::bad_alloc();
            frames = {.begin = static_cast<const char*>(memory),
                      .size = size,
                      .made = frames.made + 1};
            return memory;
        }
        static void operator delete(void* memory) { std::free(memory); }

        Story get_return_object() {
            return Story(std::coroutine_handle<promise_type>::from_promise(*this));
        }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() { std::terminate(); }
    };

    explicit Story(std::coroutine_handle<promise_type> frame) : frame_(frame) {}
    Story(const Story&) = delete;
    Story& operator=(const Story&) = delete;
    ~Story() { frame_.destroy(); }
    void next() { frame_.resume(); }

  private:
    std::coroutine_handle<promise_type> frame_;
};

int notes = 0;
void note() { ++notes; }

Answers answers;

[[gnu::noinline]] int helper(int number) {
    int own = number * 2;
    answers.plain_local = frames.hold(&own);
    return own;
}

[[gnu::noinline]] Story story(int from) {
    note();
    int i = from;
    std::string text(100, 'x');
    answers.parameter = frames.hold(&from);
    answers.local = frames.hold(&i);
    answers.string_object = frames.hold(&text);
    answers.characters = frames.hold(text.data());
    i = helper(i);
    co_await std::suspend_always();
    note();
    i += from;
    text += std::to_string(i);
}

} // namespace

Answers run_program() {
    Story one = story(1);
    answers.lines_after_call = notes;
    one.next();
    answers.lines_after_next = notes;
    one.next(); // to the end
    const int before = frames.made;
    const Story two = story(2);
    const Story three = story(3);
    answers.two_calls = frames.made - before;
    return answers;
}
