#include "stage3_queue_crawler/crawler/traps.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>

namespace stage3 {
namespace {

/// Of "/a;b/c?d".
struct Shape {
    std::size_t slashes = 0; // in the path
    std::string_view path;   // "/a;b/c"
    std::string_view page;   // "/a": up to what is said to it
};

/// Seen in one go: it's asked of every link.
Shape shape_of(std::string_view target) {
    Shape shape;
    std::size_t page_end = target.size();
    std::size_t end = 0;
    for (; end < target.size() && target[end] != '?'; ++end) {
        shape.slashes += target[end] == '/' ? 1 : 0;
        if (target[end] == ';')
            page_end = std::min(page_end, end);
    }
    shape.path = target.substr(0, end);
    shape.page = target.substr(0, std::min(page_end, end));
    return shape;
}

} // namespace

Traps::Traps(const TrapLimits& limits)
    : limits_(limits),
      too_far_(
          fmt::format("more than {} links away from a root (--max-depth)", limits.depth)),
      too_deep_(fmt::format("with more than {} parts in their path (--max-path-depth)",
                            limits.path_depth)),
      repeats_(fmt::format("with one part of their path more than {} times "
                           "(--max-repeats)",
                           limits.repeats)),
      too_many_(fmt::format("beyond {} that differ only in their query (--max-queries)",
                            limits.queries)) {}

std::size_t Traps::path_depth(const common::Url& url) {
    return shape_of(url.target()).slashes;
}

// [why-not]
std::string_view Traps::why_not(const common::Url& link, std::size_t depth) {
    if (depth > limits_.wanted_depth)
        return {};
    if (depth > limits_.depth)
        return too_far_;
    const std::string_view target = link.target();
    const auto [slashes, path, page] = shape_of(target);
    if (slashes > limits_.path_depth)
        return too_deep_;
    if (slashes > limits_.repeats && most_repeats(path) > limits_.repeats)
        return repeats_;
    if (page.size() < target.size() && has_too_many_queries(link, page))
        return too_many_;
    return {};
}
// [/why-not]

/// How often the part of a path that is there most often occurs in it.
std::size_t Traps::most_repeats(std::string_view path) {
    parts_.clear();
    while (!path.empty()) {
        path.remove_prefix(1); // its slash
        const auto end = std::min(path.find('/'), path.size());
        parts_.push_back(path.substr(0, std::min(path.find(';'), end)));
        path.remove_prefix(end);
    }
    std::ranges::sort(parts_);
    std::size_t most = 0;
    for (auto part = parts_.begin(); part != parts_.end();) {
        const auto next = std::upper_bound(part, parts_.end(), *part);
        most = std::max(most, static_cast<std::size_t>(next - part));
        part = next;
    }
    return most;
}

bool Traps::has_too_many_queries(const common::Url& link, std::string_view path) {
    const std::size_t hash = std::hash<common::Url>{}(link);
    if (counted_.contains(hash))
        return false;
    std::size_t& count = queries_[std::string(link.origin()).append(path)];
    if (count == limits_.queries)
        return true;
    ++count;
    counted_.insert(hash);
    return false;
}

} // namespace stage3
