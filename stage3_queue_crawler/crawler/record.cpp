#include "stage3_queue_crawler/crawler/record.h"

#include "stage3_queue_crawler/crawler/escape.h"

#include <fmt/core.h>

namespace stage3 {
namespace {

std::string json_or_null(std::string_view text) {
    return text.empty() ? "null" : as_json(text);
}

} // namespace

std::string_view name_of(Outcome outcome) {
    switch (outcome) {
    case Outcome::page: return "page";
    case Outcome::file: return "file";
    case Outcome::redirect: return "redirect";
    case Outcome::error: return "error";
    case Outcome::failed: return "failed";
    case Outcome::disallowed: break;
    }
    return "disallowed";
}

std::string to_json(const Record& record) {
    const KnownUrl& url = *record.url;
    return fmt::format(
        R"({{"url": {}, "depth": {}, "parent": {}, "outcome": "{}", "status": {}, )"
        R"("next_url": {}, "error": {}, "content_type": {}, "charset": {}, )"
        R"("bytes": {}, "links": {}, "new_links": {}, "tries": {}, "seconds": {:.6f}}})",
        as_json(url.url->href()), url.depth,
        url.parent != nullptr ? as_json(url.parent->url->href()) : "null",
        name_of(record.outcome),
        record.status != 0 ? std::to_string(record.status) : "null",
        json_or_null(record.next_url), json_or_null(record.error),
        json_or_null(record.content_type), json_or_null(record.charset), record.bytes,
        record.links, record.new_links, record.tries, record.seconds);
}

std::string csv_header() {
    return "url,depth,parent,outcome,status,next_url,error,content_type,charset,bytes,"
           "links,new_links,tries,seconds\r\n";
}

std::string to_csv(const Record& record) {
    const KnownUrl& url = *record.url;
    return fmt::format(
        "{},{},{},{},{},{},{},{},{},{},{},{},{},{:.6f}\r\n", as_csv(url.url->href()),
        url.depth, url.parent != nullptr ? as_csv(url.parent->url->href()) : "",
        name_of(record.outcome), record.status != 0 ? std::to_string(record.status) : "",
        as_csv(record.next_url), as_csv(record.error), as_csv(record.content_type),
        as_csv(record.charset), record.bytes, record.links, record.new_links,
        record.tries, record.seconds);
}

std::string to_dot(const Record& record) {
    const auto colour = [&] {
        switch (record.outcome) {
        case Outcome::page: return "black";
        case Outcome::file: return "gray40";
        case Outcome::redirect: return "blue";
        case Outcome::disallowed: return "gray80";
        case Outcome::error:
        case Outcome::failed: break;
        }
        return "red";
    };
    const std::string url = as_dot(record.url->url->href());
    std::string lines = fmt::format("  {} [color={}];\n", url, colour());
    if (!record.next_url.empty())
        lines +=
            fmt::format("  {} -> {} [style=dashed];\n", url, as_dot(record.next_url));
    return lines;
}

std::string links_as_dot(const KnownUrl& page, const std::vector<common::Url>& links) {
    std::string lines;
    for (const common::Url& link : links)
        lines +=
            fmt::format("  {} -> {};\n", as_dot(page.url->href()), as_dot(link.href()));
    return lines;
}

std::string to_text(const Record& record) {
    const std::string status = record.status != 0 ? std::to_string(record.status) : "-";
    std::string line = fmt::format("{:<10}  {:>3}  {:>8}  {}", name_of(record.outcome),
                                   status, record.bytes, record.url->url->href());
    if (!record.next_url.empty())
        line += " -> " + for_terminal(record.next_url);
    if (!record.error.empty())
        line += " (" + for_terminal(record.error) + ")";
    return line;
}

} // namespace stage3
