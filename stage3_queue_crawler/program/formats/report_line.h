// What reports remember of each record until the end, and how they speak of it.
#pragma once

#include "common/web/url.h"
#include "stage3_queue_crawler/crawler/known_urls.h"
#include "stage3_queue_crawler/crawler/record.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace stage3 {

/// Does a dead URL make the run fail? See baseline.h.
enum class Standing : std::uint8_t {
    counts,
    known,   ///< no: it's in the baseline
    ignored, ///< no: its owner doesn't want to hear of it
};

/// "known" or "ignored"; empty if it counts.
std::string_view name_of(Standing standing);

/// What a report says about a record. It's kept until the end, so it's small.
struct ReportLine {
    explicit ReportLine(const Record& record, Standing how = Standing::counts);

    common::Url url;
    std::size_t bytes;
    int status;
    Outcome outcome;
    Standing standing;
    /// What most records don't have.
    struct More {
        std::string next_url;
        std::string error;
        std::string fragment;
        std::string nearest_id;            ///< that the page has; empty: unknown
        std::vector<MentionedOn> mentions; ///< of the fragment
        std::size_t more_mentions = 0;
    };
    std::unique_ptr<const More> more;

    /// True for a place that a page lacks; the page has a line of its own.
    bool is_fragment() const { return more && !more->fragment.empty(); }
    /// Sorted by URL; then the page comes before the fragments that it lacks.
    bool operator<(const ReportLine& other) const;
};

using ReportLines = std::deque<ReportLine>;

/// Also true for a redirect that is taken for dead: only such a redirect has an error
/// (see take_for_dead in redirects_to_mend.h).
inline bool is_dead(const ReportLine& line) {
    return is_dead(line.outcome)
           || (line.outcome == Outcome::redirect && line.more
               && !line.more->error.empty());
}

/// Dead, and neither known nor ignored.
inline bool counts_as_dead(const ReportLine& line) {
    return is_dead(line) && line.standing == Standing::counts;
}

/// Dead or unclear, whether it counts or not.
bool is_bad(const ReportLine& line);

/// More missing fragments of one page than these are told as one: scripts may have made
/// the links to them.
constexpr std::size_t most_fragments_of_page = 50;
/// Where the missing fragments of one page end that begin at `line`, and count. All of
/// them are dead, or all unclear, since they are looked for on one page.
ReportLines::const_iterator end_of_fragments(ReportLines::const_iterator line,
                                             const ReportLines::const_iterator& end);

// The texts below can be printed, whatever a server has sent: they are in ASCII, but for
// fragments, ids and the words of links, in which all that is readable stays as it is.

/// The URL, with its fragment.
std::string address(const ReportLine& line);
/// What is wrong with it.
std::string why(const ReportLine& line);
/// How pages refer to it: "img"; empty for links.
std::string_view kind_of(const ReportLine& line, const KnownUrls& urls);
/// Both: "img: HTTP status 404".
std::string kind_and_why(const ReportLine& line, const KnownUrls& urls);
/// How the page where it was first met refers to it; empty for a root.
std::string_view kind_of(const Record& record);

/// A page that has to be mended: it mentions a URL, or one that redirects there.
struct Mention {
    std::string_view page;                 ///< as long as the table, or the line, lives
    std::vector<std::string_view> through; ///< redirects, the one on the page first
    const common::LinkPlace* place;        ///< on the page; null: unknown
};
/// All that are kept, by page. A page with several places comes several times.
struct MentionsOfUrl {
    std::vector<Mention> list;
    std::size_t more_pages = 0; ///< that aren't in `list`
};
MentionsOfUrl mentions_of(const common::Url& url, const KnownUrls& urls);
MentionsOfUrl mentions_of(const ReportLine& line, const KnownUrls& urls);

/// "line 3, column 14, a="old.html", "here"": where, in which role, as it's written, and
/// in which words; without what is unknown.
std::string describe(const common::LinkPlace& place);

/// How many there are of each kind.
struct Counts {
    /// One more.
    void add(Outcome outcome, Standing standing, bool is_fragment);

    std::size_t alive = 0; ///< pages and files
    std::size_t redirects = 0;
    std::size_t dead = 0;      ///< that count, without fragments
    std::size_t fragments = 0; ///< that are missing, and count
    std::size_t known = 0;
    std::size_t ignored = 0; ///< dead or unclear
    std::size_t unclear = 0;
    std::size_t disallowed = 0;
};
Counts count(const ReportLines& lines);

/// "3 dead, 7 missing fragments, 2 known, 1 ignored, 4 unclear", without those that there
/// are none of, except for the first.
std::string describe(const Counts& counts);

} // namespace stage3
