// The questions. program.cpp finds the true answers; yours.cpp holds what you predict.
#pragma once

/// A question that you have not answered.
constexpr int unanswered = -1;

/// What can become of a URL.
namespace outcome {
constexpr int no_record = 0;
constexpr int page = 1;
constexpr int file = 2;
constexpr int redirect = 3;
constexpr int error = 4;
constexpr int failed = 5;
} // namespace outcome

/// URLs, for the questions that ask for one.
namespace site {
constexpr int root = 0;  ///< /
constexpr int moved = 1; ///< /moved
constexpr int shop = 2;  ///< /shop
constexpr int news = 3;  ///< /news
} // namespace site

struct Answers {
    // The crawl from "/".
    int asked_news = unanswered;      ///< how often is /news requested?
    int circle = unanswered;          ///< how often /here and /there, together?
    int abroad = unanswered;          ///< what becomes of /abroad? outcome::...
    int depth_of_news = unanswered;   ///< how deep is /news?
    int parent_of_shop = unanswered;  ///< where was /shop found? site::...
    int parent_of_today = unanswered; ///< and /today? site::...
    int depth_of_today = unanswered;  ///< how deep is /today?
    int third = unanswered;           ///< what becomes of /3? outcome::...
    int asked_four = unanswered;      ///< how often is /4 requested?
    int dead = unanswered;            ///< how many URLs are dead?
    int records = unanswered;         ///< how many records are there?
    // A second crawl of the same site, from "/1".
    int alone = unanswered; ///< how many records are there?
};

/// What you think. Defined in yours.cpp.
extern const Answers prediction;

/// Crawls the site. Defined in program.cpp.
Answers run_program();
