// The questions. They are about run.trace; yours.cpp holds what you have found in it.
#pragma once

namespace common {
class Tracer;
}

/// A question that you have not answered.
constexpr int unanswered = -1;

/// One guest is still waiting at closing time. Lines are lines of program.cpp, turns are
/// turns of the trace.
struct Answers {
    /// On which line is this guest's task suspended at the end?
    int stands = unanswered;
    /// In which turn did it begin to wait there?
    int since = unanswered;
    /// On which line was the future made that it waits for?
    int awaited = unanswered;
    /// One future was resolved while no task was waiting for it: on which line was it
    /// made? A task is a future, too, but tasks don't count here.
    int lost = unanswered;
    /// In which turn was it resolved?
    int turn = unanswered;
};

/// What you have found. Defined in yours.cpp.
extern const Answers found_by_reader;

/// What was recorded. Defined in program.cpp.
void play(common::Tracer& tracer);

/// The true answers, taken from run.trace. Defined in truth.cpp.
Answers read_trace();
