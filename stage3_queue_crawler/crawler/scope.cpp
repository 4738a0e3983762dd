#include "stage3_queue_crawler/crawler/scope.h"

#include <algorithm>
#include <array>
#include <utility>

namespace stage3 {
namespace {

/// "www.docs.example.com" → "example.com".
std::string_view last_two_labels(const common::Url& url) {
    std::string_view host = url.host();
    if (url.host_is_address())
        return host;
    if (host.ends_with('.')) // it only says that the name is whole
        host.remove_suffix(1);
    const auto last = host.rfind('.');
    if (last == std::string_view::npos || last == 0)
        return host;
    return host.substr(host.rfind('.', last - 1) + 1); // none: npos + 1 is 0
}

/// "http://www.h:81/docs/index.html?q" → "h:81/docs/index.html?q".
std::string without_scheme(const common::Url& url) {
    return std::string(common::without_www(url.authority())) + std::string(url.target());
}

/// "http://h/docs/index.html?q" → "h/docs/".
std::string folder_of(const common::Url& url) {
    const std::string place = without_scheme(url);
    return place.substr(0, place.rfind('/', place.find('?')) + 1);
}

bool is_any_found(const std::vector<Pattern>& patterns, const common::Url& url) {
    return std::ranges::any_of(patterns, [&](const Pattern& pattern) {
        return pattern.is_found_in(url.c_str());
    });
}

} // namespace

Pattern::Pattern(const std::string& text) {
    auto compiled = std::make_unique<regex_t>();
    if (const int code =
            regcomp(compiled.get(), text.c_str(), REG_EXTENDED | REG_NOSUB)) {
        std::array<char, 200> message{};
        regerror(code, compiled.get(), message.data(), message.size());
        throw std::invalid_argument(message.data());
    }
    compiled_.reset(compiled.release());
}

bool Pattern::is_found_in(const char* text) const {
    return regexec(compiled_.get(), text, 0, nullptr, 0) == 0;
}

Scope::Scope(Reach reach, const std::vector<common::Url>& roots,
             std::vector<Pattern> excluded, std::vector<Pattern> included)
    : reach_(reach), excluded_(std::move(excluded)), included_(std::move(included)) {
    for (const common::Url& root : roots) {
        std::string place = place_of(root);
        if (std::ranges::find(places_, place) == places_.end())
            places_.push_back(std::move(place));
    }
}

/// What two URLs must have in common to belong together.
std::string Scope::place_of(const common::Url& url) const {
    switch (reach_) {
    case Reach::prefix: return folder_of(url);
    case Reach::host: return std::string(common::without_www(url.host()));
    case Reach::domain: break;
    }
    return std::string(last_two_labels(url));
}

bool Scope::contains(const common::Url& url) const {
    const bool near = reach_ == Reach::prefix
                          ? std::ranges::any_of(
                                places_,
                                [place = without_scheme(url)](const std::string& folder) {
                                    return place.starts_with(folder);
                                })
                          : std::ranges::find(places_, place_of(url)) != places_.end();
    return near && !excludes(url) && (included_.empty() || is_any_found(included_, url));
}

bool Scope::excludes(const common::Url& url) const {
    return is_any_found(excluded_, url);
}

} // namespace stage3
