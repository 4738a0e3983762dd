// A fetch that failed, and who is to blame.
#pragma once

#include <cstdint>
#include <string_view>

/// What libcurl knows about a fetch that failed. (A response is no failure, not even a
/// proxy's 502 for an http page.)
struct Failure {
    std::string_view scheme = "https"; ///< of the URL: "http" or "https"
    bool unknown_proxy = false;  ///< the proxy's name has no address: nothing was tried
    bool leads_to_proxy = false; ///< its connection, made or only attempted
    int connect_status = 0;      ///< the proxy's answer to CONNECT; 0: none in this fetch
    bool request_sent = false;   ///< the request for the page, not CONNECT
    bool bad_certificate = false; ///< one was refused: the proxy's or the site's
};

enum class Culprit : std::uint8_t {
    site,
    proxy,   ///< it didn't get as far as an answer
    refusal, ///< the proxy's, too: it works, but it didn't want to open a tunnel
};

/// Who kept the page from arriving? The proxy speaks HTTP, perhaps with TLS. Once it has
/// done its part, it counts as innocent. Defined in yours.cpp.
Culprit culprit_of(const Failure& failure);
