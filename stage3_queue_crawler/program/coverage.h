// Was anything checked, as the user has asked?
//
// A site moves to another name, and leaves a redirect. A nightly crawl of the old name
// finds nothing dead: it follows the redirect out of its scope, and ends. So a crawl that
// has checked nothing is no success, and says what to type instead. Page 32 of the book.
#pragma once

#include "common/web/url.h"
#include "stage3_queue_crawler/crawler/record.h"
#include "stage3_queue_crawler/crawler/scope.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace stage3 {

class Coverage {
  public:
    /// `searched`: roots that the user wants searched for links. Of any other, it's
    /// enough that they are alive.
    explicit Coverage(std::set<common::Url> searched) : searched_(std::move(searched)) {}

    void record(const Record& record);

    /// Why nothing was checked, in printable ASCII; empty if something was. `roots`: all
    /// of them; `scope`: null if it's unknown.
    std::string why_nothing(const std::vector<common::Url>& roots,
                            const Scope* scope) const;

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
    bool is_anything_alive() const;
    std::string describe(const common::Url& root, const Scope* scope) const;

    std::set<common::Url> searched_;
    std::map<common::Url, Seen> seen_;
    std::optional<common::Url> first_; // of these
    bool has_checked_ = false;
};

} // namespace stage3
