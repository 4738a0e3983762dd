#include "stage3_queue_crawler/program/text_report.h"

#include "common/text/join.h"
#include "stage3_queue_crawler/program/escape.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <string_view>

namespace stage3 {
namespace {

/// "500 page, 20 redirect".
template <class Counts>
std::string list(const Counts& counts) {
    std::vector<std::string> parts;
    parts.reserve(counts.size());
    for (const auto& [what, count] : counts)
        parts.push_back(fmt::format("{} {}", count, what));
    return common::join(parts, ", ");
}

std::string sums(const std::vector<Record>& records) {
    std::map<std::string, std::size_t> by_outcome;
    std::map<std::string, std::size_t> by_status;
    std::size_t bytes = 0;
    for (const Record& record : records) {
        ++by_outcome[std::string(name_of(record.outcome))];
        ++by_status[record.status != 0 ? fmt::format("with status {}", record.status)
                                       : "without"];
        bytes += record.bytes;
    }
    return fmt::format("URLs:  {}\n       {}\nBytes: {}\n", list(by_outcome),
                       list(by_status), bytes);
}

/// The links that most pages have, the most common first.
std::string most_met(const KnownUrls& urls, std::size_t top) {
    std::vector<const KnownUrl*> all = urls.all();
    std::erase_if(all, [](const KnownUrl* url) { return url->times_met == 0; });
    const auto comes_first = [](const KnownUrl* a, const KnownUrl* b) {
        return a->times_met != b->times_met ? a->times_met > b->times_met
                                            : *a->url < *b->url;
    };
    top = std::min(top, all.size());
    std::ranges::partial_sort(all, all.begin() + static_cast<std::ptrdiff_t>(top),
                              comes_first);
    std::string text = top == 0 ? "" : "On how many pages a link was met:\n";
    for (std::size_t i = 0; i < top; ++i)
        text += fmt::format("{:>8}  {}\n", all[i]->times_met, all[i]->url->href());
    return text;
}

std::string describe_dead(const Record& record, const KnownUrls& urls) {
    std::string text =
        fmt::format("  {} ({})\n", record.url.href(), for_terminal(record.error));
    const KnownUrl* const known = urls.find(record.url);
    if (known == nullptr)
        return text;
    std::vector<const KnownUrl*> places = known->pages;
    if (places.empty() && known->parent != nullptr)
        places.push_back(known->parent); // a redirect
    for (const KnownUrl* const page : places)
        text += fmt::format("    on {}\n", page->url->href());
    if (known->times_met > known->pages.size())
        text +=
            fmt::format("    and on {} more\n", known->times_met - known->pages.size());
    return text;
}

} // namespace

std::string to_text(const Record& record) {
    const std::string status = record.status != 0 ? std::to_string(record.status) : "-";
    std::string line = fmt::format("{:<10}  {:>3}  {:>8}  {}", name_of(record.outcome),
                                   status, record.bytes, record.url.href());
    if (!record.next_url.empty())
        line += " -> " + for_terminal(record.next_url);
    if (!record.error.empty())
        line += " (" + for_terminal(record.error) + ")";
    return line;
}

std::string text_report(std::vector<Record> records, const Summary& crawl,
                        std::size_t top) {
    std::ranges::sort(records, {}, [](const Record& record) -> const common::Url& {
        return record.url;
    });
    std::string text;
    for (const Record& record : records)
        text += to_text(record) + '\n';
    text += '\n' + sums(records) + most_met(crawl.urls, top);

    if (crawl.left_out > 0)
        text += fmt::format("Links that were left out: {}\n", crawl.left_out);

    const auto count = [&](Outcome outcome) {
        return std::ranges::count(records, outcome, &Record::outcome);
    };
    const auto dead = count(Outcome::error) + count(Outcome::failed);
    text += fmt::format("Done in {:.2f} s: {} fetched, {} redirects, {} dead.\n",
                        crawl.time.count(), count(Outcome::page) + count(Outcome::file),
                        count(Outcome::redirect), dead);
    if (dead > 0)
        text += "Dead:\n";
    for (const Record& record : records)
        if (is_dead(record.outcome))
            text += describe_dead(record, crawl.urls);
    return text;
}

} // namespace stage3
