#include "common/simple_crawl/record.h"

#include "common/text/ascii.h"
#include "common/web/links.h"

#include <fmt/core.h>

namespace common {

std::string_view name_of(Outcome outcome) {
    switch (outcome) {
    case Outcome::page: return "page";
    case Outcome::file: return "file";
    case Outcome::redirect: return "redirect";
    case Outcome::dead: break;
    }
    return "dead";
}

Record judge(Url url, const HttpResponse& response) {
    Record record(std::move(url));
    record.status = response.status;
    record.bytes = response.body.size();
    if (!response.error.empty()) {
        record.error = response.error;
    } else if (is_redirect(response.status)) {
        const std::string_view location = response.header("Location");
        if (!location.empty())
            record.next = resolve_url(location, record.url);
        if (record.next)
            record.outcome = Outcome::redirect;
        else
            record.error = "redirect without a target";
    } else if (!is_success(response.status)) {
        record.error = fmt::format("HTTP status {}", response.status);
    } else {
        constexpr int no_content = 204; // whatever type it says it has
        const bool readable =
            response.status != no_content
            && may_hold_links(response.header("Content-Type"), response.body);
        const std::string_view encoding = response.header("Content-Encoding");
        if (!readable)
            record.outcome = Outcome::file;
        else if (!encoding.empty() && !equal_ignoring_case(encoding, "identity"))
            record.error = "compressed, though not asked to be";
        else
            record.outcome = Outcome::page;
    }
    return record;
}

std::string describe(const Record& record) {
    const std::string status =
        record.status == 0 ? "-" : fmt::format("{}", record.status);
    std::string line = fmt::format("{:<8}  {:>3}  {:>8}  {}", name_of(record.outcome),
                                   status, record.bytes, record.url.href());
    if (record.next)
        line += fmt::format(" -> {}", record.next->href());
    if (!record.error.empty())
        line += fmt::format(" ({})", record.error);
    return line;
}

} // namespace common
