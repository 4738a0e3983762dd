#include "stage3_queue_crawler/program/formats/shortfalls.h"

#include <fmt/core.h>

namespace stage3 {

std::string_view name_of(Shortfall::Kind kind) {
    switch (kind) {
    case Shortfall::Kind::nothing_checked: return "nothing checked";
    case Shortfall::Kind::cut_short: return "cut short";
    case Shortfall::Kind::left_out: break;
    }
    return "left out";
}

std::string title_of(Shortfall::Kind kind) {
    std::string text(name_of(kind));
    text.front() = static_cast<char>(text.front() - 'a' + 'A');
    return text;
}

std::string describe(const LeftOut& links) {
    return fmt::format("{}, {} {}", counted_kind(links.links, links.why),
                       links.page.empty() ? "such as" : "on",
                       links.page.empty() ? links.example : links.page);
}

std::vector<Shortfall> shortfalls_of(const Summary& summary) {
    using Kind = Shortfall::Kind;
    std::vector<Shortfall> all;
    if (!summary.nothing_checked.empty())
        all.push_back({Kind::nothing_checked, summary.nothing_checked});
    if (!summary.cut_short.empty())
        all.push_back({Kind::cut_short, summary.cut_short});
    for (const LeftOut& links : summary.left_out)
        all.push_back({Kind::left_out, describe(links)});
    return all;
}

} // namespace stage3
