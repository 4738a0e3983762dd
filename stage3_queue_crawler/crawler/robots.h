// May this page be fetched, and how much time does the site want between two requests?
//
// A site says so in one file, robots.txt. Nobody can force a crawler to read it; those
// that don't soon find themselves locked out, and rightly. RFC 9309 says how it is read:
// whose lines count, which of two rules wins, when two spellings are the same path.
//
// Here it's text in, answers out: whoever uses this fetches the file, and decides what it
// means that there is none. Page 24 of the book.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stage3 {

/// What one site's robots.txt says to one crawler.
class Robots {
  public:
    using Duration = std::chrono::duration<double>; ///< seconds

    /// Reads a robots.txt. `text`: the bytes of the file, whatever they are; what can't
    /// be understood is passed over, line by line. Of a file larger than `max_size`, the
    /// whole lines before that count. `product_token`: the name by which the file may
    /// call this crawler, letters, "-" and "_"; what follows those, such as "/1.0", is
    /// ignored. Without any, only what is said to all crawlers counts.
    /// Source: RFC 9309 sections 2.1, 2.2 and 2.5.
    static Robots parse(std::string_view text, std::string_view product_token);

    /// As a robots.txt that says the same to everybody, for `read_text`. Of any length.
    std::string text() const;
    /// Reads what `text` has written.
    static Robots read_text(std::string_view text);

    /// For a site that has no robots.txt. Source: RFC 9309 section 2.3.1.3.
    static Robots allow_all() { return {}; }

    /// For a site whose robots.txt can't be had now. Source: RFC 9309 section 2.3.1.4.
    static Robots allow_nothing();

    /// True if the crawler may fetch it. `target`: a URL's path and query, such as
    /// "/a?b", as `common::Url::target()` has it. "/robots.txt" is always allowed.
    ///
    /// This takes a few milliseconds at most, since the event loop waits meanwhile. To
    /// a file that would need more than `max_steps`, the answer is the cautious one:
    /// false, unless one of its longest rules, which are judged first, allows it.
    /// Source: RFC 9309 sections 2.2.2 and 2.2.3.
    bool allows(std::string_view target) const;

    /// The least time that the site wants between two requests, in seconds: the longest
    /// of those that it names in "Crawl-delay" lines to this crawler, and never longer
    /// than `longest_delay`. Nothing: it names none.
    /// Source: none. The line is a custom, older than RFC 9309, which leaves it out.
    std::optional<Duration> crawl_delay() const { return delay_; }

    /// How much memory the rules take, in bytes, about.
    std::size_t memory() const;

    /// Of a file, that much is read, in bytes. RFC 9309 section 2.5 asks for 500 KiB.
    static constexpr std::size_t max_size = 512 * 1024;
    /// So many comparisons are made for rules with '*', and one answer. A tenth of that
    /// is enough for 5,000 of them, and a target of 2,083 characters.
    static constexpr std::size_t max_steps = 1'000'000;
    static constexpr Duration longest_delay{1e6}; ///< 11 days: as good as forever

  private:
    friend class RobotsReader; // in robots.cpp

    struct Rule {
        std::string pattern; // in normal form, see robots.cpp
        bool allows;

        friend bool operator==(const Rule&, const Rule&) = default;
    };

    std::vector<Rule> rules_; // in the order in which they count
    std::optional<Duration> delay_;
};

} // namespace stage3
