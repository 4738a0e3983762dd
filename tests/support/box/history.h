// What servers have told one process of a crawl, and what follows from it by the rules:
// for the oracle.
#pragma once

#include "tests/support/box/play.h"
#include "tests/support/box/site.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tests::box {

/// Why a URL is asked for.
enum class Reason : std::uint8_t { follow, check, foreign };

/// What must become of a URL.
struct Fate {
    std::string outcome; ///< as stage3::name_of says it
    int status = 0;
    int tries = 0;
    std::string next = {}; ///< where a redirect leads

    std::string describe() const;
};

/// From `begin` to `end`, this host must not be asked, because of what it said to `url`.
struct Hold {
    Time begin{};
    Time end{};
    std::string url = {};
};

/// What a URL's requests say.
struct Replayed {
    std::optional<Fate> fate =
        {};                    ///< none: it must be asked again, unless the crawl ends
    int tries = 0;             ///< that have failed
    bool is_cut_short = false; ///< the crawl ended while it was being asked
    std::vector<Hold> holds = {};
    std::vector<std::string> faults = {};
};

/// A request to a foreign host, which puts up with more or less.
struct Turn {
    Time pause{}; ///< from the end of the one before it
    bool is_excused =
        false; ///< its answer may be due to a short pause: it may come again
};

/// What an origin's robots.txt has said, and when.
struct Rules {
    enum class Kind : std::uint8_t { rules, all_allowed, nothing_allowed, failed };
    Kind kind = Kind::rules;
    Time known{};
};

/// The seconds of Retry-After; 0 if there is none.
std::chrono::seconds retry_after(const Reply& reply);
/// True if a server says that we are too fast, and nothing about the URL.
bool is_refusal(const Reply& reply);
/// True if a foreign server says nothing about the URL with it.
bool is_unclear(const Reply& reply);
/// True if it's a whole page of HTML.
bool is_whole_page(const Reply& reply);
/// True if there is an answer with a head.
bool has_head(const Request& request);
/// True for what doesn't pass through a host's gate: robots.txt and sitemaps.
bool is_aside(const Site& site, const std::string& url);

class History {
  public:
    History(const Site& site, const Played& played, std::size_t process);

    const std::vector<const Request*>& all() const { return requests_; }
    /// The requests for a URL.
    const std::vector<const Request*>& of(const std::string& url) const;
    const std::map<std::string, std::vector<const Request*>>& by_host() const {
        return by_host_;
    }

    Replayed replay(const std::string& url, Reason reason) const;
    /// What robots.txt said each time that it was asked for.
    const std::vector<Rules>& rules_of(const std::string& host) const;
    /// Of a request to a foreign host, if it isn't for something aside.
    const Turn& turn_of(const Request& request) const { return turns_.at(&request); }
    /// True if a link names a place there, or redirects bring such a link: then a check
    /// may search the page, instead of a HEAD or after it.
    bool may_be_searched(const std::string& url) const { return searched_.contains(url); }
    /// When a host is to be asked nothing more; none: never.
    std::optional<Time> end_of(const std::string& host) const;

  private:
    void read_rules(const std::string& host);
    void find_end(const std::string& host);
    void find_turns(const std::string& host);
    void find_searched();

    const Site& site_;
    const CrawlChoice& crawl_;
    std::vector<const Request*> requests_;
    std::map<std::string, std::vector<const Request*>> by_url_;
    std::map<std::string, std::vector<const Request*>> by_host_;
    std::map<std::string, std::vector<Rules>> rules_; // by host
    std::map<std::string, Time> ends_;                // by host
    std::map<const Request*, Turn> turns_;
    std::set<std::string> searched_; // URLs
};

} // namespace tests::box
