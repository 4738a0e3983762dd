#include "questions.h"
#include "stage2_coroutines/small/generator.h"

namespace {

int begun = 0;

/// Adds up what it is sent, until that is 0. It yields the sum so far, and returns twice
/// the sum.
small::Generator<int, int, int> adder() {
    ++begun;
    int sum = 0;
    while (true) {
        const int number = co_yield sum;
        if (number == 0)
            break;
        sum += number;
    }
    co_return 2 * sum;
}

} // namespace

Answers run_program() {
    Answers answers;
    begun = 0;
    auto one = adder();
    answers.begun_by_call = begun;
    answers.first = one.next().value_or(-2);
    answers.second = one.send(5).value_or(-2);
    answers.third = one.send(7).value_or(-2);
    one.send(0);
    answers.result = one.returned();

    auto a = adder();
    auto b = adder();
    a.next();
    b.next();
    a.send(5);
    b.send(1);
    answers.in_turn = a.send(2).value_or(-2);
    answers.yields_again = b.next() ? 1 : 0;
    answers.second_result = b.returned();

    auto three = adder();
    three.next();
    three.send(0);
    answers.ended_twice = three.next() ? 1 : 0;
    return answers;
}
