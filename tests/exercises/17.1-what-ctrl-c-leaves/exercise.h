// The questions. program.cpp finds the true answers; yours.cpp holds what you predict.
#pragma once

/// A question that you have not answered.
constexpr int unanswered = -1;

/// What a task that waits for the crawl sees: how it ended, or an exception.
namespace seen {
constexpr int complete = 0;
constexpr int max_pages = 1;
constexpr int timed_out = 2;
constexpr int interrupted = 3;
constexpr int cancelled = 4; ///< no value: Cancelled is thrown
} // namespace seen

struct Answers {
    // "in the middle": three workers, and Ctrl-C as soon as each of them waits for a
    // server that will send nothing more. When the crawl has ended:
    int asked = unanswered;   ///< how many requests has the server got?
    int records = unanswered; ///< how many records were written?
    int fetched = unanswered; ///< how many URLs are in the state fetched,
    int dead = unanswered;    ///< dead,
    int queued = unanswered;  ///< or queued?
    int waiting = unanswered; ///< progress().waiting: in some line, or put off
    int hidden = unanswered;  ///< is /hidden among the known URLs? 1: yes, 0: no
    int tasks = unanswered;   ///< how many tasks are still there?
    int lost = unanswered;    ///< would check_that_none_is_lost throw now? 1: yes, 0: no
    int middle = unanswered;  ///< what does the task see that waits for it? seen::...

    // "too early": the crawl's task is cancelled before its first step.
    int early = unanswered;       ///< what does the task see that waits for it? seen::...
    int early_known = unanswered; ///< how many URLs are known then?

    // "the other one": as in the middle, but the task that waits for the crawl is the
    // one that is cancelled.
    int other = unanswered; ///< what does that task see? seen::...

    // "too late": the crawl has ended by itself, and then its task is cancelled.
    int late = unanswered; ///< what does it hold? seen::...
};

/// What you think. Defined in yours.cpp.
extern const Answers prediction;

/// Plays the scenes. Defined in program.cpp.
Answers run_program();
