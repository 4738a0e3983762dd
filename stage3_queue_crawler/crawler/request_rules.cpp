#include "stage3_queue_crawler/crawler/request_rules.h"

#include "common/text/ascii.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace stage3 {

using common::Url;

RequestCookies cookies_beside(const std::vector<std::string>& headers, CookieJar* jar) {
    const auto is_cookie = [](std::string_view header) {
        return common::equal_ignoring_case(
            common::trim(header.substr(0, header.find(':'))), "Cookie");
    };
    return {.jar = jar, .are_in_headers = std::ranges::any_of(headers, is_cookie)};
}

RequestRules::RequestRules(std::shared_ptr<const Scope> scope, Logins logins,
                           const Checks& checks, const SitemapChoice& sitemaps,
                           RequestCookies cookies)
    : scope_(std::move(scope)), logins_(std::move(logins)),
      checks_foreign_(checks.foreign), foreign_retry_(checks.foreign_retry),
      reads_sitemaps_(!sitemaps.is_none()), sitemaps_(sitemaps.urls), cookies_(cookies) {}

GetOptions RequestRules::options_for(const Url& url) const {
    GetOptions options;
    options.with_headers = scope_->is_of_root(url);
    if (const auto login = logins_.find(url.origin()); login != logins_.end())
        options.login = login->second;
    options.only_public = is_foreign(url) || is_named_by_site(url);
    if (cookies_.jar != nullptr)
        add_cookies(url, options);
    return options;
}

void RequestRules::add_cookies(const Url& url, GetOptions& options) const {
    options.on_head = [jar = cookies_.jar](const Url& asked, const ResponseHead& head) {
        jar->take_all(asked, head);
    };
    const std::string cookies = cookies_for(url);
    if (!cookies.empty())
        options.more_headers.push_back("Cookie: " + cookies);
}

std::string RequestRules::cookies_for(const Url& url) const {
    if (cookies_.jar == nullptr || (cookies_.are_in_headers && scope_->is_of_root(url)))
        return {};
    return cookies_.jar->header_for(url, CookieJar::now());
}

bool RequestRules::is_named_by_site(const Url& url) const {
    return reads_sitemaps_ && scope_->is_elsewhere(url)
           && std::ranges::none_of(
               sitemaps_, [&](const Url& named) { return named.host() == url.host(); });
}

} // namespace stage3
