#include "stage3_queue_crawler/crawler/traps.h"

#include "common/text/ascii.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>

namespace stage3 {
namespace {

constexpr std::size_t shortest_id = 16;
constexpr std::size_t uuid_size = 36;

constexpr bool is_letter_or_digit(char c) {
    return common::is_alpha(c) || common::is_digit(c);
}
constexpr bool is_hex_digit(char c) {
    return common::is_digit(c)
           || (common::to_lower(c) >= 'a' && common::to_lower(c) <= 'f');
}

/// Like "8a6e0804-bd50-11f0-b3c2-0242ac120002". Needs at least `uuid_size` characters.
bool begins_with_uuid(std::string_view text) {
    for (std::size_t i = 0; i < uuid_size; ++i) {
        const bool hyphen = i == 8 || i == 13 || i == 18 || i == 23;
        if (hyphen ? text[i] != '-' : !is_hex_digit(text[i]))
            return false;
    }
    return true;
}

bool has_uuid(std::string_view part) {
    for (; part.size() >= uuid_size; part.remove_prefix(1))
        if (begins_with_uuid(part))
            return true;
    return false;
}

/// How many letters and digits `text` begins with.
std::size_t length_of_row(std::string_view text) {
    const auto is_other = [](char c) { return !is_letter_or_digit(c); };
    return static_cast<std::size_t>(std::ranges::find_if(text, is_other) - text.begin());
}

/// How often a letter comes after a digit, or a digit after a letter.
std::size_t changes_in(std::string_view row) {
    std::size_t changes = 0;
    for (std::size_t i = 1; i < row.size(); ++i)
        changes += common::is_digit(row[i]) != common::is_digit(row[i - 1]) ? 1 : 0;
    return changes;
}

/// True if a part of a path looks randomly generated: it has a UUID in it, or a run of at
/// least 16 letters and digits that changes from one kind to the other and back. Titles
/// usually have hyphens, words have no digits, numbers have no letters, and most serial
/// numbers have all their letters at the beginning. (Requiring more digits would miss
/// some ids, and a few are enough for an endless site: each makes all links of its page
/// new. If "Apollo11MoonLanding" is taken for an id, that only means that such URLs are
/// counted together.)
bool looks_like_id(std::string_view part) {
    for (std::string_view rest = part; rest.size() >= shortest_id;) {
        // Backwards: if there is a hyphen, what comes before it needn't be looked at.
        std::size_t end = shortest_id;
        while (end > 0 && is_letter_or_digit(rest[end - 1]))
            --end;
        if (end == 0) {
            end = length_of_row(rest);
            if (changes_in(rest.substr(0, end)) >= 2)
                return true;
        }
        rest.remove_prefix(end);
    }
    return has_uuid(part);
}

/// The parts of a target such as "/a;b/c?d".
struct Shape {
    std::size_t slashes = 0; // in the path
    std::string_view path;   // "/a;b/c"
    std::string_view page;   // "/a": up to its parameters
    bool has_id = false;     // a part of the path before its last one looks like an id
};

/// In one pass, because it's called for every link.
Shape shape_of(std::string_view target) {
    Shape shape;
    std::size_t page_end = target.size();
    std::size_t part = 0; // where it begins
    std::size_t end = 0;
    for (; end < target.size() && target[end] != '?'; ++end) {
        if (target[end] == '/') {
            ++shape.slashes;
            if (end - part >= shortest_id && !shape.has_id)
                shape.has_id = looks_like_id(target.substr(part, end - part));
            part = end + 1;
        } else if (target[end] == ';') {
            page_end = std::min(page_end, end);
        }
    }
    shape.path = target.substr(0, end);
    shape.page = target.substr(0, std::min(page_end, end));
    return shape;
}

/// True if a target has no more than this many slashes, no query, no parameters, and no
/// part that is long enough for an id. Nearly all links are of this kind, and this takes
/// a few instructions per character.
bool is_harmless(std::string_view target, std::size_t slashes) {
    std::size_t part = 0; // its length so far
    for (const char c : target) {
        if (c == '/') {
            if (slashes-- == 0)
                return false;
            part = 0;
        } else if (c == '?' || c == ';' || ++part == shortest_id) {
            return false;
        }
    }
    return true;
}

/// How often the most frequent part of a path occurs in it. `parts` is scratch space.
std::size_t most_repeats(std::string_view path, std::vector<std::string_view>& parts) {
    parts.clear();
    while (!path.empty()) {
        path.remove_prefix(1); // its slash
        const auto end = std::min(path.find('/'), path.size());
        parts.push_back(path.substr(0, std::min(path.find(';'), end)));
        path.remove_prefix(end);
    }
    std::ranges::sort(parts);
    std::size_t most = 0;
    for (auto part = parts.begin(); part != parts.end();) {
        const auto next = std::upper_bound(part, parts.end(), *part);
        most = std::max(most, static_cast<std::size_t>(next - part));
        part = next;
    }
    return most;
}

/// What URLs that differ only after their page, or in ids, have in common. `path` may
/// continue after the page, as in "/id;v=1/a".
std::string without_ids(const common::Url& url, std::string_view path,
                        std::string_view page) {
    std::string text(url.origin());
    while (!page.empty()) {
        const auto end = std::min(page.find('/', 1), page.size());
        const std::string_view part = page.substr(0, end); // with its slash
        const bool is_last = path.find('/', 1) == std::string_view::npos;
        text.append(!is_last && looks_like_id(part) ? "/ " : part); // no URL has a space
        page.remove_prefix(end);
        path.remove_prefix(end);
    }
    return text;
}

} // namespace

TrapLimits allow_roots(TrapLimits limits, const std::vector<common::Url>& roots) {
    std::vector<std::string_view> room;
    std::size_t deepest = 1;
    std::size_t repeats = 1;
    for (const common::Url& root : roots) {
        const Shape shape = shape_of(root.target());
        deepest = std::max(deepest, shape.slashes);
        repeats = std::max(repeats, most_repeats(shape.path, room));
    }
    limits.path_depth += deepest - 1;
    limits.repeats += repeats - 1;
    return limits;
}

Traps::Traps(const TrapLimits& limits)
    : limits_(limits),
      too_far_(
          fmt::format("more than {} links away from a root (--max-depth)", limits.depth)),
      too_deep_(fmt::format("with more than {} parts in their path (--max-path-depth)",
                            limits.path_depth)),
      repeats_(fmt::format("with one part of their path more than {} times "
                           "(--max-repeats)",
                           limits.repeats)),
      too_many_(fmt::format("beyond {} that differ only in their query, or in ids in "
                            "their path (--max-queries)",
                            limits.queries)) {}

// [why-not]
std::string_view Traps::why_not(const common::Url& link, std::size_t depth) {
    if (depth > limits_.wanted_depth)
        return {};
    if (depth > limits_.depth)
        return too_far_;
    const std::string_view target = link.target();
    if (is_harmless(target, std::min(limits_.path_depth, limits_.repeats)))
        return {}; // a quick look, which most links pass
    const auto [slashes, path, page, has_id] = shape_of(target);
    if (slashes > limits_.path_depth)
        return too_deep_;
    if (slashes > limits_.repeats && most_repeats(path, parts_) > limits_.repeats)
        return repeats_;
    if ((has_id || page.size() < target.size()) && is_one_too_many(link, path, page))
        return too_many_;
    return {};
}
// [/why-not]

bool Traps::is_one_too_many(const common::Url& link, std::string_view path,
                            std::string_view page) {
    const std::size_t hash = std::hash<common::Url>{}(link);
    if (counted_.contains(hash))
        return false;
    std::size_t& count = alike_[without_ids(link, path, page)];
    if (count == limits_.queries)
        return true;
    ++count;
    counted_.insert(hash);
    return false;
}

} // namespace stage3
