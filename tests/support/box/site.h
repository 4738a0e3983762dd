// A small web with all that can go wrong, and the settings of a crawl of it: made from
// one number. A plain value, so that it can be told, played, and made smaller.
#pragma once

#include "tests/support/box/web.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tests::box {

/// A reference on a page.
struct Link {
    std::string url;
    std::string fragment = {}; ///< "top", which pages have, or "none", which none has
    bool is_picture = false;   ///< only to be checked
};

/// What a server has for one URL. It fails at first, if there are `failures`.
struct Resource {
    enum class Kind : std::uint8_t { page, file, redirect, error, robots, sitemap };

    Kind kind = Kind::page;
    int status = 200;
    std::string location = {}; ///< of a redirect
    Time until_head{};         ///< besides its host's latency
    Time until_body{};
    bool refuses_head = false;        ///< answers it with 405
    std::vector<Link> links = {};     ///< on a page or a sitemap
    std::vector<Reply> failures = {}; ///< before all that, in turn
    bool never_recovers = false;      ///< the last failure comes again and again
};

/// So many requests a second are answered, and at most so many at once; others get this.
struct RateLimit {
    int per_second = 1;
    int burst = 1;
    Reply refusal = {};
};

struct Host {
    Time latency = std::chrono::milliseconds(10);
    std::optional<RateLimit> limit = {};
    std::optional<Time> dies = {};   ///< from then on, no connection
    std::optional<Time> closes = {}; ///< from then on, 429 to everything
    bool forbids_no = false;         ///< robots.txt: no path below /no/
    Time crawl_delay{};              ///< robots.txt's, if it can be had
    std::string named_sitemap = {};  ///< in robots.txt
};

/// How to crawl it. Zero, or none: not set.
struct CrawlChoice {
    int workers = 10;
    int max_per_host = 0;
    int max_tries = 4;
    int order = 0; ///< as in stage3::OrderName
    int robots_at_once = 100;
    int max_pages = 0;
    std::optional<int> max_depth = {};
    Time delay{};
    Time timeout{};
    Time interrupt{}; ///< Ctrl-C
    Time dies{};      ///< the process; then another continues its crawl
    Time max_retry_after = std::chrono::seconds(60);
    Time refused_timeout = std::chrono::seconds(300);
    bool obeys_robots = true;
    bool reads_sitemaps = false;
    bool checks_foreign = false;
    bool checks_fragments = false;
    bool checks_assets = false;
};

struct Site {
    std::uint32_t seed = 0;
    std::map<std::string, Host> hosts = {};         // by name
    std::vector<std::string> roots = {};            // URLs
    std::map<std::string, Resource> resources = {}; // by URL
    CrawlChoice crawl = {};

    /// True if that host is in scope: a root is there.
    bool is_own(const std::string& host) const;
};

struct SiteOptions {
    int pages = 150;   ///< about so many
    bool fails = true; ///< servers may
};

/// The same for the same numbers, everywhere.
Site make_site(std::uint32_t seed, const SiteOptions& options = {});

/// "http://h0.test/p/1" → "h0.test", "/p/1".
std::string host_in(const std::string& url);
std::string path_in(const std::string& url);

/// In words, several lines.
std::string describe(const Site& site);
std::string describe(const Reply& reply);
/// "1.25 s".
std::string in_words(Time time);

} // namespace tests::box
