// Cookies: what servers want to be told again.
//
// Some pages are there only for a client that returns a cookie. So a crawl keeps what it
// is given, and returns it, as browsers do: never to another site than the one that has
// set it. libcurl has a jar, too. But that one can grow without limit, and it knows
// public suffixes only if libcurl was built with them.
//
// A jar is one process's own, and gone with it. Nothing of it is printed, written to a
// file, or sent to another process. Page 19 of the book.
#pragma once

#include "common/web/url.h"
#include "stage3_queue_crawler/crawler/set_cookie.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stage3 {

class ResponseHead;

struct CookieSettings {
    bool are_kept = true;
};

class CookieJar {
  public:
    using TimePoint = std::chrono::sys_seconds;

    static TimePoint now() {
        return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
    }

    static constexpr std::size_t most_of_site = 50;
    static constexpr std::size_t most = 3000;
    static constexpr std::size_t longest_header = std::size_t{8} * 1024; ///< bytes

    /// Takes the value of a Set-Cookie header that came from `url`, if it deserves it.
    /// Beyond a limit, those that have expired go first, and then those that were not
    /// used for longest. Source: RFC 6265bis, section "Storage Model".
    ///
    /// A Domain lets a cookie go to other hosts of its site, but only if this program
    /// knows which domains are sites (see registrable_domain.h); if it doesn't, the
    /// cookie is for its host alone.
    void take(const common::Url& url, std::string_view set_cookie, TimePoint now);
    /// The same for each of the response's Set-Cookie headers, now.
    void take_all(const common::Url& url, const ResponseHead& head);

    /// What to send to `url`: "a=b; c=d", or nothing. What would make it longer than
    /// `longest_header` is left out. Source: RFC 6265bis, section "Retrieval Algorithm".
    std::string header_for(const common::Url& url, TimePoint now);

    /// True if there is, or was, a cookie of that URL's site.
    bool has_known(const common::Url& url) const;
    /// How many there are.
    std::size_t size() const { return size_; }

  private:
    struct Cookie {
        std::string name;
        std::string value;
        std::string host; ///< or domain
        std::string path;
        std::optional<TimePoint> expires;
        std::uint64_t made; ///< a number that grows
        std::uint64_t used; ///< the same, when it was last sent or set
        bool is_host_only;
        bool is_secure;

        bool has_expired(TimePoint now) const { return expires && *expires <= now; }
        bool is_same(const Cookie& other) const {
            return name == other.name && host == other.host && path == other.path
                   && is_host_only == other.is_host_only;
        }
    };
    using Site = std::vector<Cookie>;

    std::optional<Cookie> cookie_from(const common::Url& url, SetCookie set) const;
    static bool would_overwrite_secure(const Site& site, const Cookie& cookie);
    static bool goes_to(const Cookie& cookie, const common::Url& url);
    void keep(const std::string& name, Cookie cookie, TimePoint now);
    void remove_expired(Site& site, TimePoint now);
    void make_room(TimePoint now);
    static Site::iterator least_used(Site& site);
    void remove(Site& site, Site::iterator cookie);

    std::map<std::string, Site, std::less<>> sites_; // by registrable domain
    std::size_t size_ = 0;
    std::uint64_t next_number_ = 0;
};

} // namespace stage3
