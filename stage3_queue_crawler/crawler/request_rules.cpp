#include "stage3_queue_crawler/crawler/request_rules.h"

#include <algorithm>
#include <utility>

namespace stage3 {

using common::Url;

RequestRules::RequestRules(std::shared_ptr<const Scope> scope, Logins logins,
                           const Checks& checks, const SitemapChoice& sitemaps)
    : scope_(std::move(scope)), logins_(std::move(logins)),
      checks_foreign_(checks.foreign), foreign_retry_(checks.foreign_retry),
      reads_sitemaps_(!sitemaps.is_none()), sitemaps_(sitemaps.urls) {}

GetOptions RequestRules::options_for(const Url& url) const {
    GetOptions options;
    options.with_headers = scope_->is_of_root(url);
    if (const auto login = logins_.find(url.origin()); login != logins_.end())
        options.login = login->second;
    options.only_public = is_foreign(url) || is_named_by_site(url);
    return options;
}

bool RequestRules::is_named_by_site(const Url& url) const {
    return reads_sitemaps_ && scope_->is_elsewhere(url)
           && std::ranges::none_of(
               sitemaps_, [&](const Url& named) { return named.host() == url.host(); });
}

} // namespace stage3
