#include "stage3_queue_crawler/crawler/scope.h"

#include "common/web/fragments.h"
#include "stage3_queue_crawler/crawler/registrable_domain.h"
#include "stage3_queue_crawler/crawler/url_name.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace stage3 {
namespace {

bool is_any_found(const std::vector<Pattern>& patterns, const common::Url& url) {
    return std::ranges::any_of(patterns, [&](const Pattern& pattern) {
        return pattern.is_found_in(c_name_of(url));
    });
}

/// A crawl nearly always has one root, and this is asked of every link.
bool is_among(const std::set<std::string, std::less<>>& places, std::string_view place) {
    return places.size() == 1 ? *places.begin() == place : places.contains(place);
}

} // namespace

std::string Scope::place_of(const common::Url& url) {
    return std::string(common::without_www(url.authority())) + std::string(url.target());
}

std::string Scope::folder_of(const common::Url& url) {
    const std::string place = place_of(url);
    return place.substr(0, place.rfind('/', place.find('?')) + 1);
}

Scope::Scope(Reach reach, const std::vector<common::Url>& roots,
             std::vector<Pattern> excluded, std::vector<Pattern> included)
    : reach_(reach), excluded_(std::move(excluded)), included_(std::move(included)) {
    for (const common::Url& root : roots) {
        origins_.emplace(root.origin());
        hosts_.emplace(common::without_www(root.host()));
        if (reach == Reach::prefix)
            places_.insert(folder_of(root));
        else
            places_.emplace(common::without_www(root.host()));
        if (reach == Reach::domain)
            domains_.emplace(registrable_domain(root));
    }
}

void Scope::begin_in_folders_of(const std::vector<common::Url>& urls) {
    places_.clear();
    for (const common::Url& url : urls)
        places_.insert(folder_of(url));
}

bool Scope::is_near(const common::Url& url) const {
    if (reach_ == Reach::prefix) {
        const std::string place = place_of(url);
        for (auto slash = place.find('/'); slash != std::string::npos;
             slash = place.find('/', slash + 1))
            if (places_.contains(std::string_view(place).substr(0, slash + 1)))
                return true;
        return false;
    }
    if (is_among(places_, common::without_www(url.host())))
        return true; // so a host is always inside its own domain, even www.localhost
    return reach_ == Reach::domain && domains_.contains(registrable_domain(url));
}

bool Scope::contains(const common::Url& url) const {
    return is_near(url) && (excluded_.empty() || !excludes(url))
           && (included_.empty() || is_any_found(included_, url));
}

bool Scope::excludes(const common::Url& url) const {
    return is_any_found(excluded_, url);
}

bool Scope::excludes(const common::Url& url, std::string_view fragment) const {
    const std::string name =
        fmt::format("{}#{}", name_of(url), common::readable_fragment(fragment));
    return std::ranges::any_of(excluded_, [&name](const Pattern& pattern) {
        return pattern.is_found_in_url(name);
    });
}

} // namespace stage3
