// Which URLs belong to this crawl?
//
// Stages 1 and 2 keep to one host. Here the user decides how far the crawl may go from
// its roots, and what to leave out. Every URL is checked before it's fetched, including
// the targets of redirects: a server could send the crawler anywhere with one line.
#pragma once

#include "common/web/url.h"
#include "stage3_queue_crawler/crawler/pattern.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace stage3 {

/// How far from a root a crawl may go.
enum class Reach : std::uint8_t {
    prefix, ///< below the root's folder, by http or https
    host,   ///< on its host, at any port; a leading "www." makes no difference
    domain, ///< on that host, or any with the same registrable_domain
};

/// The name that `--scope` takes, and that processes sharing a crawl exchange.
constexpr std::string_view name_of(Reach reach) {
    switch (reach) {
    case Reach::prefix: return "prefix";
    case Reach::domain: return "domain";
    case Reach::host: break;
    }
    return "host";
}

class Scope {
  public:
    /// `included`: if there are any, a URL must match one of them. `excluded`: it must
    /// match none of them.
    Scope(Reach reach, const std::vector<common::Url>& roots,
          std::vector<Pattern> excluded = {}, std::vector<Pattern> included = {});

    /// "http://www.h:81/docs/a.html?q" → "h:81/docs/a.html?q": as this class compares
    /// URLs.
    static std::string place_of(const common::Url& url);
    /// "http://h/docs/a.html?q" → "h/docs/".
    static std::string folder_of(const common::Url& url);

    /// From now on, a prefix is one of these URLs' folders. Before the crawl begins.
    void begin_in_folders_of(const std::vector<common::Url>& urls);

    Reach reach() const { return reach_; }
    bool contains(const common::Url& url) const;
    /// True if it's too far from the roots, and the user hasn't excluded it.
    bool is_foreign(const common::Url& url) const {
        return !is_near(url) && !excludes(url);
    }
    /// True if a server with that name, at any port, is a root's.
    bool is_own_host(const common::Url& url) const {
        return hosts_.contains(common::without_www(url.host()));
    }
    /// True if the user has excluded it. This is the only check for roots.
    bool excludes(const common::Url& url) const;
    /// The same for a place on it: patterns are looked for in the URL with its fragment.
    bool excludes(const common::Url& url, std::string_view fragment) const;
    /// False if `excludes` is, for anything.
    bool has_exclusions() const { return !excluded_.empty(); }

    /// True if a root has the same origin: the user has named that server.
    bool is_of_root(const common::Url& url) const {
        return origins_.contains(url.origin());
    }
    /// True for a server that isn't the user's choice, whatever is excluded there.
    bool is_elsewhere(const common::Url& url) const {
        return !is_near(url) && !is_own_host(url);
    }

  private:
    bool is_near(const common::Url& url) const;

    Reach reach_;
    // A list of roots may have thousands of hosts, and each link is looked up here.
    using Places = std::set<std::string, std::less<>>;
    Places places_; // the roots' folders or hosts
    Places hosts_;
    Places domains_; // the roots' domains, if Reach::domain
    Places origins_; // the roots'
    std::vector<Pattern> excluded_;
    std::vector<Pattern> included_;
};

} // namespace stage3
