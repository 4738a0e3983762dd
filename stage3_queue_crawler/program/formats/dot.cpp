#include "stage3_queue_crawler/crawler/url_name.h"
#include "stage3_queue_crawler/program/formats/escape.h"
#include "stage3_queue_crawler/program/formats/formats.h"
#include "stage3_queue_crawler/program/formats/shortfalls.h"

#include <fmt/core.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace stage3 {
namespace {

/// How a node or an arrow looks: attributes in Graphviz's language. Colours come first,
/// since programs look for them.
struct Look {
    std::string_view colour;
    std::string_view more;
};

Look look_of(Outcome outcome) {
    switch (outcome) {
    case Outcome::page: return {"black", ""};
    case Outcome::file: return {"gray40", ", fontcolor=gray40"};
    case Outcome::redirect: return {"blue", ", style=dashed, fontcolor=blue"};
    case Outcome::disallowed: return {"gray80", ", fontcolor=gray40"};
    case Outcome::unclear: return {"orange", ", style=filled, fillcolor=\"#fff0d5\""};
    case Outcome::error:
    case Outcome::failed: break;
    }
    return {"red", ", style=filled, fillcolor=\"#ffdcdc\""};
}

/// The graph of links, for Graphviz: a URL is a node, which looks like its outcome; links
/// and redirects are arrows.
///
/// It's written while the crawl goes on. When a page's links come, no one knows yet which
/// of them lead to new pages. So their arrows are drawn faintly at first. The one through
/// which a page was found comes again with its record, as do those to what is dead at the
/// end; since the graph is "strict", these are the same arrows, which get another look.
/// Only the arrows through which pages were found decide where pages stand: with all of
/// them, forty pages would be a tangle.
class DotFormat final : public Format {
  public:
    explicit DotFormat(const ReportOptions& options)
        : with_redirects_(options.redirects_are_dead) {}

    bool keeps_records() const override { return with_redirects_; }
    std::string begin() override {
        return "strict digraph crawl {\n"
               "  rankdir=LR; ranksep=1.2; nodesep=0.12; outputorder=edgesfirst;\n"
               "  node [shape=box, style=\"filled\", fillcolor=white, "
               "fontname=\"Helvetica\", fontsize=11, height=0.3, "
               "margin=\"0.1,0.04\"];\n"
               "  edge [color=gray80, arrowsize=0.5, constraint=false];\n";
    }
    std::string record(const Record& record, Standing /*standing*/) override {
        if (!record.fragment.empty())
            return {}; // the URL has a node
        has_record_[record.url] = true;
        if (origin_.empty())
            origin_ = record.url.origin();
        const std::string url = as_dot(name_of(record.url));
        const auto [colour, more] = look_of(record.outcome);
        std::string lines = fmt::format("  {} [color={}{}{}{}];\n", url, colour, more,
                                        record.depth == 0 ? bold : "",
                                        label_of(record.url, record.depth == 0));
        if (record.outcome == Outcome::redirect)
            redirects_.insert(record.url);
        if (record.parent && record.role != common::LinkRole::sitemap
            && !redirects_.contains(*record.parent))
            lines += fmt::format("  {} -> {} [color=gray40, constraint=true];\n",
                                 as_dot(name_of(*record.parent)), url);
        if (!record.next_url.empty())
            lines +=
                fmt::format("  {} -> {} [style=dashed, color=blue, constraint=true];\n",
                            url, as_dot(name_of_url(record.next_url)));
        if (is_dead(record.outcome) || record.outcome == Outcome::unclear)
            wrong_.push_back({record.url, colour});
        return lines;
    }
    std::string links(const common::Url& page,
                      const std::vector<common::Url>& links) override {
        std::string lines;
        for (const common::Url& link : links)
            lines += fmt::format("  {} -> {};\n", as_dot(name_of(page)),
                                 as_dot(name_of(link)));
        for (const common::Url& link : links)
            has_record_.try_emplace(link, false);
        return lines;
    }
    std::string end(const Summary& summary, const ReportLines& lines) override {
        std::string text;
        for (const ReportLine& line : lines)
            if (line.outcome == Outcome::redirect && is_dead(line)) { // it was blue
                const auto [colour, more] = look_of(Outcome::error);
                text += fmt::format("  {} [color={}{}];\n", as_dot(name_of(line.url)),
                                    colour, more);
            }
        for (const auto& [url, has_one] : has_record_)
            if (!has_one) // the crawl was cut short
                text += node_of_unfetched(url, summary.urls);
        for (const auto& [url, colour] : wrong_)
            text += arrows_to(url, colour, summary.urls);
        for (const Shortfall& shortfall : shortfalls_of(summary))
            text += fmt::format("  // {}: {}\n", name_of(shortfall.kind), shortfall.why);
        return text + "}\n";
    }

  private:
    static constexpr std::string_view bold = ", penwidth=3, fontname=\"Helvetica-Bold\"";

    struct Wrong {
        common::Url url;
        std::string_view colour;
    };

    std::string node_of_unfetched(const common::Url& url, const KnownUrls& urls) const {
        std::string text = fmt::format("  {} [color=gray80, style=dotted{}];\n",
                                       as_dot(name_of(url)), label_of(url, false));
        const KnownUrl* const known = urls.find(url);
        if (known != nullptr && known->parent != KnownUrl::none)
            text += fmt::format("  {} -> {} [color=gray80, constraint=true];\n",
                                as_dot(name_of(urls[known->parent].url)),
                                as_dot(name_of(url)));
        return text;
    }

    /// All of these arrows are known only at the end.
    static std::string arrows_to(const common::Url& url, std::string_view colour,
                                 const KnownUrls& urls) {
        std::string text;
        const KnownUrl* const known = urls.find(url);
        if (known == nullptr)
            return text;
        KnownUrl::Number last = KnownUrl::none;
        urls.for_each_mention(
            *known, [&](KnownUrl::Number page, const common::LinkPlace& /*place*/) {
                if (page != last)
                    text += fmt::format("  {} -> {} [color={}];\n",
                                        as_dot(name_of(urls[page].url)),
                                        as_dot(name_of(url)), colour);
                last = page;
            });
        return text;
    }

    /// Most URLs are on one host, which needn't be read again and again.
    std::string label_of(const common::Url& url, bool is_root) const {
        if (url.is_malformed() || url.origin() != origin_)
            return {};
        return fmt::format(", label={}, tooltip={}",
                           as_label(is_root ? name_of(url) : url.target()),
                           as_label(name_of(url)));
    }
    /// In a label, a backslash has a meaning, too.
    static std::string as_label(std::string_view text) {
        std::string doubled;
        for (const char c : text)
            doubled += c == '\\' ? std::string("\\\\") : std::string(1, c);
        return as_dot(doubled);
    }

    bool with_redirects_;
    std::string origin_; // of the first URL
    std::map<common::Url, bool> has_record_;
    std::unordered_set<common::Url> redirects_;
    std::vector<Wrong> wrong_;
};

} // namespace

std::unique_ptr<Format> make_dot(const ReportOptions& options) {
    return std::make_unique<DotFormat>(options);
}

} // namespace stage3
