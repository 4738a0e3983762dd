// URLs: read one, resolve a link against the page it stands on, compare two.
//
// A crawler lives on the question "have I seen this page?", so two spellings of one URL
// must come out as the same text: scheme and host in lower case, no default port, no dot
// segments, no fragment (it never reaches a server), no user name or password, and
// everything that doesn't belong in a URL percent-encoded.
//
// It goes by the URL Standard, as browsers do (https://url.spec.whatwg.org). Only http
// and https are URLs here: nothing else can be crawled. Page 27 of the book.
#pragma once

#include "common/web/shared_text.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace common {

/// An absolute http or https URL in normal form. A small value: a text that it shares
/// with its copies, and where its parts begin; 16 bytes. Made by `parse_url` and
/// `resolve_url` only, so whoever holds one need not check it again. (There is one
/// exception, for code that reports malformed links: see malformed_url.h.)
class Url {
  public:
    /// True for text that stands where a URL should, but isn't one. It has no host.
    bool is_malformed() const { return places_.scheme_end == 0; }
    /// The whole URL, such as "http://example.com/a?b".
    std::string_view href() const { return href_.view(); }
    /// The same, with a zero behind it: for libraries in C.
    const char* c_str() const { return href_.c_str(); }
    /// Differs from one run of a program to the next. It has been computed already.
    std::uint32_t hash() const { return href_.hash(); }
    /// "http" or "https".
    std::string_view scheme() const { return part(0, places_.scheme_end); }
    /// Name or address in lower case; an IPv6 address in its brackets.
    std::string_view host() const {
        return part(places_.scheme_end + 3, places_.host_end);
    }
    /// True if the host is an address, and not a name that must be looked up.
    bool host_is_address() const;
    /// Host, and the port where it is not the default: what goes into a Host header.
    std::string_view authority() const {
        return part(places_.scheme_end + 3, places_.path_begin);
    }
    /// Scheme and authority: "https://example.com:8080".
    std::string_view origin() const { return part(0, places_.path_begin); }
    /// Path and query, at least "/": what goes into the first line of a request.
    std::string_view target() const {
        return href().substr(std::min<std::size_t>(places_.path_begin, href().size()));
    }
    /// The port, also where the URL leaves it out: 80 or 443.
    std::uint16_t port() const { return places_.port; }

    friend bool operator==(const Url& a, const Url& b) { return a.href() == b.href(); }
    friend auto operator<=>(const Url& a, const Url& b) { return a.href() <=> b.href(); }

  private:
    // The only ones that can fill a Url: in url.cpp and malformed_url.cpp.
    friend class UrlParser;
    friend class MalformedUrl;
    /// Where its parts end or begin. (No URL is so long that two bytes wouldn't do.)
    struct Places {
        std::uint16_t scheme_end = 0;
        std::uint16_t host_end = 0;
        std::uint16_t path_begin = 0;
        std::uint16_t port = 0;
    };
    Url(SharedText href, Places places) : href_(std::move(href)), places_(places) {}

    /// `begin` may be one more than the text has characters: a zero is behind it.
    std::string_view part(std::size_t begin, std::size_t end) const {
        return {href().data() + begin, end - begin};
    }

    SharedText href_;
    Places places_;
};

/// A longer URL is refused: servers' limits are near this, and a page can't fill the
/// crawler's memory with a few links.
constexpr std::size_t max_url_length = 8 * 1024;

/// Reads an absolute URL. Nothing if it is malformed, not http or https, or longer than
/// `max_url_length`.
std::optional<Url> parse_url(std::string_view text);

/// Reads what a person types as the place to start: like `parse_url`, but a text without
/// a scheme, such as "localhost:8000/docs", gets "http://".
std::optional<Url> parse_root_url(std::string_view text);

/// A user name and a password, as for HTTP's Basic authentication.
struct Login {
    std::string user;
    std::string password;

    friend bool operator==(const Login&, const Login&) = default;
};

/// What stands before the host in a root such as "https://user:password@host/",
/// percent-decoded; nothing if there is nothing, or it's no URL. No Url has it: so it
/// can't end up in a report, or on a page's way to somebody else.
std::optional<Login> login_in(std::string_view root);

/// The host's name without a leading "www.".
std::string_view without_www(std::string_view host);

/// Resolves a link found at `base` ("../a.html", "?page=2", "//host/", "#top", …) to an
/// absolute URL. Nothing if the result is not a URL to crawl.
/// Source: https://url.spec.whatwg.org/ for what is a URL, RFC 3986 section 5.2 for how
/// references resolve.
std::optional<Url> resolve_url(std::string_view reference, const Url& base);

} // namespace common

template <>
struct std::hash<common::Url> {
    std::size_t operator()(const common::Url& url) const noexcept {
        return std::hash<std::string_view>{}(url.href());
    }
};
