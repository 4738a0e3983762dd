// The questions. program.cpp finds the true answers; yours.cpp holds what you predict.
#pragma once

/// A question that you have not answered.
constexpr int unanswered = -1;

/// In which thread?
constexpr int loops = 1;
constexpr int another = 2;

/// Does it?
constexpr int no = 0;
constexpr int yes = 1;

struct Answers {
    // A coroutine waits for what run_in_executor returns. In which thread ...
    int function = unanswered; ///< does the function run?
    int callback = unanswered; ///< is a done callback of the future called?
    int after = unanswered;    ///< does the line after the co_await run?
    int captures = unanswered; ///< is what the function has captured destroyed?
    // The coroutine is cancelled while the function runs. When the function ends ...
    int runs_on = unanswered; ///< has it run all its lines?
    int local = unanswered;   ///< does a local variable of the coroutine still exist?
    int shared = unanswered;  ///< does the object that both have a shared_ptr to exist?
    int closed = unanswered;  ///< the loop is closed meanwhile: has that waited?
    // The coroutine is cancelled while all threads are busy, before the function begins.
    int begins = unanswered; ///< does it ever begin?
};

/// What you think. Defined in yours.cpp.
extern const Answers prediction;

/// Plays the scenes. Defined in program.cpp.
Answers run_program();
