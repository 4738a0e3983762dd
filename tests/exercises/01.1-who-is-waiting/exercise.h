// The questions. program.cpp finds the true answers; yours.cpp holds what you predict.
#pragma once

/// A question that you have not answered.
constexpr int unanswered = -1;

/// One number for each question. Times are in milliseconds.
struct Answers {
    // "The server's program is busy", and has not accepted the connection yet. Does the
    // call have to wait for that program? 0: no, 1: yes.
    int connect_waits = unanswered;
    int send_waits = unanswered;
    int recv_waits = unanswered;

    // "One after the other": three pages, 50 ms each.
    int one_by_one_time = unanswered; ///< How long does it take?

    // "A thread for each": three pages, three threads, and `main`, which joins them.
    int threads_time = unanswered;    ///< How long does it take?
    int threads_at_once = unanswered; ///< How many threads exist at once, with `main`'s?
    int threads_asleep = unanswered;  ///< How many of them are asleep after 25 ms?

    // "With the mutex held": the same, but each thread holds one mutex while it fetches.
    int locked_time = unanswered; ///< How long does it take?

    // "Links on the way": a thread for each page, but "/" has the links to the other two.
    int links_time = unanswered; ///< How long does it take?
};

/// What you think. Defined in yours.cpp.
extern const Answers prediction;

/// Plays all scenes, and returns what happened. Defined in program.cpp.
Answers run_program();
