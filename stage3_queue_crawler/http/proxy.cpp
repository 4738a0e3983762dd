#include "stage3_queue_crawler/http/proxy.h"

#include <curl/curl.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <vector>

namespace stage3 {
namespace {

struct FreeUrl {
    void operator()(CURLU* url) const { curl_url_cleanup(url); }
};

/// Empty if there is no such part.
std::string part_of(CURLU* url, CURLUPart part, unsigned flags = 0) {
    char* text = nullptr;
    const CURLUcode code = curl_url_get(url, part, &text, flags);
    if (code == CURLUE_OUT_OF_MEMORY)
        throw std::bad_alloc();
    if (code != CURLUE_OK)
        return {};
    std::string copy = text;
    curl_free(text);
    return copy;
}

} // namespace

std::optional<Proxy> read_proxy(const std::string& text) {
    const std::unique_ptr<CURLU, FreeUrl> url(curl_url());
    const bool has_scheme = text.find("://") != std::string::npos;
    const std::string whole = has_scheme ? text : "http://" + text;
    const CURLUcode code = url ? curl_url_set(url.get(), CURLUPART_URL, whole.c_str(),
                                              CURLU_NON_SUPPORT_SCHEME)
                               : CURLUE_OUT_OF_MEMORY;
    if (code == CURLUE_OUT_OF_MEMORY)
        throw std::bad_alloc(); // no proxy would be the wrong answer
    if (code != CURLUE_OK)
        return {};
    const std::string scheme = part_of(url.get(), CURLUPART_SCHEME);
    const std::string host = part_of(url.get(), CURLUPART_HOST);
    constexpr std::array schemes{"http",    "https",  "socks",  "socks4",
                                 "socks4a", "socks5", "socks5h"};
    if (host.empty() || std::ranges::find(schemes, scheme) == schemes.end())
        return {};
    std::string port = part_of(url.get(), CURLUPART_PORT);
    if (port.empty()) // libcurl's defaults: SOCKS's port even for http
        port = scheme == "https" ? "443" : "1080";
    if (port == "0")
        return {};
    return Proxy{.name = scheme + "://" + host + ':' + port, .port = std::stoi(port)};
}

std::optional<ProxyVariable> proxy_variable_for(std::string_view scheme) {
    // No HTTP_PROXY: web servers set that from what a client says, for their scripts.
    const std::vector<std::string> names =
        scheme == "https"
            ? std::vector<std::string>{"https_proxy", "HTTPS_PROXY", "all_proxy",
                                       "ALL_PROXY"}
            : std::vector<std::string>{"http_proxy", "all_proxy", "ALL_PROXY"};
    for (const std::string& name : names) {
        const char* const value =
            std::getenv(name.c_str()); // NOLINT(concurrency-mt-unsafe)
        if (value != nullptr && *value != '\0')
            return ProxyVariable{.name = name, .value = value};
    }
    return {};
}

Proxies::Proxies(const std::string& chosen) {
    const auto proxy_for = [&](std::string_view scheme) -> std::optional<Proxy> {
        if (!chosen.empty())
            return read_proxy(chosen);
        const auto variable = proxy_variable_for(scheme);
        return variable ? read_proxy(variable->value) : std::nullopt;
    };
    http_ = proxy_for("http");
    https_ = proxy_for("https");
}

} // namespace stage3
