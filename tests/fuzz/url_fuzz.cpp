// What must hold for every URL, whatever it was made from. The input is a reference, a
// line break, and a base; without a line break, a URL.
#include "common/web/malformed_url.h"
#include "common/web/url.h"
#include "tests/fuzz/fuzz.h"

#include <curl/curl.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <arpa/inet.h>
#include <netinet/in.h>

namespace {

std::string part(CURLU* handle, CURLUPart which) {
    char* text = nullptr;
    const CURLUcode code = ::curl_url_get(handle, which, &text, CURLU_DEFAULT_PORT);
    const std::unique_ptr<char, decltype(&::curl_free)> owner(text, &::curl_free);
    return code == CURLUE_OK && text != nullptr ? text : "";
}

/// An IPv6 address can be written in many ways: libcurl 8.23 writes [::2.3.4.5] where the
/// URL Standard says [::203:405].
bool is_same_host(std::string ours, std::string theirs) {
    if (ours == theirs)
        return true;
    if (!ours.ends_with(']') || !theirs.ends_with(']'))
        return false;
    ours.pop_back();
    theirs.pop_back();
    in6_addr a{};
    in6_addr b{};
    return ::inet_pton(AF_INET6, ours.c_str() + 1, &a) == 1
           && ::inet_pton(AF_INET6, theirs.c_str() + 1, &b) == 1
           && std::ranges::equal(a.s6_addr, b.s6_addr);
}

void check(const common::Url& url) {
    const std::string_view href = url.href();
    tests::require(href.size() <= common::max_url_length,
                   "a URL is no longer than the limit");
    tests::require(std::ranges::all_of(href, [](char c) { return c > 0x20 && c < 0x7f; }),
                   "a URL has only printable ASCII");
    const auto again = common::parse_url(href);
    tests::require(again && again->href() == href, "a URL is read as it is written");
    tests::require(again && again->host() == url.host() && again->port() == url.port()
                       && again->target() == url.target(),
                   "the parts of a URL are where they seem to be");
    tests::require(url.target().starts_with('/'), "a target begins with a slash");
    tests::require(href.find('#') == std::string_view::npos, "a URL has no fragment");

    // libcurl fetches our URLs, so it must understand them as we do.
    const std::unique_ptr<CURLU, decltype(&::curl_url_cleanup)> handle(
        ::curl_url(), &::curl_url_cleanup);
    if (::curl_url_set(handle.get(), CURLUPART_URL, url.c_str(), CURLU_PATH_AS_IS)
        != CURLUE_OK)
        return;
    tests::require(
        is_same_host(std::string(url.host()), part(handle.get(), CURLUPART_HOST)),
        "libcurl finds the same host");
    tests::require(part(handle.get(), CURLUPART_PORT) == std::to_string(url.port()),
                   "libcurl finds the same port");
    const std::string target(url.target());
    tests::require(part(handle.get(), CURLUPART_PATH)
                       == target.substr(0, target.find('?')),
                   "libcurl finds the same path");
}

/// What is reported of a link that is no URL.
void check_malformed(std::string_view reference) {
    const auto url = common::malformed_url(reference);
    if (!url)
        return;
    const std::string_view text = url->href();
    tests::require(
        std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7f; }),
        "a malformed URL is printable ASCII");
    tests::require(!common::parse_url(text), "it's no URL");
    const auto again = common::read_href(text);
    tests::require(again && again->is_malformed() && again->href() == text,
                   "a malformed URL is read as it is written");
    tests::require(url->host().empty() && url->target().size() <= text.size(),
                   "a malformed URL has no host");
    tests::require(!common::explain(*url).text.empty(), "it's explained");
}

} // namespace

void tests::fuzz(std::string_view input) {
    const auto line = input.find('\n');
    if (line == std::string_view::npos) {
        if (const auto url = common::parse_url(input))
            check(*url);
        return;
    }
    const auto base = common::parse_url(input.substr(line + 1));
    if (!base)
        return;
    check(*base);
    const std::string_view reference = input.substr(0, line);
    const std::string absolute = std::string(base->origin()) + std::string(reference);
    require(common::resolve_url(absolute, *base) == common::parse_url(absolute),
            "an absolute URL doesn't depend on its page");
    const auto resolved = common::resolve_url(reference, *base);
    if (!resolved) {
        check_malformed(reference);
        return;
    }
    check(*resolved);
    // A leading "./" rules out the short way for a relative path and changes nothing
    // else.
    const bool relative = !reference.empty() && (reference[0] | 0x20) >= 'a'
                          && (reference[0] | 0x20) <= 'z'
                          && reference.find_first_of(":\\\t\r") == std::string_view::npos;
    if (relative) {
        const auto long_way = common::resolve_url("./" + std::string(reference), *base);
        require(long_way == resolved, "the short way gives the same URL");
    }
}
