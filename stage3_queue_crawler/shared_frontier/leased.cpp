#include "stage3_queue_crawler/shared_frontier/leased.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string_view>
#include <utility>

namespace stage3 {

Leased read_leased(std::string url, const std::string& held) {
    Leased item;
    item.url = std::move(url);
    std::string_view rest = held;
    const auto word = [&rest] {
        const std::size_t end = std::min(rest.find(' '), rest.size());
        const std::string_view first = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        return first;
    };
    const auto number = [&word](auto& value) {
        const std::string_view text = word();
        std::from_chars(text.data(), text.data() + text.size(), value);
    };
    word(); // the call's number
    item.host = word();
    const std::string_view flag = word();
    if (flag == "r")
        item.wants = Leased::Wants::rules;
    else if (flag == "b")
        item.wants = Leased::Wants::begin;
    else if (flag == "e")
        item.wants = Leased::Wants::end;
    word(); // its host's epoch
    number(item.depth);
    number(item.redirects_left);
    number(item.tries);
    number(item.refusals);
    word(); // how many processes were lost with it
    item.is_root = word() == "-";
    item.why = read_why(word());
    item.ended = rest;
    return item;
}

} // namespace stage3
