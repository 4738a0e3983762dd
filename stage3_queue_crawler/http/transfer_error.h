// Which error is it, and whose: the site's, the proxy's, or ours?
//
// libcurl has a hundred codes, and its versions don't agree on them: what 8.14 says of a
// connection, 7.88 says of memory. A report must not depend on that, and must not blame a
// site for what its proxy did. So a transfer that has failed is described in values, and
// the functions here decide what is said of it. Page 23 of the book.
#pragma once

#include "stage3_queue_crawler/http/content_decoder.h"
#include "stage3_queue_crawler/http/proxy.h"
#include "stage3_queue_crawler/http/session.h"

#include <curl/curl.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <system_error>

namespace stage3 {

/// How far a transfer has come, in this order.
enum class TransferStage : std::uint8_t {
    connecting,       ///< or waiting for a connection that it may use
    requested,        ///< it has a connection, and the request may go out
    refused_by_proxy, ///< the head that came is a proxy's, which wants a login
    in_body,          ///< the head is complete
};

/// What is known of a transfer that has failed.
struct FailedTransfer {
    CURLcode result = CURLE_OK;  ///< CURLE_OK: it's complete for libcurl, and not for us
    std::string message = {};    ///< libcurl's; empty if it has none
    std::error_code system = {}; ///< why the connection failed, if libcurl knows
    std::chrono::microseconds took{};      ///< by libcurl's clock
    std::chrono::milliseconds time_left{}; ///< that the whole fetch had when it began

    TransferStage stage = TransferStage::connecting;
    bool has_opened_socket = false; ///< else it had a connection that was kept, or none
    int open_error = 0;             ///< an errno: why there is no socket
    std::string objection = {};     ///< to an address of the host

    bool is_encrypted = false;
    bool shows_certificate = false;   ///< of ours
    bool had_handshake = false;       ///< TLS with the site was set up
    bool has_answered_before = false; ///< the site, in this session and with TLS

    std::optional<Proxy> proxy = {};
    bool is_at_proxy = false; ///< its connection leads there
    int connect_status = 0;   ///< of the proxy's answer to CONNECT; 0: there is none

    int status = 0;
    std::string refusal = {}; ///< what is wrong with its head
    ContentDecoder::Verdict verdict = ContentDecoder::Verdict::fine;
    std::size_t bytes = 0; ///< of the body
    std::size_t max_body = 0;
};

/// Why there is no complete response. `options` are its session's.
FetchError error_of(const FailedTransfer& transfer, const SessionOptions& options);

/// "30 s".
std::string in_seconds(std::chrono::milliseconds time);

} // namespace stage3
