// May this page be fetched, and how much time does the site want between two requests?
//
// A site says so in one file, robots.txt. No one can force a crawler to read it. Those
// that don't soon find themselves locked out, and rightly. RFC 9309 says how to read it:
// whose lines count, which of two rules wins, when two spellings are the same path.
//
// This is text in, answers out: the caller fetches the file, and decides what it means if
// there is none. Page 24 of the book.
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

    /// Reads a robots.txt. `text`: the bytes of the file, whatever they are; lines that
    /// can't be understood are skipped. Of a file larger than `max_size`, only the whole
    /// lines before that point count. `product_token`: the name that the file may use for
    /// this crawler, made of letters, "-" and "_"; what follows those, such as "/1.0", is
    /// ignored. If it's empty, only the rules for all crawlers count.
    /// Source: RFC 9309 sections 2.1, 2.2 and 2.5.
    static Robots parse(std::string_view text, std::string_view product_token);

    /// As a robots.txt that says the same to everyone, for `read_text`. Of any length.
    std::string text() const;
    /// Reads what `text` has written.
    static Robots read_text(std::string_view text);

    /// For a site that has no robots.txt. Source: RFC 9309 section 2.3.1.3.
    static Robots allow_all() { return {}; }

    /// For a site whose robots.txt can't be had now. Source: RFC 9309 section 2.3.1.4.
    static Robots allow_nothing();

    /// True if the crawler may fetch `target`, a URL's path and query, such as "/a?b", as
    /// `common::Url::target()` returns it. "/robots.txt" is always allowed.
    ///
    /// This takes a few milliseconds at most, because the event loop waits meanwhile. For
    /// a file that would need more than `max_steps`, the answer is the cautious one:
    /// false, unless one of its longest rules, which are checked first, allows it.
    /// Source: RFC 9309 sections 2.2.2 and 2.2.3.
    bool allows(std::string_view target) const;

    /// The least time that the site wants between two requests, in seconds: the longest
    /// one in its "Crawl-delay" lines for this crawler, and at most `longest_delay`.
    /// Nothing if there is no such line.
    /// Source: none. The line is a convention older than RFC 9309, which leaves it out.
    std::optional<Duration> crawl_delay() const { return delay_; }

    /// The sitemaps that the file names, whichever crawler it speaks to; as they are
    /// written there. Source: https://www.sitemaps.org/protocol.html#submit_robots
    const std::vector<std::string>& sitemaps() const { return sitemaps_; }

    /// Roughly how much memory the rules take, in bytes.
    std::size_t memory() const;

    /// How much of a file is read, in bytes. RFC 9309 section 2.5 asks for 500 KiB.
    static constexpr std::size_t max_size = 512 * 1024;
    /// How many comparisons one answer may take, for rules with '*'. A tenth of that is
    /// enough for 5,000 such rules and a target of 2,083 characters.
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
    std::vector<std::string> sitemaps_; // not in `text`
};

} // namespace stage3
