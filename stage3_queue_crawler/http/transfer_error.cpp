#include "stage3_queue_crawler/http/transfer_error.h"

#include "common/system/socket.h"
#include "common/web/http_response.h"
#include "stage3_queue_crawler/http/response_head.h"
#include "stage3_queue_crawler/http/tls.h"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

namespace stage3 {
namespace {

using Kind = FetchError::Kind;
using Stage = TransferStage;

FetchError make(const FailedTransfer& transfer, Kind kind, const std::string& what) {
    return {kind, what, transfer.bytes};
}

bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

/// libcurl's words for what happened.
std::string words_of(const FailedTransfer& transfer) {
    return transfer.message.empty() ? curl_easy_strerror(transfer.result)
                                    : transfer.message;
}

// ---- What we know ourselves ----

/// What is wrong with what has come.
std::optional<FetchError> error_in_response(const FailedTransfer& transfer) {
    using Verdict = ContentDecoder::Verdict;
    if (transfer.verdict == Verdict::enough)
        return make(transfer, Kind::too_large,
                    fmt::format("body larger than {}", describe_size(transfer.max_body)));
    if (!transfer.refusal.empty())
        return make(transfer, Kind::bad_response, transfer.refusal);
    if (transfer.verdict == Verdict::broken)
        return make(transfer, Kind::bad_response,
                    "the body's compression is broken or unknown");
    if (transfer.result == CURLE_OK && transfer.stage == Stage::in_body)
        return make(transfer, Kind::network, "the body's compression was cut off");
    return std::nullopt;
}

/// Why we didn't connect.
std::optional<FetchError> error_of_ours(const FailedTransfer& transfer) {
    if (transfer.open_error == EMFILE || transfer.open_error == ENFILE)
        return make(transfer, Kind::no_descriptor,
                    "no descriptor is left for another socket");
    // If a socket was opened, another of the host's addresses has failed.
    if (!transfer.objection.empty() && !transfer.has_opened_socket)
        return make(transfer, Kind::forbidden, transfer.objection);
    return std::nullopt;
}

// ---- Certificates ----

/// True if our own certificate, or its key, can't be used. libcurl 8.23 calls a key that
/// doesn't fit a bad argument, but still names its file.
bool is_fault_of_our_certificate(const FailedTransfer& transfer, const TlsOptions& tls) {
    if (transfer.stage != Stage::connecting || !transfer.shows_certificate)
        return false;
    const std::string file =
        fmt::format("'{}'", tls.key.empty() ? tls.certificate : tls.key);
    return transfer.result == CURLE_SSL_CERTPROBLEM
           || transfer.result == CURLE_BAD_FUNCTION_ARGUMENT
           || contains(transfer.message, file);
}

std::optional<FetchError> error_of_certificate(const FailedTransfer& transfer,
                                               const TlsOptions& tls) {
    const bool has_tls =
        transfer.is_encrypted
        || (transfer.proxy && transfer.proxy->name.starts_with("https:")); // one or both
    if (const auto fault = certificate_fault(transfer.message);
        has_tls && transfer.stage != Stage::in_body && !fault.empty())
        return make(transfer,
                    is_about_issuer(fault) ? Kind::untrusted : Kind::bad_response,
                    std::string(fault));
    if (is_fault_of_our_certificate(transfer, tls))
        return make(transfer, Kind::bad_option,
                    "the client certificate or its key can't be used "
                    "(see --cert and --key): "
                        + words_of(transfer));
    return std::nullopt;
}

// ---- By libcurl's code ----

FetchError error_of_timeout(const FailedTransfer& transfer,
                            const SessionOptions& options) {
    // Its timer started up to a millisecond before the time that it reports.
    constexpr std::chrono::milliseconds nearly(10);
    if (transfer.took >= transfer.time_left - nearly)
        return make(transfer, Kind::timed_out,
                    "timed out after " + in_seconds(options.fetch_timeout));
    if (transfer.stage == Stage::connecting)
        return make(
            transfer, Kind::timed_out,
            "no connection within "
                + in_seconds(std::min(options.connect_timeout, options.fetch_timeout)));
    return make(transfer, Kind::timed_out,
                "nothing has come for " + in_seconds(options.stall_timeout));
}

/// It broke, or the other side doesn't speak TLS.
FetchError error_of_handshake(const FailedTransfer& transfer) {
    const std::string words = words_of(transfer);
    if (contains(words, "SSL_ERROR_SYSCALL"))
        return make(transfer, Kind::network,
                    "the connection broke during the TLS handshake");
    return make(transfer, transfer.system ? Kind::network : Kind::bad_response, words);
}

/// True if bytes have come that libcurl can't split into chunks: if the system has no
/// error to report. (The system doesn't see TLS errors.)
bool has_broken_chunks(const FailedTransfer& transfer) {
    return transfer.result == CURLE_RECV_ERROR && transfer.stage == Stage::in_body
           && !transfer.system
           && (!transfer.is_encrypted || contains(transfer.message, "chunk"));
}

FetchError error_of_broken_connection(const FailedTransfer& transfer) {
    if (has_broken_chunks(transfer))
        return make(transfer, Kind::bad_response, "the body's chunks are broken");
    // A server that refuses our certificate, or the lack of one, closes the connection.
    // But not one that has answered before.
    const bool may_want_certificate = transfer.had_handshake && transfer.has_opened_socket
                                      && transfer.stage != Stage::in_body
                                      && !transfer.has_answered_before;
    return make(
        transfer, Kind::network,
        (transfer.system ? common::describe(transfer.system) : "the connection broke")
            + (may_want_certificate ? " right after the TLS handshake: see --cert" : ""));
}

/// What happened to the connection, or to this transfer on it.
std::string words_of_break(const FailedTransfer& transfer) {
    switch (transfer.result) {
    case CURLE_OK: return "the connection was closed in the middle of the headers";
    case CURLE_COULDNT_RESOLVE_HOST: return "cannot resolve the host's name";
    case CURLE_COULDNT_CONNECT:
        return transfer.system ? common::describe(transfer.system) : "cannot connect";
    case CURLE_HTTP2: // what 8.14 says of a connection, 7.88 says with one of the others
    case CURLE_GOT_NOTHING:
    case CURLE_PARTIAL_FILE:
        return transfer.stage == Stage::in_body
                   ? "the connection was closed in the middle of the body"
                   : "empty response";
    case CURLE_HTTP2_STREAM: return "its HTTP/2 stream was reset"; // others go on
    default: return words_of(transfer); // TLS, and anything else: the best we have
    }
}

FetchError error_by_code(const FailedTransfer& transfer, const SessionOptions& options) {
    switch (transfer.result) {
    case CURLE_OPERATION_TIMEDOUT: return error_of_timeout(transfer, options);
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR: return error_of_broken_connection(transfer);
    case CURLE_SSL_CONNECT_ERROR: return error_of_handshake(transfer);
    case CURLE_SSL_CACERT_BADFILE:
        return make(transfer, Kind::bad_option,
                    fmt::format("the CA certificates in {} can't be used (see --cacert)",
                                options.tls.ca_file));
    case CURLE_PEER_FAILED_VERIFICATION:
        return make(transfer, Kind::bad_response, words_of(transfer));
    case CURLE_URL_MALFORMAT: // its parser is stricter than the URL Standard
        return make(transfer, Kind::bad_response, "libcurl takes this for no URL");
#if LIBCURL_VERSION_NUM >= 0x080600
    case CURLE_TOO_LARGE: // a header line of 100 kB
#endif
    case CURLE_OUT_OF_MEMORY:         // 7.88's result for that
    case CURLE_BAD_FUNCTION_ARGUMENT: // and for a folded line before any header
    case CURLE_BAD_CONTENT_ENCODING:
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_UNSUPPORTED_PROTOCOL: // the URL's is http(s), so it's the response's
        return make(transfer, Kind::bad_response,
                    std::string(refusal_for(transfer.message)));
    default: return make(transfer, Kind::network, words_of_break(transfer));
    }
}

/// Which error it is, no matter which host is to blame.
FetchError error_anywhere(const FailedTransfer& transfer, const SessionOptions& options) {
    if (const auto error = error_in_response(transfer))
        return *error;
    if (const auto error = error_of_ours(transfer))
        return *error;
    if (const auto error = error_of_certificate(transfer, options.tls))
        return *error;
    return error_by_code(transfer, options);
}

// ---- Proxies ----

/// Why the proxy couldn't bring us to the site; empty if it did, or if there is none.
std::string fault_of_proxy(const FailedTransfer& transfer,
                           const SessionOptions& options) {
    const bool has_no_address = transfer.result == CURLE_COULDNT_RESOLVE_PROXY;
    if (!transfer.proxy || transfer.stage != Stage::connecting
        || !(has_no_address || transfer.is_at_proxy))
        return {};
    if (common::is_success(transfer.connect_status))
        return {}; // what failed was TLS with the site
    if (transfer.connect_status != 0)
        return fmt::format("it refuses, with status {}", transfer.connect_status);
    switch (transfer.result) {
    case CURLE_COULDNT_RESOLVE_PROXY: return "cannot resolve its name";
    case CURLE_COULDNT_CONNECT:
    case CURLE_OPERATION_TIMEDOUT: return error_anywhere(transfer, options).what();
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_GOT_NOTHING: return "no answer, or none in HTTP";
    case CURLE_PROXY: return words_of(transfer);
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CONNECT_ERROR: // through SOCKS, there's no CONNECT before TLS
        return transfer.proxy->name.starts_with("https:")
                   ? error_anywhere(transfer, options).what()
                   : "";
    default: return {};
    }
}

/// The error, with the proxy's name if it's the proxy's.
FetchError error_of_either(const FailedTransfer& transfer,
                           const SessionOptions& options) {
    FetchError error = error_anywhere(transfer, options);
    if (!transfer.proxy || error.kind == Kind::no_descriptor)
        return error;
    const bool is_refused = transfer.stage == Stage::refused_by_proxy;
    const std::string fault =
        is_refused ? fmt::format("it refuses, with status {}", transfer.status)
                   : fault_of_proxy(transfer, options);
    if (fault.empty())
        return error;
    return {is_refused ? Kind::bad_response : error.kind,
            fmt::format("the proxy {}: {}", transfer.proxy->name, fault), error.bytes};
}

/// Which step of connecting has failed, whether the site's or the proxy's.
FetchError::Step step_of(const FailedTransfer& transfer) {
    switch (transfer.result) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY: return FetchError::Step::address;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_ISSUER_ERROR: return FetchError::Step::tls;
    default: return FetchError::Step::connection;
    }
}

} // namespace

FetchError error_of(const FailedTransfer& transfer, const SessionOptions& options) {
    FetchError error = error_of_either(transfer, options);
    error.was_sent = transfer.stage != Stage::connecting;
    error.step = step_of(transfer);
    return error;
}

std::string in_seconds(std::chrono::milliseconds time) {
    return fmt::format("{} s", std::chrono::duration<double>(time).count());
}

} // namespace stage3
