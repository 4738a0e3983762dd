#include "questions.h"
#include "stage2_coroutines/future.h"

#include <memory>
#include <string>

namespace {

using stage2::Coroutine;
using stage2::Future;
using stage2::FuturePtr;

int went_on = 0;
int called = 0;

FuturePtr new_future() { return std::make_shared<Future>(); }

Coroutine<std::string> porter() {
    ++called;
    std::string parcel = co_await new_future();
    co_return parcel;
}

Coroutine<int> clerk() {
    ++called;
    const std::string parcel = co_await porter();
    const std::string letter = co_await new_future();
    co_return static_cast<int>(parcel.size() * 10 + letter.size());
}

Coroutine<int> boss() {
    ++called;
    const int morning = co_await clerk();
    ++went_on;
    const int evening = co_await clerk();
    ++went_on;
    co_return morning * 100 + evening;
}

} // namespace

Answers run_program() {
    Answers answers;
    went_on = 0;
    called = 0;
    answers.futures = 0;
    auto coroutine = boss();
    auto reply = coroutine.next();
    while (reply.yielded) {
        ++answers.futures;
        if (answers.futures == 1)
            answers.depth = static_cast<int>(coroutine.chain().size());
        if (answers.futures == 2)
            answers.last_depth = static_cast<int>(coroutine.chain().size());
        // Each result is one letter longer than the one before.
        reply =
            coroutine.send(std::string(static_cast<std::size_t>(answers.futures), 'x'));
    }
    answers.value = reply.returned.value_or(-2);
    answers.boss_goes_on = went_on;
    answers.frames = called;
    return answers;
}
