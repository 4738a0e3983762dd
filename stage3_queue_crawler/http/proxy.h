// Which proxy a request goes through, so that a failure there isn't blamed on the site.
// libcurl decides, from --proxy or from variables of the environment.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace stage3 {

/// A proxy, as libcurl reads its URL.
struct Proxy {
    std::string name; ///< for messages, such as "http://proxy:3128": without the login
    int port = 0;
};

/// Reads "host:port" or a URL whose scheme is http, https, or one of SOCKS. Nothing if
/// libcurl can't use that as a proxy.
std::optional<Proxy> read_proxy(const std::string& text);

/// A variable that names a proxy for URLs of this scheme.
struct ProxyVariable {
    std::string name;
    std::string value; ///< may contain a password
};

/// The variable that libcurl goes by; none if no proxy is set. (no_proxy may exempt some
/// hosts.) Source: man 1 curl, "Environment".
std::optional<ProxyVariable> proxy_variable_for(std::string_view scheme);

/// The proxies for the two kinds of URLs.
class Proxies {
  public:
    /// None.
    Proxies() = default;
    /// `chosen` is for both; if it's empty, the environment names them.
    explicit Proxies(const std::string& chosen);

    /// None: requests for such URLs go straight to their servers.
    const std::optional<Proxy>& for_scheme(std::string_view scheme) const {
        return scheme == "https" ? https_ : http_;
    }

  private:
    std::optional<Proxy> http_;
    std::optional<Proxy> https_;
};

} // namespace stage3
