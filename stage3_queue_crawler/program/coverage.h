// Was anything checked, as the user has asked?
//
// A site moves to another name, and leaves a redirect. A nightly crawl of the old name
// finds nothing dead: it follows the redirect out of its scope, and ends. So a crawl that
// has checked nothing is no success, and says what to type instead. Page 32 of the book.
#pragma once

#include "common/web/url.h"
#include "stage3_queue_crawler/crawler/record.h"
#include "stage3_queue_crawler/crawler/scope.h"

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace stage3 {

class Coverage {
  public:
    /// `searched`: how many roots, at most, the user wants searched for links. Of any
    /// other, it's enough that it's alive.
    explicit Coverage(std::size_t searched) : searched_(searched) {}

    /// Is it something that was checked? Each record of a crawl must come here, until one
    /// is. The others are kept, to explain them at the end.
    bool has_checked_with(const Record& record);

    /// Where a crawl began.
    struct Roots {
        std::vector<common::Url> all;
        std::set<common::Url> searched = {}; ///< those to be searched for links
    };
    /// Why nothing was checked, in printable ASCII; empty if something was. `scope`: null
    /// if it's unknown.
    std::string why_nothing(const Roots& roots, const Scope* scope) const;

  private:
    /// What became of a URL, until something was checked.
    struct Seen {
        Outcome outcome;
        int status;
        std::string next_url;
        std::string error;
        std::string content_type;
    };

    const Seen* find(const common::Url& url) const;
    std::vector<const common::Url*> way_from(const common::Url& root) const;
    bool is_result(const Record& record) const;
    void keep(const Record& record);
    bool is_anything_alive(const Roots& roots) const;
    std::string describe(const common::Url& root, const Scope* scope) const;

    const std::size_t searched_;
    std::size_t roots_without_links_ = 0; // but alive
    std::map<common::Url, Seen> seen_;
    std::optional<common::Url> first_; // of these
    bool has_checked_ = false;
};

} // namespace stage3
