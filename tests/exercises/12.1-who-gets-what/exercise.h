// The questions. program.cpp finds the true answers; yours.cpp holds what you predict.
#pragma once

/// A question that you have not answered.
constexpr int unanswered = -1;

/// What has been recorded at the end, as one number?
struct Answers {
    int orders = unanswered; ///< "fifo, then lifo": 2, 1, 3 are put into each
    int newcomer =
        unanswered; ///< "a newcomer": which getter gets 7? The waiting one notes 7; the
                    ///< newcomer notes 8, or 9 if it finds the queue empty
    int cancelled = unanswered; ///< "the served one is cancelled": each getter notes its
                                ///< own number (1, 2 or 3) before the item (7 or 8)
    int room = unanswered; ///< "room for one": the items in the order in which they leave
    int joined = unanswered; ///< "when does join return": 1 an item is taken, 2
                             ///< task_done, 5 joined
    int links = unanswered;  ///< "links after task_done": the worker's page has a link.
                             ///< What is noted: 1 and 2 for the pages fetched, 5 joined
};

/// What you think. Defined in yours.cpp.
extern const Answers prediction;

/// Plays the scenes. Defined in program.cpp.
Answers run_program();
