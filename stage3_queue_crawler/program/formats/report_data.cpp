#include "stage3_queue_crawler/program/formats/report_data.h"

#include "common/text/join.h"
#include "common/web/readable_text.h"
#include "stage3_queue_crawler/crawler/url_name.h"
#include "stage3_queue_crawler/program/formats/escape.h"
#include "stage3_queue_crawler/program/formats/natural_order.h"
#include "stage3_queue_crawler/program/formats/redirects_to_mend.h"
#include "stage3_queue_crawler/program/formats/report_text.h"
#include "stage3_queue_crawler/program/formats/shortfalls.h"

#include <fmt/core.h>

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace stage3 {
namespace {

// [in-script]
/// JSON that can't end the script element that it's in.
std::string in_script(std::string_view text) {
    std::string out;
    for (const char c : as_json(common::readable(text)))
        if (c == '<' || c == '>')
            out += c == '<' ? "\\u003c" : "\\u003e";
        else
            out += c;
    return out;
}
// [/in-script]

std::string in_brackets(const std::vector<std::string>& items,
                        std::string_view between = ",") {
    return '[' + common::join(items, between) + ']';
}

/// Each text once, with a number; that of the empty one is 0.
class Texts {
  public:
    Texts() { number_of(""); }
    std::size_t number_of(std::string_view text) {
        const auto [at, is_new] = numbers_.emplace(text, texts_.size());
        if (is_new)
            texts_.push_back(in_script(text));
        return at->second;
    }
    std::string list() const { return in_brackets(texts_); }

  private:
    std::map<std::string, std::size_t, std::less<>> numbers_;
    std::vector<std::string> texts_;
};

/// Pages that mention something, each once, with a number in their natural order.
class Pages {
  public:
    void note(const MentionsOfUrl& mentions) {
        for (const Mention& mention : mentions.list)
            numbers_.try_emplace(mention.page, 0);
    }
    /// When all are noted.
    void count() {
        for (const auto& [page, number] : numbers_)
            sorted_.push_back(page);
        std::ranges::sort(sorted_, comes_before);
        for (std::size_t i = 0; i < sorted_.size(); ++i)
            numbers_[sorted_[i]] = i;
    }
    std::size_t number_of(std::string_view page) const { return numbers_.at(page); }
    std::string list() const {
        std::vector<std::string> urls;
        urls.reserve(sorted_.size());
        for (const std::string_view page : sorted_)
            urls.push_back(in_script(page));
        return in_brackets(urls, ",\n");
    }

  private:
    std::unordered_map<std::string_view, std::size_t> numbers_;
    std::vector<std::string_view> sorted_;
};

/// What mentions of a URL on many pages have in common: its words in the navigation, and
/// the redirects on the way.
struct Manner {
    std::vector<std::string_view> way;
    bool has_place;
    std::string text = {};
    std::string_view href = {};
    std::string_view role = {};
    auto operator<=>(const Manner&) const = default;
};
struct Spot {
    std::size_t page;
    std::uint32_t line;
    std::uint32_t column;
    auto operator<=>(const Spot&) const = default;
};

Manner manner_of(const Mention& mention) {
    if (mention.place == nullptr)
        return {.way = mention.through, .has_place = false};
    return {.way = mention.through,
            .has_place = true,
            .text = mention.place->text(),
            .href = mention.place->href(),
            .role = common::name_of(mention.place->role())};
}

class DataWriter {
  public:
    DataWriter(const Summary& summary, const ReportLines& lines)
        : summary_(summary), lines_(in_natural_order(lines)),
          mend_(redirects_to_mend(lines, summary.urls)) {
        for (const ReportLine* const line : lines_)
            if (is_bad(*line))
                pages_.note(mentions_of(*line, summary.urls));
        for (const RedirectToMend& redirect : mend_)
            pages_.note(mentions_of(redirect.url, summary.urls));
        pages_.count();
    }

    std::string rows() {
        std::vector<std::string> rows;
        rows.reserve(lines_.size());
        for (const ReportLine* const line : lines_)
            if (!line->is_fragment())
                rows.push_back(row_of(*line));
        return in_brackets(rows, ",\n");
    }

    /// By target page: its URL, what is wrong, its fragments, and their outcome if they
    /// aren't dead.
    std::string fragments() {
        std::vector<std::string> targets;
        for (std::size_t i = 0; i < lines_.size();) {
            const ReportLine& first = *lines_[i];
            if (!first.is_fragment()) {
                ++i;
                continue;
            }
            std::vector<std::string> rows;
            for (; i < lines_.size() && lines_[i]->url == first.url; ++i)
                rows.push_back(row_of_fragment(*lines_[i]));
            targets.push_back(fmt::format(
                "[{},{},{}{}]", in_script(name_of(first.url)),
                texts_.number_of(for_terminal(first.more->error)),
                in_brackets(rows, ",\n"),
                is_dead(first) ? ""
                               : fmt::format(",{}", static_cast<int>(first.outcome))));
        }
        return in_brackets(targets, ",\n");
    }

    std::string mend() {
        std::ranges::sort(mend_, [](const RedirectToMend& a, const RedirectToMend& b) {
            return comes_before(name_of(a.url), name_of(b.url));
        });
        std::vector<std::string> rows;
        rows.reserve(mend_.size());
        for (const RedirectToMend& redirect : mend_)
            rows.push_back(row_of(redirect));
        return in_brackets(rows, ",\n");
    }

    std::string texts() const { return texts_.list(); }
    std::string pages() const { return pages_.list(); }

  private:
    /// An array. What most rows don't have is at its end.
    std::string row_of(const ReportLine& line) {
        std::string row =
            fmt::format("[{},{},{},{}", static_cast<int>(line.outcome), line.status,
                        line.bytes, in_script(name_of(line.url)));
        if (line.more)
            row += fmt::format(",{},{},{}", texts_.number_of(why(line)),
                               in_script(name_of_url(line.more->next_url)),
                               static_cast<int>(line.standing));
        if (line.more && is_bad(line)) {
            row += fmt::format(",{},", texts_.number_of(kind_of(line, summary_.urls)));
            row += mentions(mentions_of(line, summary_.urls));
        }
        return row + ']';
    }

    std::string row_of_fragment(const ReportLine& line) {
        const std::string& nearest = line.more->nearest_id;
        return fmt::format(
            "[{},{},{}{}{}]", in_script(line.more->fragment),
            static_cast<int>(line.standing), mentions(mentions_of(line, summary_.urls)),
            nearest.empty() ? "" : ",", nearest.empty() ? "" : in_script(nearest));
    }

    std::string row_of(const RedirectToMend& redirect) {
        std::vector<std::string> hops;
        hops.reserve(redirect.leads_to.size());
        for (const std::string& hop : redirect.leads_to)
            hops.push_back(in_script(name_of_url(hop)));
        std::vector<std::string> statuses;
        statuses.reserve(redirect.statuses.size());
        for (const int status : redirect.statuses)
            statuses.push_back(std::to_string(status));
        const std::string ends = redirect.ends.empty() ? "" : "ends in " + redirect.ends;
        return fmt::format("[{},{},{},{},{}]", in_script(name_of(redirect.url)),
                           in_brackets(hops), in_brackets(statuses), in_script(ends),
                           mentions(mentions_of(redirect.url, summary_.urls)));
    }

    /// "2,0,[[[],[3,1]]]": how many pages are known, how many more there are, and for
    /// each manner its spots: the redirects, then the pages' numbers; or if the places
    /// are known, also the words, the reference and the role, and with each page its line
    /// and column. All numbers of spots are differences to those before, so most are
    /// short.
    std::string mentions(const MentionsOfUrl& mentions) {
        std::map<Manner, std::vector<Spot>> spots;
        std::vector<std::size_t> numbers;
        for (const Mention& mention : mentions.list) {
            const std::size_t page = pages_.number_of(mention.page);
            const bool is_known = mention.place != nullptr;
            spots[manner_of(mention)].push_back(
                {.page = page,
                 .line = is_known ? mention.place->line() : 0,
                 .column = is_known ? mention.place->column() : 0});
            numbers.push_back(page);
        }
        std::ranges::sort(numbers);
        const auto repeated = std::ranges::unique(numbers);
        numbers.erase(repeated.begin(), repeated.end());
        std::vector<std::string> groups;
        groups.reserve(spots.size());
        for (auto& [manner, list] : spots)
            groups.push_back(group_of(manner, list));
        return fmt::format("{},{},{}", numbers.size(), mentions.more_pages,
                           in_brackets(groups));
    }

    std::string group_of(const Manner& manner, std::vector<Spot>& spots) {
        std::ranges::sort(spots);
        std::vector<std::string> way;
        way.reserve(manner.way.size());
        for (const std::string_view redirect : manner.way)
            way.push_back(std::to_string(texts_.number_of(redirect)));
        std::string text = '[' + in_brackets(way) + ",[";
        Spot last{.page = 0, .line = 0, .column = 0};
        for (const Spot& spot : spots) {
            text += fmt::format("{},", spot.page - last.page);
            if (manner.has_place)
                text += fmt::format("{},{},", std::int64_t{spot.line} - last.line,
                                    std::int64_t{spot.column} - last.column);
            last = spot;
        }
        text.back() = ']';
        if (manner.has_place)
            for (const std::string_view part :
                 {std::string_view(manner.text), manner.href, manner.role})
                text += fmt::format(",{}", texts_.number_of(part));
        return text + ']';
    }

    const Summary& summary_;
    std::vector<const ReportLine*> lines_;
    std::vector<RedirectToMend> mend_;
    Texts texts_;
    Pages pages_;
};

} // namespace

std::string report_data(const Summary& summary, const ReportLines& lines,
                        const ReportOptions& options) {
    DataWriter writer(summary, lines);
    std::vector<std::string> outcomes;
    for (int i = 0; i <= static_cast<int>(Outcome::unclear); ++i)
        outcomes.push_back(in_script(name_of(static_cast<Outcome>(i))));
    std::string text =
        fmt::format("{{\"origin\":{},\"isShared\":{},\"isComplete\":{},\"outcomes\":{}",
                    in_script(origin_of_most(lines)), options.is_shared,
                    shortfalls_of(summary).empty(), in_brackets(outcomes));
    text += ",\n\"rows\":" + writer.rows();
    text += ",\n\"fragments\":" + writer.fragments();
    text += ",\n\"mend\":" + writer.mend();
    text += ",\n\"texts\":" + writer.texts(); // the rows have added to these
    return text + ",\n\"pages\":" + writer.pages() + '}';
}

} // namespace stage3
