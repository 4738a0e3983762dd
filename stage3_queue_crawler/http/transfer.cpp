#include "stage3_queue_crawler/http/transfer.h"

#include "common/system/socket.h"
#include "common/text/ascii.h"
#include "common/web/http_response.h"
#include "stage3_queue_crawler/http/address.h"
#include "stage3_queue_crawler/http/easy_option.h"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <new>
#include <stdexcept>
#include <system_error>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace stage3 {
namespace {

/// A body that isn't wanted is received if it has no more bytes than this: to drop it
/// costs its connection. Measured with nginx on loopback and ten workers, in ms of the
/// processor for each file of this size:
///
///                    4 KiB  64 KiB  128 KiB  256 KiB  1 MiB  4 MiB
///     received        0.09    0.14     0.22     0.52    2.1    5.5
///     dropped         0.19    0.19     0.18     0.19    0.2    0.3
///     TLS, received   0.15    0.26     0.43     0.59    2.2    7.6
///     TLS, dropped    1.4     1.6      1.2      1.3     1.8    1.5
///
/// So without TLS, 128 KiB cost as much either way. With TLS, a few more would still be
/// cheaper for us, but not for the server's line.
constexpr std::size_t cheap = std::size_t{128} * 1024;

/// What is left of a time limit: at least 1 ms, since 0 means no limit to libcurl.
std::chrono::milliseconds rest_of(std::chrono::milliseconds limit,
                                  EventLoop::Duration passed) {
    return std::max(limit - std::chrono::floor<std::chrono::milliseconds>(passed),
                    std::chrono::milliseconds(1));
}

/// The system's reason for a failed connection, if libcurl knows one.
std::error_code system_error_of(CURL* easy) {
    long number = 0;
    curl_easy_getinfo(easy, CURLINFO_OS_ERRNO, &number);
    return {static_cast<int>(number), std::generic_category()};
}

} // namespace

std::string in_seconds(std::chrono::milliseconds time) {
    return fmt::format("{} s", std::chrono::duration<double>(time).count());
}

Transfer::Transfer(Session& session, const Request& request, Connection connection)
    : session_(&session), easy_(make_easy(session.options_)),
      wants_body_(request.options.wants_body),
      max_body_(request.options.max_body != 0 ? request.options.max_body
                                              : session.options_.max_body),
      url_(request.url), encrypted_(request.url.scheme() == "https"),
      shows_certificate_(encrypted_ && request.options.with_headers
                         && !session.options_.tls.certificate.empty()),
      only_head_(request.options.only_head), only_public_(request.options.only_public),
      proxy_(session.proxies_.for_scheme(request.url.scheme())),
      head_(session.options_.max_headers, encrypted_ && session.speaks_http2_),
      time_left_(
          rest_of(session.options_.fetch_timeout, session.loop_.time() - request.begun)),
      headers_complete_(session.loop_), complete_(session.loop_) {
    CURL* const easy = easy_.get();
    set(easy, CURLOPT_URL, request.url.c_str());
    // libcurl 8.23 would request %0A where the link says %0a, and that may be another
    // page. (A proxy wants the whole URL, so with one it's left to libcurl.)
    const std::string target(request.url.target());
    if (!proxy_)
        set(easy, CURLOPT_REQUEST_TARGET, target.c_str());
    if (!request.addresses.empty())
        append(addresses_, request.addresses.c_str());
    set(easy, CURLOPT_RESOLVE, addresses_.get());
    set(easy, CURLOPT_NOBODY, only_head_ ? 1L : 0L);
    set(easy, CURLOPT_PRIVATE, this);
    set(easy, CURLOPT_ERRORBUFFER, message_.data());
    const auto connect_timeout =
        rest_of(session.options_.connect_timeout, session.loop_.time() - request.begun);
    set(easy, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(connect_timeout.count()));
    set(easy, CURLOPT_TIMEOUT_MS, static_cast<long>(time_left_.count()));
    curl_slist* headers = request.options.with_headers ? session.headers_.get() : nullptr;
    if (const auto& more = request.options.more_headers; !more.empty()) {
        for (; headers != nullptr; headers = headers->next)
            append(headers_, headers->data);
        for (const std::string& header : more)
            append(headers_, header.c_str());
        headers = headers_.get();
    }
    set(easy, CURLOPT_HTTPHEADER, headers);
    if (const auto& login = request.options.login) {
        set(easy, CURLOPT_USERNAME, login->user.c_str());
        set(easy, CURLOPT_PASSWORD, login->password.c_str());
    }
    set_tls(easy, session.options_.tls, request.options.with_headers);
    // Before a connection opens one of its own, it waits to see whether it can share one
    // that is being made. Without HTTP/2, that would only take time.
    const auto version = session.versions_.find(std::string(url_.origin()));
    const bool may_share = encrypted_ && session.speaks_http2_
                           && (version == session.versions_.end()
                               || version->second == CURL_HTTP_VERSION_2_0);
    set(easy, CURLOPT_HTTP_VERSION,
        static_cast<long>(session.speaks_http2_ ? CURL_HTTP_VERSION_2TLS
                                                : CURL_HTTP_VERSION_1_1));
    const bool is_fresh = connection == Connection::fresh
                          || (connection == Connection::another && !may_share);
    set(easy, CURLOPT_PIPEWAIT, may_share && !is_fresh ? 1L : 0L);
    set(easy, CURLOPT_FRESH_CONNECT, is_fresh ? 1L : 0L);
    set(easy, CURLOPT_PREREQDATA, this);
    set(easy, CURLOPT_OPENSOCKETDATA, this);
    set(easy, CURLOPT_HEADERDATA, this);
    set(easy, CURLOPT_WRITEDATA, this);
    const CURLMcode code = curl_multi_add_handle(session.multi_.get(), easy);
    if (code == CURLM_OUT_OF_MEMORY)
        throw std::bad_alloc();
    if (code != CURLM_OK)
        throw std::runtime_error(curl_multi_strerror(code));
    session.transfers_.insert(this);
}

/// Sets what is the same for all fetches of a session. Each fetch gets a new handle: up
/// to 8.1.0, libcurl's headers of one transfer could point into those of the last one if
/// a server sent a continuation line first, and the program crashed.
/// Source: https://github.com/curl/curl/issues/11101
Easy Transfer::make_easy(const SessionOptions& options) {
    Easy owner(curl_easy_init());
    if (!owner)
        throw std::bad_alloc();
    CURL* const easy = owner.get();
    set(easy, CURLOPT_NOSIGNAL, 1L); // safe with threads; saves two system calls per step
    set(easy, CURLOPT_PROTOCOLS_STR, "http,https"); // otherwise, it can read local files
    set(easy, CURLOPT_FOLLOWLOCATION, 0L);
    set(easy, CURLOPT_ACCEPT_ENCODING, "gzip");
    set(easy, CURLOPT_HTTP_CONTENT_DECODING, 0L); // we do that ourselves
    if (!options.proxy.empty())
        set(easy, CURLOPT_PROXY, options.proxy.c_str());
    set(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L); // a proxy's answer isn't the site's
    set(easy, CURLOPT_USERAGENT, options.user_agent.c_str());
    set(easy, CURLOPT_LOW_SPEED_LIMIT, 1L); // bytes per second
    set(easy, CURLOPT_LOW_SPEED_TIME, static_cast<long>(options.stall_timeout.count()));
    set(easy, CURLOPT_PREREQFUNCTION, &Transfer::on_request);
    set(easy, CURLOPT_OPENSOCKETFUNCTION, &Transfer::on_open);
    set(easy, CURLOPT_HEADERFUNCTION, &Transfer::on_header);
    set(easy, CURLOPT_WRITEFUNCTION, &Transfer::on_body);
    return owner;
}

// [end]
Transfer::~Transfer() {
    if (session_ == nullptr)
        return; // the session has ended, and abandoned it
    if (session_->transfers_.erase(this) != 0)
        curl_multi_remove_handle(session_->multi_.get(), easy_.get());
}
// [/end]

void Transfer::abandon() {
    curl_multi_remove_handle(session_->multi_.get(), easy_.get());
    session_ = nullptr;
    fail(std::make_exception_ptr(
        FetchError(FetchError::Kind::network, "the session has ended", body_.size())));
}

// ---- Notes ----

// libcurl is C: no exception may pass through it. Accepting fewer bytes than there are
// aborts the transfer.

bool Transfer::may_connect(const sockaddr& address) noexcept {
    try {
        const bool is_near = !proxy_ && is_private(address);
        if (is_near && only_public_ && !session_->may_be_private()) {
            objection_ = fmt::format("address {} is private", in_digits(address));
            return false;
        }
        if (is_near && !only_public_)
            session_->allow_private();
        if (!session_->options_.objection)
            return true;
        objection_ = session_->options_.objection(address);
        return objection_.empty();
    } catch (const std::exception&) {
        return false; // no answer means no
    }
}

/// Opens a socket as libcurl would, but keeps errno: libcurl just says "cannot connect".
curl_socket_t Transfer::on_open(void* transfer, curlsocktype /*purpose*/,
                                curl_sockaddr* address) noexcept {
    auto* const self = static_cast<Transfer*>(transfer);
    if (!self->may_connect(address->addr))
        return CURL_SOCKET_BAD; // libcurl tries the host's next address, if any
    self->opened_ = true;
    self->opened_port_ = port_of(address->addr);
    int type = address->socktype;
#ifdef SOCK_CLOEXEC
    type |= SOCK_CLOEXEC; // not for child processes
#endif
    const int fd = ::socket(address->family, type, address->protocol);
    if (fd < 0) {
        self->open_error_ = errno;
        return CURL_SOCKET_BAD;
    }
    if (!self->session_->loop_.can_watch(fd)) { // its number is too high for select
        ::close(fd);
        self->open_error_ = EMFILE;
        return CURL_SOCKET_BAD;
    }
#ifndef SOCK_CLOEXEC
    ::fcntl(fd, F_SETFD, FD_CLOEXEC);
#endif
    return fd;
}

/// There is a connection, and libcurl is about to send the request on it.
int Transfer::on_request(void* transfer, char* /*their_address*/, char* /*our_address*/,
                         int /*their_port*/, int our_port) noexcept {
    auto* const self = static_cast<Transfer*>(transfer);
    self->connected_ = true;
    self->reused_ = !self->opened_;
    self->spoiled_ =
        self->reused_ && !self->encrypted_ && self->session_->has_unasked_input(our_port);
    return self->spoiled_ ? CURL_PREREQFUNC_ABORT : CURL_PREREQFUNC_OK;
}

std::size_t Transfer::on_header(char* bytes, std::size_t size, std::size_t count,
                                void* transfer) noexcept {
    try {
        const std::string_view line(bytes, size * count);
        return static_cast<Transfer*>(transfer)->take_header(line) ? line.size() : 0;
    } catch (...) {
        static_cast<Transfer*>(transfer)->no_memory_ = true;
        return 0;
    }
}

bool Transfer::take_header(std::string_view line) {
    if (!head_.take(line))
        return false;
    if (in_body_ || !head_.complete())
        return true;
    constexpr int wants_login = 407; // a status that only proxies send
    is_refused_by_proxy_ = head_.status() == wants_login && !encrypted_ && uses_proxy();
    if (is_refused_by_proxy_)
        return false;
    if (head_.is_last()) // libcurl looks at this only when the transfer ends
        curl_easy_setopt(easy_.get(), CURLOPT_FORBID_REUSE, 1L);
    decoder_ = ContentDecoder(head_.list("Content-Encoding"), max_body_);
    in_body_ = true;
    if (!only_head_)
        body_.reserve(promised_body());
    is_wanted_ = !wants_body_ || wants_body_(head_);
    if (!is_wanted_)
        do_without_body();
    headers_complete_.set_result_unless_done();
    return true;
}

/// How much room to reserve for the body, so that it needn't be moved as it grows. The
/// promised length may be a lie, so it gets no more room than most pages need.
std::size_t Transfer::promised_body() const {
    curl_off_t length = 0; // -1: none was promised
    curl_easy_getinfo(easy_.get(), CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
    return static_cast<std::size_t>(std::clamp<curl_off_t>(length, 0, 64 * 1024));
}

bool Transfer::do_without_body() {
    const auto length = head_.body_length();
    enough_ = cheap; // also once it's unpacked
    if (only_head_ || length.value_or(cheap + 1) <= cheap)
        return true;
    enough_ = length ? 0 : cheap;
    return body_.size() <= enough_ && !length;
}

Future<> Transfer::beginning(std::size_t bytes) {
    if (complete_.done())
        return complete_;
    if (beginning_ && !beginning_->done())
        throw std::logic_error("two tasks wait for the beginning of one response");
    beginning_size_ = bytes;
    beginning_.emplace(session_->loop_);
    if (body_.size() >= bytes)
        beginning_->set_result();
    return *beginning_;
}

std::size_t Transfer::on_body(char* bytes, std::size_t size, std::size_t count,
                              void* transfer) noexcept {
    try {
        const std::string_view part(bytes, size * count);
        return static_cast<Transfer*>(transfer)->unpack(part) ? part.size() : 0;
    } catch (...) {
        static_cast<Transfer*>(transfer)->no_memory_ = true;
        return 0;
    }
}

bool Transfer::unpack(std::string_view part) {
    using Verdict = ContentDecoder::Verdict;
    const Verdict verdict = decoder_.take(
        part, [this](std::string_view unpacked) { return take_body_part(unpacked); });
    body_broken_ = verdict == Verdict::broken;
    body_too_large_ = verdict == Verdict::enough;
    return verdict == Verdict::fine;
}

// [body-part]
bool Transfer::take_body_part(std::string_view part) {
    // Counted here, after decompression: a megabyte can become a gigabyte.
    const std::size_t room = max_body_ - body_.size();
    body_ += part.substr(0, room);
    if (beginning_ && body_.size() >= beginning_size_)
        beginning_->set_result_unless_done();
    return part.size() <= room && body_.size() <= enough_;
}
// [/body-part]

// ---- The end ----

void Transfer::end(CURLcode result) {
    session_->transfers_.erase(this);
    session_->note_connection(easy_.get());
    note_version();
    curl_multi_remove_handle(session_->multi_.get(), easy_.get());
    if (result == CURLE_OK && in_body_ && (only_head_ || decoder_.is_whole())) {
        headers_complete_.set_result_unless_done();
        complete_.set_result_unless_done();
        if (beginning_)
            beginning_->set_result_unless_done();
        return;
    }
    if (no_memory_) {
        fail(std::make_exception_ptr(std::bad_alloc()));
        return;
    }
    FetchError failure = error(result);
    failure.was_sent = connected_;
    if (reused_ && !headers_complete_.done() && result != CURLE_HTTP2_STREAM
        && failure.kind != FetchError::Kind::timed_out)
        spoiled_ = true; // it broke too late to be noticed before
    fail(std::make_exception_ptr(failure));
}

void Transfer::fail(const std::exception_ptr& failure) {
    for (const Future<>* const future : {&headers_complete_, &complete_}) {
        if (!future->done()) // perhaps no task reads the body
            future->set_exception_quietly(failure);
    }
    if (beginning_ && !beginning_->done())
        beginning_->set_exception_quietly(failure);
}

/// What a server's first answer is written in. It may demand HTTP/1.1 for some paths, and
/// still speak HTTP/2 for the others.
void Transfer::note_version() {
    long version = 0; // 0: there was no answer
    curl_easy_getinfo(easy_.get(), CURLINFO_HTTP_VERSION, &version);
    if (encrypted_ && version != 0)
        session_->versions_.emplace(url_.origin(), version);
}

/// libcurl's description of what happened.
std::string Transfer::words(CURLcode result) const {
    return message_[0] != '\0' ? message_.data() : curl_easy_strerror(result);
}

/// True if TLS with the site was set up for this transfer.
bool Transfer::has_handshake() const {
    curl_off_t microseconds = 0;
    curl_easy_getinfo(easy_.get(), CURLINFO_APPCONNECT_TIME_T, &microseconds);
    return encrypted_ && microseconds > 0;
}

/// True if our own certificate, or its key, can't be used. libcurl 8.23 calls a key that
/// doesn't fit a bad argument, but still names its file.
bool Transfer::is_fault_of_our_certificate(CURLcode result) const {
    if (connected_ || !shows_certificate_)
        return false;
    const TlsOptions& tls = session_->options_.tls;
    const std::string file =
        fmt::format("'{}'", tls.key.empty() ? tls.certificate : tls.key);
    return result == CURLE_SSL_CERTPROBLEM || result == CURLE_BAD_FUNCTION_ARGUMENT
           || std::string_view(message_.data()).find(file) != std::string_view::npos;
}

/// True if its connection leads to the proxy.
bool Transfer::uses_proxy() const {
    if (!proxy_)
        return false;
#if LIBCURL_VERSION_NUM >= 0x080700
    long used = 0;
    curl_easy_getinfo(easy_.get(), CURLINFO_USED_PROXY, &used);
    return used != 0;
#else
    long port = opened_port_; // of the proxy, or of the site; mostly, they differ
    if (!opened_)
        curl_easy_getinfo(easy_.get(), CURLINFO_PRIMARY_PORT, &port);
    return port == proxy_->port;
#endif
}

/// Why the proxy couldn't bring us to the site; empty if it did, or if there is none.
std::string Transfer::fault_of_proxy(CURLcode result) const {
    const bool has_no_address = result == CURLE_COULDNT_RESOLVE_PROXY;
    if (!proxy_ || connected_ || !(has_no_address || uses_proxy()))
        return {};
    long status = 0; // of its answer to CONNECT
    curl_easy_getinfo(easy_.get(), CURLINFO_HTTP_CONNECTCODE, &status);
    if (common::is_success(static_cast<int>(status)))
        return {}; // what failed was TLS with the site
    if (status != 0)
        return fmt::format("it refuses, with status {}", status);
    switch (result) {
    case CURLE_COULDNT_RESOLVE_PROXY: return "cannot resolve its name";
    case CURLE_COULDNT_CONNECT:
    case CURLE_OPERATION_TIMEDOUT: return error_anywhere(result).what();
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_GOT_NOTHING: return "no answer, or none in HTTP";
    case CURLE_PROXY: return words(result);
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CONNECT_ERROR: // through SOCKS, there's no CONNECT before TLS
        return proxy_->name.starts_with("https:") ? error_anywhere(result).what() : "";
    default: return {};
    }
}

FetchError Transfer::error(CURLcode result) const {
    FetchError failure = error_anywhere(result);
    if (!proxy_ || failure.kind == FetchError::Kind::no_descriptor)
        return failure;
    const std::string fault =
        is_refused_by_proxy_ ? fmt::format("it refuses, with status {}", head_.status())
                             : fault_of_proxy(result);
    if (fault.empty())
        return failure;
    return {is_refused_by_proxy_ ? FetchError::Kind::bad_response : failure.kind,
            fmt::format("the proxy {}: {}", proxy_->name, fault), failure.bytes};
}

FetchError Transfer::error_anywhere(CURLcode result) const {
    using Kind = FetchError::Kind;
    const SessionOptions& options = session_->options_;
    const auto make = [&](Kind kind, const std::string& what) {
        return FetchError(kind, what, body_.size());
    };
    if (body_too_large_)
        return make(Kind::too_large,
                    fmt::format("body larger than {}", describe_size(max_body_)));
    if (!head_.refusal().empty())
        return make(Kind::bad_response, head_.refusal());
    if (body_broken_)
        return make(Kind::bad_response, "the body's compression is broken or unknown");
    if (result == CURLE_OK && in_body_) // complete for libcurl, but not for the decoder
        return make(Kind::network, "the body's compression was cut off");
    if (open_error_ == EMFILE || open_error_ == ENFILE)
        return make(Kind::no_descriptor, "no descriptor is left for another socket");
    if (!objection_.empty() && !opened_) // else another of its addresses has failed
        return make(Kind::forbidden, objection_);
    const bool has_tls =
        encrypted_ || (proxy_ && proxy_->name.starts_with("https:")); // one or both
    if (const auto fault = certificate_fault(message_.data());
        has_tls && !in_body_ && !fault.empty())
        return make(is_about_issuer(fault) ? Kind::untrusted : Kind::bad_response,
                    std::string(fault));
    if (is_fault_of_our_certificate(result))
        return make(Kind::bad_option, "the client certificate or its key can't be used "
                                      "(see --cert and --key): "
                                          + words(result));
    const std::error_code system = system_error_of(easy_.get());
    switch (result) {
    case CURLE_OK:
        return make(Kind::network,
                    "the connection was closed in the middle of the headers");
    case CURLE_COULDNT_RESOLVE_HOST:
        return make(Kind::network, "cannot resolve the host's name");
    case CURLE_COULDNT_CONNECT:
        return make(Kind::network, system ? common::describe(system) : "cannot connect");
    case CURLE_OPERATION_TIMEDOUT: {
        curl_off_t total = 0;
        curl_easy_getinfo(easy_.get(), CURLINFO_TOTAL_TIME_T, &total);
        // Its timer started up to a millisecond before the time that it reports.
        constexpr std::chrono::milliseconds nearly(10);
        if (std::chrono::microseconds(total) >= time_left_ - nearly)
            return make(Kind::timed_out,
                        "timed out after " + in_seconds(options.fetch_timeout));
        if (!connected_)
            return make(Kind::timed_out,
                        "no connection within "
                            + in_seconds(std::min(options.connect_timeout,
                                                  options.fetch_timeout)));
        return make(Kind::timed_out,
                    "nothing has come for " + in_seconds(options.stall_timeout));
    }
    case CURLE_PEER_FAILED_VERIFICATION: return make(Kind::bad_response, words(result));
    case CURLE_SSL_CONNECT_ERROR: // it broke, or the other side doesn't speak TLS
        if (words(result).find("SSL_ERROR_SYSCALL") != std::string::npos)
            return make(Kind::network, "the connection broke during the TLS handshake");
        return make(system ? Kind::network : Kind::bad_response, words(result));
    case CURLE_SSL_CACERT_BADFILE:
        return make(Kind::bad_option,
                    fmt::format("the CA certificates in {} can't be used (see --cacert)",
                                options.tls.ca_file));
    case CURLE_HTTP2: // what 8.14 says of a connection, 7.88 says with one of the others
    case CURLE_GOT_NOTHING:
    case CURLE_PARTIAL_FILE:
        return make(Kind::network,
                    in_body_ ? "the connection was closed in the middle of the body"
                             : "empty response");
    case CURLE_HTTP2_STREAM: // the connection still serves others
        return make(Kind::network, "its HTTP/2 stream was reset");
    case CURLE_RECV_ERROR:
        // If the system has no error to report, bytes have come that libcurl can't split
        // into chunks. (The system doesn't see TLS errors.)
        if (in_body_ && !system
            && (!encrypted_
                || std::string_view(message_.data()).find("chunk")
                       != std::string_view::npos))
            return make(Kind::bad_response, "the body's chunks are broken");
        [[fallthrough]];
    case CURLE_SEND_ERROR:
        // A server that refuses our certificate, or the lack of one, closes the
        // connection. But not one that has answered before.
        return make(
            Kind::network,
            (system ? common::describe(system) : "the connection broke")
                + (has_handshake() && opened_ && !in_body_
                           && !session_->versions_.contains(std::string(url_.origin()))
                       ? " right after the TLS handshake: see --cert"
                       : ""));
    case CURLE_URL_MALFORMAT: // its parser is stricter than the URL Standard
        return make(Kind::bad_response, "libcurl takes this for no URL");
#if LIBCURL_VERSION_NUM >= 0x080600
    case CURLE_TOO_LARGE: // a header line of 100 kB
#endif
    case CURLE_OUT_OF_MEMORY:         // 7.88's result for that
    case CURLE_BAD_FUNCTION_ARGUMENT: // and for a folded line before any header
    case CURLE_BAD_CONTENT_ENCODING:
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_UNSUPPORTED_PROTOCOL: // the URL's is http(s), so it's the response's
        return make(Kind::bad_response, std::string(refusal_for(message_.data())));
    default:
        // TLS, and anything else: libcurl's words are the best we have.
        return make(Kind::network, words(result));
    }
}

} // namespace stage3
