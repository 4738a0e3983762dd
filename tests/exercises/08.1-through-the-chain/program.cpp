#include "questions.h"
#include "stage2_coroutines/small/coroutine.h"
#include "stage2_coroutines/small/future.h"

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

namespace {

using small::Coroutine;
using small::Future;
using small::FuturePtr;

int called = 0;    // how many coroutines have begun so far
int under_way = 0; // how many of these have not ended
int resumed = 0;   // which ones have resumed after a co_await, as digits
int boss_resumed = 0;
int value = -2;
FuturePtr waited_for;

/// Lives in a coroutine's frame, from its first line to its end.
class UnderWay {
  public:
    UnderWay() {
        ++called;
        ++under_way;
    }
    ~UnderWay() { --under_way; }
    UnderWay(const UnderWay&) = delete;
    UnderWay& operator=(const UnderWay&) = delete;
};

void note(int digit) { resumed = resumed * 10 + digit; }

FuturePtr new_future() {
    waited_for = std::make_shared<Future>();
    return waited_for;
}

Coroutine<std::string> porter() {
    const UnderWay here;
    std::string parcel = co_await new_future();
    note(1);
    co_return parcel;
}

Coroutine<int> clerk() {
    const UnderWay here;
    const std::string parcel = co_await porter();
    note(2);
    const std::string letter = co_await new_future();
    note(2);
    co_return static_cast<int>(parcel.size() * 10 + letter.size());
}

Coroutine<int> boss() {
    const UnderWay here;
    const int morning = co_await clerk();
    note(3);
    ++boss_resumed;
    const int evening = co_await clerk();
    note(3);
    ++boss_resumed;
    value = morning * 100 + evening;
    co_return value;
}

} // namespace

Answers run_program() {
    Answers answers;
    called = 0;
    boss_resumed = 0;
    auto coroutine = boss();
    coroutine.start();
    for (std::size_t length = 1; waited_for != nullptr; ++length) {
        if (length == 1)
            answers.depth = under_way;
        if (length == 2)
            answers.last_depth = under_way;
        resumed = 0;
        // Each result is one letter longer than the one before.
        std::exchange(waited_for, nullptr)->set_result(std::string(length, 'x'));
        if (length == 1)
            answers.first = resumed;
        if (length == 2)
            answers.second = resumed;
    }
    answers.value = value;
    answers.boss_goes_on = boss_resumed;
    answers.frames = called;
    return answers;
}
