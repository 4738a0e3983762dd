#include "common/text/counted.h"
#include "stage3_queue_crawler/crawler/url_name.h"
#include "stage3_queue_crawler/program/formats/formats.h"
#include "stage3_queue_crawler/program/formats/shortfalls.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace stage3 {
namespace {

/// GitHub takes comments of 65,536 characters; the rest is room for the sums.
constexpr std::size_t longest = 60'000;

/// A space without width. GitHub looks for "@name" and "#12" in the text as it's shown.
constexpr std::string_view no_mention = "&#8203;";

/// Text in which nothing is markup, a link, or somebody's name, also in a table: what
/// isn't a letter or a digit becomes a character reference, which never means anything
/// but its character.
std::string plain(std::string_view text) {
    std::string out;
    for (const char c : text)
        if (std::string_view("\\`*_{}[]()<>#+-!|~&:@\"'").find(c)
            != std::string_view::npos)
            out += fmt::format("&#{};{}", static_cast<int>(c),
                               c == '@' || c == '#' ? no_mention : "");
        else
            out += c;
    return out;
}

/// A link that shows its URL: an autolink, in which nothing can be escaped, so what would
/// end it, or its cell, is percent-encoded. A path in a folder is no link anywhere, and
/// "</a>" would be markup.
std::string link(std::string_view url) {
    if (!url.starts_with("http://") && !url.starts_with("https://"))
        return plain(url);
    std::string out = "<";
    for (const char c : url)
        if (std::string_view(" <>|\\`").find(c) != std::string_view::npos)
            out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
        else
            out += c;
    return out + '>';
}

/// "<http://h/p>, line 3, column 7, a="x", "here""
std::string describe_mention(const Mention& mention) {
    std::string text = link(mention.page);
    if (mention.place != nullptr)
        text += plain(", " + describe(*mention.place));
    for (const std::string_view redirect : mention.through)
        text += ", through " + link(redirect);
    return text;
}

std::string row(const ReportLine& line, const KnownUrls& urls) {
    constexpr std::size_t most = 3; // or a row wouldn't fit a screen
    const MentionsOfUrl mentions = mentions_of(line, urls);
    std::string where;
    std::size_t more = mentions.more_pages;
    std::string_view last;
    for (std::size_t i = 0; i < mentions.list.size(); ++i) {
        const Mention& mention = mentions.list[i];
        if (i < most)
            where += (where.empty() ? "" : "<br>") + describe_mention(mention);
        else
            more += mention.page == last ? 0 : 1;
        last = mention.page;
    }
    if (more > 0)
        where += fmt::format("<br>and {} more", more);
    return fmt::format("| {} | {} | {} |\n", link(address(line)),
                       plain(kind_and_why(line, urls)), where);
}

/// A row for all missing fragments of a page that has very many.
std::string row_of_many(const ReportLine& first, std::size_t number) {
    return fmt::format("| {} | {} missing fragments, such as {} (made by scripts?) | |\n",
                       link(name_of(first.url)), number,
                       plain('#' + first.more->fragment));
}

/// A summary with a table of what is dead and one of what is unclear, no longer than a
/// comment may be.
class MarkdownFormat final : public Format {
  public:
    bool keeps_records() const override { return true; }
    std::string end(const Summary& summary, const ReportLines& lines) override {
        const Counts counts = count(lines);
        std::string text =
            fmt::format("## Links{}{}\n\n**{}**; {} fetched, {}, in {:.1f} s.\n",
                        summary.root.empty() ? "" : " of ",
                        summary.root.empty() ? "" : link(summary.root), describe(counts),
                        counts.alive, common::counted(counts.redirects, "redirect"),
                        summary.time.count());
        text += list_shortfalls(summary);
        if (!summary.revived.empty())
            text += "\nIn the baseline, and alive again:\n\n";
        std::size_t left = summary.revived.size();
        for (const std::string& url : summary.revived) {
            if (text.size() > longest / 4)
                break;
            text += fmt::format("- {}\n", link(url));
            --left;
        }
        if (left > 0)
            text += fmt::format("- and {} more\n", left);
        text += table("Dead", lines, summary, longest - text.size(),
                      [](const ReportLine& line) {
                          return counts_as_dead(line) && !line.is_fragment();
                      });
        text +=
            table("Missing fragments", lines, summary,
                  longest - std::min(longest, text.size()), [](const ReportLine& line) {
                      return counts_as_dead(line) && line.is_fragment();
                  });
        text += table("Unclear", lines, summary, longest - std::min(longest, text.size()),
                      [](const ReportLine& line) {
                          return line.outcome == Outcome::unclear
                                 && line.standing == Standing::counts;
                      });
        return text;
    }

  private:
    static std::string list_shortfalls(const Summary& summary) {
        constexpr std::size_t most = 10;
        constexpr std::size_t most_of_each = 500; // URLs may be long
        const std::vector<Shortfall> all = shortfalls_of(summary);
        std::string text = all.empty() ? "" : "\n";
        for (std::size_t i = 0; i < std::min(most, all.size()); ++i)
            text += fmt::format("- **{}**: {}\n", title_of(all[i].kind),
                                plain(all[i].why.substr(0, most_of_each)));
        if (all.size() > most)
            text += fmt::format("- and {} more\n", all.size() - most);
        return text;
    }
    template <class IsWanted>
    static std::string table(std::string_view title, const ReportLines& lines,
                             const Summary& summary, std::size_t room,
                             IsWanted is_wanted) {
        std::string rows;
        std::size_t left_out = 0;
        for (auto line = lines.begin(); line != lines.end(); ++line) {
            if (!is_wanted(*line))
                continue;
            const auto many =
                static_cast<std::size_t>(end_of_fragments(line, lines.end()) - line);
            std::string next;
            if (left_out == 0)
                next = many > most_fragments_of_page ? row_of_many(*line, many)
                                                     : row(*line, summary.urls);
            if (left_out > 0 || rows.size() + next.size() > room)
                ++left_out;
            else
                rows += next;
            if (many > most_fragments_of_page)
                line += static_cast<std::ptrdiff_t>(many - 1);
        }
        if (rows.empty() && left_out == 0)
            return {};
        return fmt::format("\n### {}\n\n| URL | Why | On |\n| --- | --- | --- |\n{}{}",
                           title, rows,
                           left_out > 0 ? fmt::format("\nAnd {} more.\n", left_out) : "");
    }
};

} // namespace

std::unique_ptr<Format> make_markdown(const ReportOptions& /*options*/) {
    return std::make_unique<MarkdownFormat>();
}

} // namespace stage3
