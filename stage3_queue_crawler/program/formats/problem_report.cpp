#include "stage3_queue_crawler/program/formats/problem_report.h"

#include "common/text/counted.h"
#include "stage3_queue_crawler/crawler/url_name.h"
#include "stage3_queue_crawler/program/formats/escape.h"
#include "stage3_queue_crawler/program/formats/orphans.h"
#include "stage3_queue_crawler/program/formats/paint.h"
#include "stage3_queue_crawler/program/formats/redirects_to_mend.h"
#include "stage3_queue_crawler/program/formats/shortfalls.h"
#include "stage3_queue_crawler/program/formats/text_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace stage3 {
namespace {

/// How many pages of a URL a person sees at once.
constexpr std::size_t most_pages = 3;

/// Breaks a line between words. What is too long for one stays whole, since a URL that is
/// cut can't be copied.
class Lines {
  public:
    Lines(std::string& text, std::size_t columns) : text_(text), columns_(columns) {}

    using Colour = std::string (Paint::*)(std::string_view) const;

    /// Adds one, of which what doesn't fit is two columns further to the right.
    void add(std::size_t indent, std::string_view words,
             const Paint& paint = Paint(false), Colour colour = nullptr) {
        const auto painted = [&](std::string_view line) {
            return colour == nullptr ? std::string(line) : (paint.*colour)(line);
        };
        std::string line;
        while (!words.empty()) {
            const auto end = std::min(words.find(' '), words.size());
            const std::string_view word = words.substr(0, end);
            words.remove_prefix(std::min(end + 1, words.size()));
            if (columns_ > 0 && !line.empty()
                && indent + width(line) + 1 + width(word) > columns_) {
                text_ += std::string(indent, ' ') + painted(line) + '\n';
                if (!is_continued_)
                    indent += 2;
                is_continued_ = true;
                line.clear();
            }
            line += (line.empty() ? "" : " ") + std::string(word);
        }
        is_continued_ = false;
        text_ += std::string(indent, ' ') + painted(line) + '\n';
    }

  private:
    /// In characters; those that take two columns are rare in what is printed here.
    static std::size_t width(std::string_view text) {
        return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) {
            return (static_cast<unsigned char>(c) & 0xc0U) != 0x80;
        }));
    }

    std::string& text_;
    std::size_t columns_;
    bool is_continued_ = false;
};

bool is_unclear(const ReportLine& line) {
    return line.outcome == Outcome::unclear && line.standing == Standing::counts;
}
bool is_dead_url(const ReportLine& line) {
    return counts_as_dead(line) && !line.is_fragment();
}
bool is_missing_fragment(const ReportLine& line) {
    return counts_as_dead(line) && line.is_fragment();
}

class ProblemReport {
  public:
    ProblemReport(const ReportLines& lines, const Summary& crawl,
                  const ReportOptions& options)
        : records_(lines), crawl_(crawl), options_(options), paint_(options.has_colours),
          lines_(text_, options.columns) {}

    std::string write() {
        if (options_.show == Show::pages)
            list_pages();
        else
            list_urls();
        list_what_was_asked_for();
        list_shortfalls();
        list_sums();
        return std::move(text_);
    }

  private:
    /// An empty line between two parts, and the part's name.
    void begin(std::string_view heading) {
        text_ += text_.empty() ? "" : "\n";
        lines_.add(0, heading, paint_, &Paint::bold);
    }

    void list_urls() {
        list("Dead:", &Paint::red, is_dead_url);
        list("Missing fragments:", &Paint::red, is_missing_fragment);
        list("Unclear:", &Paint::yellow, is_unclear);
        if (has_more_pages_ && options_.is_shared)
            add_part("(A crawl that is shared keeps ten pages of each URL.)\n");
    }

    template <class IsWanted>
    void list(std::string_view heading, Lines::Colour colour, IsWanted is_wanted) {
        bool is_first = true;
        for (auto line = records_.begin(); line != records_.end(); ++line) {
            if (!is_wanted(*line))
                continue;
            if (std::exchange(is_first, false))
                begin(heading);
            const auto end = end_of_fragments(line, records_.end());
            if (static_cast<std::size_t>(end - line) > most_fragments_of_page) {
                lines_.add(2, describe_many(line, end), paint_, colour);
                line = end - 1;
            } else {
                describe_one(*line, colour);
            }
        }
    }

    using Record = ReportLines::const_iterator;

    static std::string describe_many(const Record& first, const Record& end) {
        return fmt::format("{}: {} missing fragments, such as #{} and #{} (made by "
                           "scripts?)",
                           name_of(first->url), end - first, first->more->fragment,
                           (end - 1)->more->fragment);
    }

    void describe_one(const ReportLine& line, Lines::Colour colour) {
        lines_.add(2, address(line), paint_, colour);
        lines_.add(4, kind_and_why(line, crawl_.urls));
        if (const std::string advice = advice_on(line, crawl_.urls); !advice.empty())
            lines_.add(4, advice);
        const MentionsOfUrl mentions = mentions_of(line, crawl_.urls);
        has_more_pages_ = has_more_pages_ || mentions.more_pages > 0;
        for (const std::string& page : describe_pages(mentions, most_pages))
            lines_.add(4, page, paint_, &Paint::faint);
    }

    /// What is wrong on a page: each link with its place.
    struct OnPage {
        const ReportLine* line;
        const common::LinkPlace* place;
        std::vector<std::string_view> through;
        std::size_t number; ///< of all links
    };

    void list_pages() {
        std::map<std::string_view, std::vector<OnPage>> pages;
        bool are_all = true;
        std::size_t number = 0;
        for (const ReportLine& line : records_) {
            if (!counts_as_dead(line) && !is_unclear(line))
                continue;
            MentionsOfUrl mentions = mentions_of(line, crawl_.urls);
            are_all = are_all && mentions.more_pages == 0;
            if (mentions.list.empty())
                pages[{}].push_back({&line, nullptr, {}, number++});
            for (Mention& mention : mentions.list)
                pages[mention.page].push_back(
                    {&line, mention.place, std::move(mention.through), number++});
        }
        for (auto& [page, links] : pages) {
            begin(page.empty() ? std::string_view("Where the crawl began:") : page);
            std::ranges::sort(links, {}, [](const OnPage& link) {
                return link.place == nullptr
                           ? std::tuple(0U, 0U, link.number)
                           : std::tuple(link.place->line(), link.place->column(),
                                        link.number);
            });
            for (std::size_t i = 0; i < links.size(); ++i)
                i += describe_on_page(links, i);
        }
        if (!are_all)
            lines_.add(0, "Further pages have some of these links, too.");
    }

    /// Returns how many links it has described besides the first.
    std::size_t describe_on_page(const std::vector<OnPage>& links, std::size_t first) {
        const OnPage& link = links[first];
        std::size_t more = 0;
        const auto is_such = [&](const OnPage& other) {
            return other.line->is_fragment() && other.line->url == link.line->url;
        };
        if (link.line->is_fragment())
            while (first + more + 1 < links.size() && is_such(links[first + more + 1]))
                ++more;
        if (more < most_fragments_of_page)
            more = 0;
        std::string what;
        const auto colour = is_dead(*link.line) ? &Paint::red : &Paint::yellow;
        if (more > 0)
            what =
                fmt::format("{}: {} missing fragments, such as #{} (made by scripts?)",
                            name_of(link.line->url), more + 1, link.line->more->fragment);
        else
            what = fmt::format("{} ({}{})", address(*link.line),
                               kind_and_why(*link.line, crawl_.urls),
                               describe_way(link.through));
        if (link.place == nullptr) {
            lines_.add(2, what, paint_, colour);
        } else {
            lines_.add(2, describe(*link.place) + ':');
            lines_.add(4, what, paint_, colour);
        }
        return more;
    }

    void list_what_was_asked_for() {
        if (options_.redirects)
            add_part(list_redirects_to_mend(records_, crawl_.urls));
        if (options_.sitemap)
            add_part(list_orphans(crawl_, records_));
        if (crawl_.revived.empty())
            return;
        begin("Alive again (in the baseline):");
        for (const std::string& url : crawl_.revived)
            lines_.add(2, url);
    }

    void add_part(const std::string& part) {
        text_ += text_.empty() ? "" : "\n";
        text_ += part;
    }

    void list_shortfalls() {
        if (!crawl_.left_out.empty())
            begin("Left out:");
        for (const LeftOut& links : crawl_.left_out)
            lines_.add(2, describe(links));
        const std::string unchecked = warn_of_certificates(crawl_, records_);
        if (!unchecked.empty())
            add_part(unchecked);
        for (const Shortfall& shortfall : shortfalls_of(crawl_))
            if (shortfall.kind != Shortfall::Kind::left_out) {
                text_ += text_.empty() ? "" : "\n";
                lines_.add(
                    0, fmt::format("{}: {}.", title_of(shortfall.kind), shortfall.why),
                    paint_, &Paint::yellow);
            }
    }

    void list_sums() {
        const Counts counts = count(records_);
        text_ += text_.empty() ? "" : "\n";
        Lines::Colour colour = &Paint::green;
        if (counts.unclear > 0 || !shortfalls_of(crawl_).empty())
            colour = &Paint::yellow;
        if (counts.dead + counts.fragments > 0)
            colour = &Paint::red;
        lines_.add(0, sum_up(counts, crawl_.time), paint_, colour);
    }

    const ReportLines& records_;
    const Summary& crawl_;
    const ReportOptions& options_;
    const Paint paint_;
    std::string text_;
    Lines lines_;
    bool has_more_pages_ = false; // than are kept, of a URL
};

} // namespace

std::string sum_up(const Counts& counts, std::chrono::duration<double> time) {
    return fmt::format(
        "{}; {} fetched, {}{}, in {:.2f} s", describe(counts), counts.alive,
        common::counted(counts.redirects, "redirect"),
        counts.disallowed > 0 ? fmt::format(", {} disallowed", counts.disallowed) : "",
        time.count());
}

std::string problem_report(const ReportLines& lines, const Summary& crawl,
                           const ReportOptions& options) {
    return ProblemReport(lines, crawl, options).write();
}

} // namespace stage3
