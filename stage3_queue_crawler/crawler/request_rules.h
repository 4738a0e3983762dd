// What a request may tell whom, and whose servers are somebody else's.
//
// A user's own headers and passwords are for the origins that the user has named. A link,
// a redirect or a sitemap can name any server, also one on our own network. So pages,
// robots.txt and sitemaps all ask here before they ask a server, and so all of them
// return the cookies that there are, and take new ones. Page 32 of the book.
#pragma once

#include "common/web/url.h"
#include "stage3_queue_crawler/crawler/checks.h"
#include "stage3_queue_crawler/crawler/cookie_jar.h"
#include "stage3_queue_crawler/crawler/scope.h"
#include "stage3_queue_crawler/crawler/sitemap.h"
#include "stage3_queue_crawler/http/session.h"

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace stage3 {

/// By a root's origin, such as "https://example.org:8080".
using Logins = std::map<std::string, common::Login, std::less<>>;

/// What is told besides, and what not.
struct RequestCookies {
    CookieJar* jar = nullptr;    ///< null: there are none; it must outlive the rules
    bool are_in_headers = false; ///< the user's headers have some already
};
/// `headers`: the user's.
RequestCookies cookies_beside(const std::vector<std::string>& headers, CookieJar* jar);

class RequestRules {
  public:
    /// For a crawl of what `scope` contains.
    RequestRules(std::shared_ptr<const Scope> scope, Logins logins, const Checks& checks,
                 const SitemapChoice& sitemaps, RequestCookies cookies = {});

    /// The user's headers and passwords go only to the origins that the user has named,
    /// wherever links and redirects lead. Other servers may not be on our own network.
    /// A request has one Cookie header at most: if the user's headers go there and have
    /// one, it's that.
    GetOptions options_for(const common::Url& url) const;
    /// Is it on someone else's server, which is asked only whether it's alive?
    bool is_foreign(const common::Url& url) const {
        return checks_foreign_ && scope_->is_elsewhere(url);
    }
    /// Is it on a server that only a sitemap or a robots.txt has named, outside the
    /// crawl's scope?
    bool is_named_by_site(const common::Url& url) const;
    /// How long to wait before a foreign server is asked for the second and last time;
    /// nothing for others.
    std::optional<std::chrono::milliseconds>
    pause_before_last_try(const common::Url& url) const {
        return is_foreign(url) ? std::optional(foreign_retry_) : std::nullopt;
    }

    /// The cookies of ours that go along, if any: "a=b; c=d".
    std::string cookies_for(const common::Url& url) const;

  private:
    void add_cookies(const common::Url& url, GetOptions& options) const;

    const std::shared_ptr<const Scope> scope_;
    const Logins logins_;
    const bool checks_foreign_;
    const std::chrono::milliseconds foreign_retry_;
    const bool reads_sitemaps_;
    const std::vector<common::Url> sitemaps_; // that the user has named
    const RequestCookies cookies_;
};

} // namespace stage3
