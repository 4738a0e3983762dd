#include "common/url.h"

#include "common/ascii.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace common {
namespace {

using Handle = std::unique_ptr<CURLU, decltype(&::curl_url_cleanup)>;

Handle new_handle() { return {::curl_url(), &::curl_url_cleanup}; }

/// One part of what libcurl understood; empty if there is none.
std::string get(CURLU* handle, CURLUPart part, unsigned flags = 0) {
    char* text = nullptr;
    const CURLUcode code = ::curl_url_get(handle, part, &text, flags);
    // Owned before the code is looked at: libcurl 7.88 also hands over a text with its
    // error for a host that it can't turn into ASCII.
    const std::unique_ptr<char, decltype(&::curl_free)> owner(text, &::curl_free);
    return code == CURLUE_OK && text != nullptr ? text : std::string();
}

/// The scheme that a text begins with, without its colon; empty if it begins with none.
std::string_view scheme_of(std::string_view text) {
    const auto end = std::ranges::find_if_not(text, [](char c) {
        return is_alpha(c) || is_digit(c) || c == '+' || c == '-' || c == '.';
    });
    if (text.empty() || !is_alpha(text[0]) || end == text.end() || *end != ':')
        return {};
    return {text.begin(), end};
}

bool is_web_scheme(std::string_view scheme) {
    return equal_ignoring_case(scheme, "http") || equal_ignoring_case(scheme, "https");
}

/// What a browser does before it reads a URL: blanks around it and line breaks within it
/// go, the fragment goes, and a backslash in front of the query is a slash.
std::string cleaned(std::string_view text) {
    std::string result;
    const auto is_blank = [](char c) { return static_cast<unsigned char>(c) <= 0x20; };
    while (!text.empty() && is_blank(text.front()))
        text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back()))
        text.remove_suffix(1);
    bool in_query = false;
    for (const char c : text.substr(0, text.find('#'))) {
        if (c == '\t' || c == '\n' || c == '\r')
            continue;
        in_query = in_query || c == '?';
        result += c == '\\' && !in_query ? '/' : c;
    }
    return result;
}

/// Where the path begins in a cleaned text: behind "scheme:" and behind "//host".
std::size_t authority_end(std::string_view text) {
    const std::string_view scheme = scheme_of(text);
    const std::size_t begin = scheme.empty() ? 0 : scheme.size() + 1;
    if (!text.substr(begin).starts_with("//"))
        return begin;
    return std::min(text.find_first_of("/?", begin + 2), text.size());
}

/// Percent-encodes what may not stand in a path or a query as it is. libcurl refuses such
/// bytes; people write them in links every day.
std::string encoded(std::string_view text) {
    std::string result;
    bool in_query = false;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        in_query = in_query || c == '?';
        const std::string_view unsafe = in_query ? "\"<>'" : "\"<>`{}";
        if (byte <= 0x20 || byte >= 0x7f || unsafe.find(c) != std::string_view::npos)
            result += fmt::format("%{:02X}", byte);
        else
            result += c;
    }
    return result;
}

} // namespace

/// Fills a Url from the parts that libcurl found.
class UrlReader {
  public:
    static std::optional<Url> read(CURLU* handle) {
        const std::string scheme = lower(get(handle, CURLUPART_SCHEME));
        const std::string host = lower(get(handle, CURLUPART_HOST, CURLU_PUNYCODE));
        // libcurl lets through a few bytes that can be in no host name.
        if (!is_web_scheme(scheme) || host.empty()
            || host.find_first_of("%| <>^\\`{}\"") != std::string::npos)
            return std::nullopt;
        const std::string port = get(handle, CURLUPART_PORT, CURLU_NO_DEFAULT_PORT);
        const std::string path = get(handle, CURLUPART_PATH);
        const std::string query = get(handle, CURLUPART_QUERY);

        Url url;
        url.href_ = scheme + "://" + host;
        url.scheme_end_ = scheme.size();
        url.host_end_ = url.href_.size();
        if (!port.empty())
            url.href_ += ":" + port;
        url.path_begin_ = url.href_.size();
        url.href_ += path.empty() ? "/" : path;
        if (!query.empty())
            url.href_ += "?" + query;
        if (url.href_.size() > max_url_length)
            return std::nullopt;
        const int default_port = scheme == "https" ? 443 : 80;
        url.port_ =
            static_cast<std::uint16_t>(port.empty() ? default_port : std::stoi(port));
        return url;
    }

    /// Resolves against what the handle holds, or reads an absolute URL into a new one.
    static std::optional<Url> set_and_read(CURLU* handle, const std::string& text) {
        const std::size_t path = authority_end(text);
        const std::string safe =
            text.substr(0, path) + encoded(std::string_view(text).substr(path));
        if (safe.size() > max_url_length
            || ::curl_url_set(handle, CURLUPART_URL, safe.c_str(), 0) != CURLUE_OK)
            return std::nullopt;
        return read(handle);
    }
};

std::optional<Url> parse_url(std::string_view text) {
    const std::string clean = cleaned(text);
    // A NUL would end the text early for libcurl, which is written in C.
    if (!is_web_scheme(scheme_of(clean)) || clean.find('\0') != std::string::npos)
        return std::nullopt;
    return UrlReader::set_and_read(new_handle().get(), clean);
}

std::optional<Url> parse_root_url(std::string_view text) {
    // "localhost:8000" looks as if it had the scheme "localhost": a digit behind the
    // colon says that it is a port.
    const std::string_view scheme = scheme_of(text);
    const bool is_port =
        text.size() > scheme.size() + 1 && is_digit(text[scheme.size() + 1]);
    if (scheme.empty() || is_port)
        return parse_url("http://" + std::string(text));
    return parse_url(text);
}

std::optional<Url> resolve_url(std::string_view reference, const Url& base) {
    const std::string clean = cleaned(reference);
    // libcurl 7.88 resolves the empty reference, and so "#top", to the base's *folder*.
    if (clean.empty())
        return base;
    const std::string_view scheme = scheme_of(clean);
    if ((!scheme.empty() && !is_web_scheme(scheme))
        || clean.find('\0') != std::string::npos)
        return std::nullopt;
    const Handle handle = new_handle();
    if (::curl_url_set(handle.get(), CURLUPART_URL, base.href().c_str(), 0) != CURLUE_OK)
        return std::nullopt;
    return UrlReader::set_and_read(handle.get(), clean);
}

} // namespace common
