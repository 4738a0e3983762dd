#include "stage3_queue_crawler/crawler/cookie_jar.h"

#include "common/text/ascii.h"
#include "stage3_queue_crawler/crawler/registrable_domain.h"
#include "stage3_queue_crawler/http/response_head.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace stage3 {
namespace {

using common::Url;

/// True if nobody on the way can read or change what is sent there. Like browsers, this
/// trusts the machine itself, so that a site can be tried there before it's published.
/// Source: https://w3c.github.io/webappsec-secure-contexts/#is-origin-trustworthy
bool is_secure(const Url& url) {
    const std::string_view host = url.host();
    return url.scheme() == "https" || host == "localhost" || host.ends_with(".localhost")
           || host == "[::1]" || (url.host_is_address() && host.starts_with("127."));
}

std::string_view path_of(const Url& url) {
    const std::string_view target = url.target();
    return target.substr(0, target.find('?'));
}

/// The folder of the URL that has set a cookie. Source: RFC 6265bis, "Paths".
std::string_view default_path(const Url& url) {
    const std::string_view path = path_of(url);
    return path.substr(0, std::max<std::size_t>(path.rfind('/'), 1));
}

bool path_matches(std::string_view path, std::string_view cookie_path) {
    return path.starts_with(cookie_path)
           && (path.size() == cookie_path.size() || cookie_path.ends_with('/')
               || path[cookie_path.size()] == '/');
}

/// An address is in no domain. Source: RFC 6265bis, "Domain Matching".
bool domain_matches(std::string_view host, std::string_view domain) {
    return host == domain
           || (host.size() > domain.size() && host.ends_with(domain)
               && host[host.size() - domain.size() - 1] == '.');
}

bool begins_with(std::string_view text, std::string_view prefix) {
    return common::equal_ignoring_case(text.substr(0, prefix.size()), prefix);
}

/// A name may promise how its cookie was set: then it must have been set so.
/// Source: RFC 6265bis, "Cookie Name Prefixes".
bool keeps_promise(const SetCookie& set) {
    const std::string_view text = set.name.empty() ? set.value : set.name;
    const bool is_of_host = begins_with(text, "__Host-");
    if (!is_of_host && !begins_with(text, "__Secure-"))
        return true;
    return !set.name.empty() && set.is_secure
           && (!is_of_host || (set.domain.empty() && set.path == "/"));
}

/// Which hosts a cookie's Domain means, if it comes from there.
enum class Audience : std::uint8_t { none, host, domain };
Audience audience_of(std::string_view domain, const Url& url) {
    const std::string_view host = url.host();
    if (domain.empty())
        return Audience::host;
    if (domain == host)
        return url.host_is_address() || !may_own_domain(host) ? Audience::host
                                                              : Audience::domain;
    if (url.host_is_address() || !domain_matches(host, domain)
        || domain.size() < registrable_domain(url).size())
        return Audience::none;
    return may_own_domain(domain) ? Audience::domain : Audience::host;
}

} // namespace

// ---- Taking ----

void CookieJar::take_all(const Url& url, const ResponseHead& head) {
    for (const std::string_view text : head.values("Set-Cookie"))
        take(url, text, now());
}

void CookieJar::take(const Url& url, std::string_view set_cookie, TimePoint now) {
    std::optional<SetCookie> set = parse_set_cookie(set_cookie, now);
    if (!set)
        return;
    if (auto cookie = cookie_from(url, std::move(*set)))
        keep(std::string(registrable_domain(url)), std::move(*cookie), now);
}

/// Nothing if that URL's server may not set it.
std::optional<CookieJar::Cookie> CookieJar::cookie_from(const Url& url,
                                                        SetCookie set) const {
    const Audience audience = audience_of(set.domain, url);
    const bool came_safely = is_secure(url);
    if (audience == Audience::none || (set.is_secure && !came_safely)
        || !keeps_promise(set))
        return {};
    const std::string_view path =
        set.path.empty() ? default_path(url) : std::string_view(set.path);
    if (path.size() > SetCookie::most_in_detail) // a URL may be far longer
        return {};
    Cookie cookie{.name = std::move(set.name),
                  .value = std::move(set.value),
                  .host = audience == Audience::domain ? std::move(set.domain)
                                                       : std::string(url.host()),
                  .path = std::string(path),
                  .expires = set.expires,
                  .made = next_number_,
                  .used = next_number_,
                  .is_host_only = audience == Audience::host,
                  .is_secure = set.is_secure};
    const auto site = sites_.find(registrable_domain(url));
    if (!came_safely && site != sites_.end()
        && would_overwrite_secure(site->second, cookie))
        return {};
    return cookie;
}

/// Who can change what is sent without TLS could otherwise replace what came with it.
/// Source: RFC 6265bis, "Storage Model", about the secure-only-flag.
bool CookieJar::would_overwrite_secure(const Site& site, const Cookie& cookie) {
    return std::ranges::any_of(site, [&](const Cookie& known) {
        return known.is_secure && known.name == cookie.name
               && (domain_matches(known.host, cookie.host)
                   || domain_matches(cookie.host, known.host))
               && path_matches(cookie.path, known.path);
    });
}

/// In the place of one with the same name; if it has expired already, that one is gone.
void CookieJar::keep(const std::string& name, Cookie cookie, TimePoint now) {
    ++next_number_;
    const auto known = sites_.find(name);
    if (known != sites_.end()) {
        Site& site = known->second;
        const auto same = std::ranges::find_if(
            site, [&](const Cookie& other) { return cookie.is_same(other); });
        if (same != site.end()) {
            cookie.made = same->made;
            remove(site, same);
        }
    }
    if (cookie.has_expired(now))
        return;
    if (sites_.size() >= most) // of these, some had a cookie once
        std::erase_if(sites_, [](const auto& site) { return site.second.empty(); });
    Site& site = sites_[name];
    if (site.size() >= most_of_site)
        remove_expired(site, now);
    if (site.size() >= most_of_site)
        remove(site, least_used(site));
    if (size_ >= most)
        make_room(now);
    site.push_back(std::move(cookie));
    ++size_;
}

// ---- Room ----

void CookieJar::remove(Site& site, Site::iterator cookie) {
    site.erase(cookie);
    --size_;
}

void CookieJar::remove_expired(Site& site, TimePoint now) {
    size_ -= std::erase_if(
        site, [now](const Cookie& cookie) { return cookie.has_expired(now); });
}

CookieJar::Site::iterator CookieJar::least_used(Site& site) {
    return std::ranges::min_element(site, {}, &Cookie::used);
}

void CookieJar::make_room(TimePoint now) {
    Site* least = nullptr;
    for (auto& [name, site] : sites_) {
        remove_expired(site, now);
        if (!site.empty()
            && (least == nullptr || least_used(site)->used < least_used(*least)->used))
            least = &site;
    }
    if (least != nullptr && size_ >= most)
        remove(*least, least_used(*least));
}

// ---- Sending ----

bool CookieJar::goes_to(const Cookie& cookie, const Url& url) {
    const bool is_for_host = cookie.is_host_only
                                 ? url.host() == cookie.host
                                 : domain_matches(url.host(), cookie.host);
    return is_for_host && path_matches(path_of(url), cookie.path)
           && (!cookie.is_secure || is_secure(url));
}

std::string CookieJar::header_for(const Url& url, TimePoint now) {
    std::string header;
    if (size_ == 0) // as nearly always
        return header;
    const auto found = sites_.find(registrable_domain(url));
    if (found == sites_.end())
        return header;
    remove_expired(found->second, now);
    std::vector<Cookie*> cookies;
    for (Cookie& cookie : found->second)
        if (goes_to(cookie, url))
            cookies.push_back(&cookie);
    std::ranges::sort(cookies, [](const Cookie* a, const Cookie* b) {
        return a->path.size() != b->path.size() ? a->path.size() > b->path.size()
                                                : a->made < b->made;
    });
    for (Cookie* const cookie : cookies) {
        const std::string text =
            (cookie->name.empty() ? "" : cookie->name + '=') + cookie->value;
        if (header.size() + 2 + text.size() > longest_header)
            continue;
        header += (header.empty() ? "" : "; ") + text;
        cookie->used = next_number_++;
    }
    return header;
}

bool CookieJar::has_known(const Url& url) const {
    return !sites_.empty() && sites_.contains(registrable_domain(url));
}

} // namespace stage3
