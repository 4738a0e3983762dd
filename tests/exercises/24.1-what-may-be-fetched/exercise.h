// The questions. program.cpp finds the true answers; yours.cpp holds what you predict.
#pragma once

/// A question that you have not answered.
constexpr int unanswered = -1;

/// May it be fetched?
constexpr int no = 0;
constexpr int yes = 1;

struct Answers {
    // Which rules apply to which crawler?
    int contact = unanswered;     ///< may Heron fetch /contact?
    int cart = unanswered;        ///< may Heron fetch /cart?
    int stock = unanswered;       ///< may Heron fetch /stock?
    int forum = unanswered;       ///< may Heron fetch /forum?
    int old = unanswered;         ///< may Heron fetch /old/1?
    int egret_stock = unanswered; ///< may Egret fetch /stock?
    int tern_home = unanswered;   ///< may Tern fetch /?
    int tern_cart = unanswered;   ///< may Tern fetch /cart?
    int gull_home = unanswered;   ///< may Gull fetch /?
    int gull_robots = unanswered; ///< may Gull fetch /robots.txt?
    int heron_delay = unanswered; ///< Heron's delay between two requests, in seconds
    // Which rules match? All of these are Heron's.
    int offers = unanswered;     ///< /offers.html?
    int lower_case = unanswered; ///< /private/1?
    int pdf = unanswered;        ///< /menu.pdf?
    int pdf_page = unanswered;   ///< /menu.pdf?page=2?
    int tilde = unanswered;      ///< /%7Ejoe/?
    int slash = unanswered;      ///< /band/AC%2FDC?
    // Which of the rules that match counts? Heron's, too.
    int book = unanswered;    ///< /shop/books/7?
    int draft = unanswered;   ///< /blog/draft/3?
    int picture = unanswered; ///< /pics/cat.gif?
};

/// What you think. Defined in yours.cpp.
extern const Answers prediction;

/// Reads the robots.txt. Defined in program.cpp.
Answers run_program();
