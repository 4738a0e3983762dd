// The questions. They are about run.trace; yours.cpp holds what you have found in it.
#pragma once

namespace common {
class Tracer;
}

/// A question that you have not answered.
constexpr int unanswered = -1;

/// One callback held the loop much longer than all the others.
struct Answers {
    /// At which line of program.cpp was it registered?
    int line = unanswered;
    /// In which turn of the loop was it called?
    int turn = unanswered;
    /// How long did it run, to the nearest ten milliseconds? (17.3 would be 20.)
    int milliseconds = unanswered;
    /// How many sockets were ready when it began, and had to wait until it returned?
    int waiting = unanswered;
    /// How many were ready when the loop asked again, in the next turn?
    int next_turn = unanswered;
};

/// What you have found. Defined in yours.cpp.
extern const Answers found_by_reader;

/// What was recorded. Defined in program.cpp.
void play(common::Tracer& tracer);

/// The true answers, taken from run.trace. Defined in truth.cpp.
Answers read_trace();
