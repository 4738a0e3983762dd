// The questions. program.cpp finds the true answers; yours.cpp holds what you predict.
#pragma once

/// A question that you have not answered.
constexpr int unanswered = -1;

/// What can become of a URL.
constexpr int page = 1;     ///< alive, and read for links
constexpr int file = 2;     ///< alive, and not read for links
constexpr int redirect = 3; ///< neither: the visitor is sent elsewhere
constexpr int error = 4;    ///< dead: there was an answer, and it says no
constexpr int failed = 5;   ///< dead: no whole answer, or no way to one

struct Answers {
    // The first line of the answer. What becomes of
    int empty = unanswered;     ///< /empty
    int gone = unanswered;      ///< /gone
    int unchanged = unanswered; ///< /unchanged
    int odd = unanswered;       ///< /odd
    int busy = unanswered;      ///< /busy
    // Sent elsewhere. What becomes of
    int abroad = unanswered;  ///< /abroad
    int mail = unanswered;    ///< /mail
    int script = unanswered;  ///< /script
    int nowhere = unanswered; ///< /nowhere
    int itself = unanswered;  ///< /itself
    // Is that all of it? What becomes of
    int cut = unanswered;         ///< /cut
    int no_promise = unanswered;  ///< /no-promise
    int too_much = unanswered;    ///< /too-much
    int two_lengths = unanswered; ///< /two-lengths
    int packed = unanswered;      ///< /packed
    int packed_cut = unanswered;  ///< /packed-cut
    int gone_cut = unanswered;    ///< /gone-cut
    int moved_cut = unanswered;   ///< /moved-cut
    // How often is it requested?
    int asked_cut = unanswered;         ///< /cut
    int asked_two_lengths = unanswered; ///< /two-lengths
    int asked_busy = unanswered;        ///< /busy
};

/// What you think. Defined in yours.cpp.
extern const Answers prediction;

/// Crawls the site. Defined in program.cpp.
Answers run_program();
