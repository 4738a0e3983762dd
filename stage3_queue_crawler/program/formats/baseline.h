// Dead URLs that don't make a run fail: the ones that were dead before (a baseline), and
// the ones that their owner doesn't want to hear of.
#pragma once

#include "stage3_queue_crawler/crawler/record.h"
#include "stage3_queue_crawler/crawler/scope.h"
#include "stage3_queue_crawler/program/formats/report_line.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace stage3 {

/// A URL as it is written in a baseline: with its fragment, without spaces, and with
/// nothing that can't be read.
std::string baseline_name(const Record& record);

class Baseline {
  public:
    /// Reads what `write` returned: a URL per line; a line that begins with `#`
    /// is a comment. Throws std::invalid_argument, with the line's number.
    void read(std::string_view text);
    /// Reads a list of URLs, and of extended regular expressions; a line that begins with
    /// `#` is a comment. Throws std::invalid_argument, with the line's number.
    void read_ignored(std::string_view text);

    /// Judges a record, and remembers it. Each record of a crawl must come here.
    Standing standing_of(const Record& record);
    /// Judges a redirect that counts as dead, after all records have come here.
    Standing standing_of_redirect(const common::Url& url);

    /// What is in the baseline, but alive in this crawl, sorted. Places on a page count
    /// only if they were checked.
    std::vector<std::string> revived(bool fragments_were_checked) const;
    /// The text of a new baseline: all that is dead and not ignored, sorted, so that two
    /// versions can be compared line by line.
    std::string write() const;

    /// How many of the records were dead, or unclear, but don't count.
    std::size_t uncounted_dead() const { return uncounted_dead_; }
    std::size_t uncounted_unclear() const { return uncounted_unclear_; }
    /// True if the crawl couldn't even begin somewhere, as in an outage.
    bool is_root_dead() const { return is_root_dead_; }

  private:
    bool is_ignored(const std::string& name) const;
    Standing standing_of_dead(std::string name);
    bool is_of_root(const Record& record) const;
    void note_alive(const Record& record);
    void note_unclear(const std::string& name);

    enum class Now : std::uint8_t { not_met, alive, dead };
    std::map<std::string, Now, std::less<>> names_;
    std::set<std::string, std::less<>> ignored_;
    std::vector<Pattern> ignored_patterns_;
    std::set<std::string> dead_; // and not ignored
    std::size_t uncounted_dead_ = 0;
    std::size_t uncounted_unclear_ = 0;
    std::set<std::string, std::less<>> after_roots_; // where their redirects lead
    bool is_root_dead_ = false;
};

} // namespace stage3
