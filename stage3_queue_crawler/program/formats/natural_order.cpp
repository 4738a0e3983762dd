#include "stage3_queue_crawler/program/formats/natural_order.h"

#include "common/text/ascii.h"
#include "stage3_queue_crawler/crawler/url_name.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

namespace stage3 {
namespace {

/// Takes the digits at the beginning of `text`, and returns them without leading zeros.
std::string_view take_number(std::string_view& text) {
    std::size_t end = 0;
    while (end < text.size() && common::is_digit(text[end]))
        ++end;
    const std::string_view number = text.substr(0, end);
    text.remove_prefix(end);
    return number.substr(std::min(number.find_first_not_of('0'), end));
}

} // namespace

bool comes_before(std::string_view a, std::string_view b) {
    std::string_view rest_a = a;
    std::string_view rest_b = b;
    while (!rest_a.empty() && !rest_b.empty()) {
        if (common::is_digit(rest_a.front()) && common::is_digit(rest_b.front())) {
            const std::string_view one = take_number(rest_a);
            const std::string_view other = take_number(rest_b);
            if (one.size() != other.size())
                return one.size() < other.size();
            if (one != other)
                return one < other;
        } else if (rest_a.front() != rest_b.front()) {
            return rest_a < rest_b;
        } else {
            rest_a.remove_prefix(1);
            rest_b.remove_prefix(1);
        }
    }
    return rest_a.size() != rest_b.size() ? rest_a.size() < rest_b.size() : a < b;
}

std::vector<const ReportLine*> in_natural_order(const ReportLines& lines) {
    std::vector<const ReportLine*> sorted;
    sorted.reserve(lines.size());
    for (const ReportLine& line : lines)
        sorted.push_back(&line);
    std::ranges::sort(sorted, [](const ReportLine* a, const ReportLine* b) {
        if (a->url != b->url)
            return comes_before(name_of(a->url), name_of(b->url));
        if (!a->is_fragment() || !b->is_fragment())
            return !a->is_fragment() && b->is_fragment();
        return comes_before(a->more->fragment, b->more->fragment);
    });
    return sorted;
}

} // namespace stage3
