#include "questions.h"
#include "stage2_coroutines/generator.h"

#include <exception>
#include <stdexcept>

namespace {

int begun = 0;

/// Adds up what it is sent, until that is 0. It yields the sum so far, and returns twice
/// the sum. An error makes it start again from 100.
stage2::Generator<int, int, int> adder() {
    ++begun;
    int sum = 0;
    while (true) {
        int number = 0;
        try {
            number = co_yield sum;
        } catch (const std::runtime_error&) {
            sum = 100;
            continue;
        }
        if (number == 0)
            break;
        sum += number;
    }
    co_return 2 * sum;
}

} // namespace

Answers run_program() {
    Answers answers;
    auto one = adder();
    answers.begun_by_call = begun;
    answers.first = one.next().yielded.value_or(-2);
    answers.second = one.send(5).yielded.value_or(-2);
    answers.third = one.send(7).yielded.value_or(-2);
    answers.result = one.send(0).returned.value_or(-2);

    auto two = adder();
    two.next();
    two.send(5);
    const auto error = std::make_exception_ptr(std::runtime_error("start again"));
    answers.after_throw = two.throw_(error).yielded.value_or(-2);
    two.send(1);
    answers.second_result = two.send(0).returned.value_or(-2);

    auto three = adder();
    three.next();
    three.send(0);
    const auto reply = three.next();
    answers.ended_twice = reply.yielded || reply.returned ? 1 : 0;
    return answers;
}
