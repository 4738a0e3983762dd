#include "stage3_queue_crawler/http/url_mappings.h"

#include <string_view>

namespace stage3 {
namespace {

using common::Url;

/// The URL in the folder `to` that is at the same place as `url` in `from`.
std::optional<Url> moved(const Url& url, const Url& from, const Url& to) {
    return common::parse_url(
        std::string(to.href()).append(url.href().substr(from.href().size())));
}

bool is_below(const Url& url, const Url& folder) {
    return url.href().starts_with(folder.href());
}

/// "https://h/docs" or "https://h/docs?q" is the folder "https://h/docs/" nearly.
bool lacks_only_slash(const Url& url, const Url& folder) {
    const std::string_view path = url.href().substr(0, url.href().find('?'));
    return path.size() + 1 == folder.href().size() && folder.href().starts_with(path);
}

bool has_default_port(const Url& url) { return url.authority() == url.host(); }

/// "https://www.h/docs/?q" -> "h/docs/?q". At other ports, "www." makes a difference.
std::string place_of(const Url& url) {
    const std::string_view host =
        has_default_port(url) ? common::without_www(url.host()) : url.authority();
    return std::string(host).append(url.target());
}

bool is_longer(const UrlMapping& one, const UrlMapping* other) {
    return other == nullptr || one.from.href().size() > other->from.href().size();
}

} // namespace

std::optional<UrlMappings::Way> UrlMappings::find(const Url& url) const {
    const UrlMapping* best = nullptr;
    for (const UrlMapping& one : all_)
        if ((is_below(url, one.from) || lacks_only_slash(url, one.from))
            && is_longer(one, best))
            best = &one;
    if (best == nullptr || !is_below(url, best->from))
        return find_other_spelling(url);
    auto to = moved(url, best->from, best->to);
    if (!to) // longer than a URL may be
        return std::nullopt;
    ++best->used;
    return Way{.mapping = best, .to = std::move(to)};
}

/// If nobody had the right spelling, it would be the published site that is asked.
std::optional<UrlMappings::Way> UrlMappings::find_other_spelling(const Url& url) const {
    const std::string place = place_of(url);
    const std::string_view path = std::string_view(place).substr(0, place.find('?'));
    const UrlMapping* best = nullptr;
    std::string best_target;
    for (const UrlMapping& one : all_) {
        const std::string from = place_of(one.from);
        if (place.starts_with(from) && is_longer(one, best)) {
            best = &one;
            best_target = place.substr(from.size());
        } else if (from.size() == path.size() + 1 && from.starts_with(path)
                   && is_longer(one, best)) {
            best = &one;
            best_target = place.substr(path.size());
        }
    }
    if (best == nullptr)
        return find_robots_txt(url);
    auto target = common::parse_url(std::string(best->from.href()).append(best_target));
    if (!target)
        return std::nullopt;
    ++best->used;
    return Way{.mapping = best, .redirect_to = std::move(target)};
}

std::optional<UrlMappings::Way> UrlMappings::find_robots_txt(const Url& url) const {
    if (url.target() != "/robots.txt")
        return std::nullopt;
    for (const UrlMapping& one : all_)
        if (one.from.origin() == url.origin())
            return Way{.mapping = &one};
    return std::nullopt;
}

void UrlMappings::rename(Url& url) const {
    const UrlMapping* best = nullptr;
    for (const UrlMapping& one : all_)
        if (is_below(url, one.to)
            && (best == nullptr || one.to.href().size() > best->to.href().size()))
            best = &one;
    if (best == nullptr)
        return;
    if (auto meant = moved(url, best->to, best->from))
        url = *std::move(meant);
}

} // namespace stage3
