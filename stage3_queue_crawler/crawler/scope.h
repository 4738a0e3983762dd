// Which URLs belong to this crawl?
//
// Stages 1 and 2 keep to one host. Here the user has a say: how far the crawl may go from
// its roots, and what to leave out. Every URL is asked about before it's fetched, the
// targets of redirects, too: a server could send the crawler anywhere with one line.
#pragma once

#include "common/web/url.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <regex.h>

namespace stage3 {

/// A regular expression, of POSIX's extended kind. (Not std::regex: that one recurses,
/// and GCC 12's overflows the stack on a long URL.)
/// Source: man 7 regex.
class Pattern {
  public:
    /// Throws std::invalid_argument, which says what is wrong with the text.
    explicit Pattern(const std::string& text);

    /// True if it's found anywhere in `text`. The time that this takes can grow with the
    /// square of the length, and more: to look for "a.*a.*a.*z" among 8,000 letters `a`
    /// takes a tenth of a second.
    bool is_found_in(const char* text) const;

  private:
    struct Free {
        void operator()(regex_t* compiled) const {
            regfree(compiled);
            delete compiled;
        }
    };
    std::unique_ptr<regex_t, Free> compiled_;
};

/// How far from a root.
enum class Reach : std::uint8_t {
    prefix, ///< beneath the root's folder, whether by http or https
    host,   ///< on its host, at any port; a leading "www." makes no difference
    domain, ///< that, and on any host with the same registrable_domain
};

/// As `--scope` has it, and as processes that share a crawl tell each other.
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
    /// `included`: if there are any, one of them must be found in a URL. `excluded`: none
    /// of them may be.
    Scope(Reach reach, const std::vector<common::Url>& roots,
          std::vector<Pattern> excluded = {}, std::vector<Pattern> included = {});

    bool contains(const common::Url& url) const;
    /// True if the user has excluded it. Of roots, only this is asked.
    bool excludes(const common::Url& url) const;

  private:
    bool is_near(const common::Url& url) const;

    Reach reach_;
    std::vector<std::string> places_;  // of the roots: folders or hosts
    std::vector<std::string> domains_; // of the roots, where they count
    std::vector<Pattern> excluded_;
    std::vector<Pattern> included_;
};

} // namespace stage3
