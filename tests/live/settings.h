// What a reader can change in a crawl of a made-up site, and what has come of it: both as
// text, too, since a page and a test pass nothing else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tests::live {

/// How long the site's answers take.
enum class Answers : std::uint8_t {
    alike,
    by_chance, ///< from half to one and a half times as long; each page has its own time
    one_slow,  ///< page 2 takes six times as long as the others
};

/// Which queue the workers share.
enum class WhichQueue : std::uint8_t {
    book,
    losing, ///< the book's, but what a cancelled getter was given doesn't come back
};

struct Settings {
    int workers = 3;
    int latency = 50; ///< of an answer, in milliseconds
    int pages = 12;
    int links = 3; ///< on each page, as long as there are pages
    int room = 0;  ///< in the queue, for so many items; 0: for any number
    Answers answers = Answers::alike;
    WhichQueue queue = WhichQueue::book;
    int ask = 0; ///< the number of the worker that is asked to end; 0: nobody is
    /// It's asked while this line of the trace is written. The loop writes the second
    /// line, and hears requests from the third on, until its last turn. Later, a request
    /// has no effect.
    int at = 3;

    friend bool operator==(const Settings&, const Settings&) = default;
};

/// Reads settings such as "workers=2 room=1 answers=by_chance"; what isn't named stays as
/// it is in `Settings`. Throws std::invalid_argument, with a message for people, if a
/// name is unknown or given twice, or if its value isn't one of those that it may have.
Settings read_settings(std::string_view text);

/// All settings in one line, as a JSON object: what each may be, and what it usually is.
/// (`ask` may be no more than `workers` is, too.)
std::string describe_settings();

/// What has come of a crawl.
struct Outcome {
    bool hangs = false;      ///< all tasks wait, and nothing will ever happen
    std::size_t found = 0;   ///< pages that it has seen a link to
    std::size_t fetched = 0; ///< of these
    std::size_t lost = 0;    ///< items that came into the queue and that nobody has now
    long milliseconds = 0;   ///< of the site's time, and 0.001 for each line of the trace
    std::size_t steps = 0;   ///< lines of the trace
};

/// In one line, as a JSON object.
std::string describe(const Outcome& outcome);

} // namespace tests::live
