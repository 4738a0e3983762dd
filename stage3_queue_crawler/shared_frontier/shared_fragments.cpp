#include "stage3_queue_crawler/shared_frontier/shared_fragments.h"

#include "common/web/fragments.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace stage3 {

namespace {

/// Takes the part up to `end` off `rest`, and that character.
std::string_view take_to(char end, std::string_view& rest) {
    const std::size_t size = std::min(rest.find(end), rest.size());
    const std::string_view part = rest.substr(0, size);
    rest.remove_prefix(std::min(size + 1, rest.size()));
    return part;
}

std::string describe_page(const Found& found) {
    if (found.ids) {
        std::string text = "ids";
        for (const std::uint32_t hash : found.ids->hashes())
            text += fmt::format(" {:x}", hash);
        return text;
    }
    if (found.redirect && !found.redirect_has_fragment)
        return fmt::format("to {}", found.redirect->href());
    return "none";
}

void read_page(std::string_view text, KnownUrl::Number page, const KnownUrls& urls,
               Fragments& fragments) {
    const std::string_view what = take_to(' ', text);
    if (what == "ids") {
        common::IdSet ids;
        while (!text.empty()) {
            const std::string_view digits = take_to(' ', text);
            std::uint32_t hash = 0;
            std::from_chars(digits.data(), digits.data() + digits.size(), hash, 16);
            ids.insert(hash);
        }
        fragments.read(page, std::move(ids));
        return;
    }
    const auto target = what == "to" ? common::parse_url(text) : std::nullopt;
    if (target)
        fragments.redirect(page, urls.find_number(*target));
    else
        fragments.forget(page);
}

} // namespace

std::string describe_places(const Found& found) {
    std::string text = describe_page(found);
    const common::LinkFragments& all = found.fragments;
    std::vector<std::string> lines;
    lines.reserve(all.pages.size());
    for (const common::Url& page : all.pages)
        lines.emplace_back(page.href());
    for (const auto& place : all.places)
        lines.at(place.page).append("\t").append(all.fragment(place).text);
    for (const std::string& line : lines)
        text.append("\n").append(line);
    return text;
}

void read_places(std::string_view text, KnownUrl::Number page, const KnownUrls& urls,
                 Fragments& fragments) {
    read_page(take_to('\n', text), page, urls, fragments);
    common::LinkFragments links;
    std::vector<KnownUrl::Number> numbers;
    while (!text.empty()) {
        std::string_view line = take_to('\n', text);
        const auto url = common::parse_url(take_to('\t', line));
        const auto index = static_cast<std::uint32_t>(numbers.size());
        numbers.push_back(url ? urls.find_number(*url) : KnownUrl::none);
        while (!line.empty())
            links.add(index, common::Fragment(take_to('\t', line)));
    }
    fragments.point(page, numbers, links);
}

} // namespace stage3
