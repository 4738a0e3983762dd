#include "stage3_queue_crawler/http/transfer.h"

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

Transfer::Transfer(Session& session, const Request& request, Connection connection)
    : session_(&session), easy_(make_easy(session.options_)),
      wants_body_(request.options.wants_body), on_head_(request.options.on_head),
      max_body_(request.options.max_body != 0 ? request.options.max_body
                                              : session.options_.max_body),
      url_(request.url), encrypted_(request.url.scheme() == "https"),
      shows_certificate_(encrypted_ && request.options.with_headers
                         && !session.options_.tls.certificate.empty()),
      only_head_(request.options.only_head), only_public_(request.options.only_public),
      proxy_(session.proxies_.for_scheme(request.url.scheme())),
      time_left_(
          rest_of(session.options_.fetch_timeout, session.loop_.time() - request.begun)),
      head_(session.options_.max_headers, encrypted_ && session.speaks_http2_),
      headers_complete_(session.loop_), complete_(session.loop_) {
    CURL* const easy = easy_.get();
    set_url();
    lists_ = set_options(easy, request.options, request.addresses,
                         session.headers_for(request.options));
    const auto connect_timeout =
        rest_of(session.options_.connect_timeout, session.loop_.time() - request.begun);
    set(easy, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(connect_timeout.count()));
    set(easy, CURLOPT_TIMEOUT_MS, static_cast<long>(time_left_.count()));
    set_tls(easy, session.options_.tls, request.options.with_headers);
    choose_connection(connection);
    set_callbacks();
    const CURLMcode code = curl_multi_add_handle(session.multi_.get(), easy);
    if (code == CURLM_OUT_OF_MEMORY)
        throw std::bad_alloc();
    if (code != CURLM_OK)
        throw std::runtime_error(curl_multi_strerror(code));
    session.transfers_.insert(this);
}

void Transfer::set_url() {
    set(easy_.get(), CURLOPT_URL, url_.c_str());
    // libcurl 8.23 would request %0A where the link says %0a, and that may be another
    // page. (A proxy wants the whole URL, so with one it's left to libcurl.)
    const std::string target(url_.target());
    if (!proxy_) {
        set(easy_.get(), CURLOPT_REQUEST_TARGET, target.c_str());
        set(easy_.get(), CURLOPT_NOPROXY, "*"); // it needn't look for one
    } else { // whom a CONNECT names; the site gets it in a header (see Session)
        set(easy_.get(), CURLOPT_USERAGENT, session_->options_.user_agent.c_str());
    }
}

/// Before a connection opens one of its own, it waits to see whether it can share one
/// that is being made. Without HTTP/2, that would only take time.
void Transfer::choose_connection(Connection connection) {
    CURL* const easy = easy_.get();
    const bool speaks_http2 = session_->speaks_http2_;
    const auto version = session_->versions_.find(std::string(url_.origin()));
    const bool may_share = encrypted_ && speaks_http2
                           && (version == session_->versions_.end()
                               || version->second == CURL_HTTP_VERSION_2_0);
    set(easy, CURLOPT_HTTP_VERSION,
        static_cast<long>(speaks_http2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1));
    const bool is_fresh = connection == Connection::fresh
                          || (connection == Connection::another && !may_share);
    set(easy, CURLOPT_PIPEWAIT, may_share && !is_fresh ? 1L : 0L);
    set(easy, CURLOPT_FRESH_CONNECT, is_fresh ? 1L : 0L);
}

void Transfer::set_callbacks() {
    CURL* const easy = easy_.get();
    set(easy, CURLOPT_PRIVATE, this);
    set(easy, CURLOPT_ERRORBUFFER, message_.data());
    set(easy, CURLOPT_PREREQFUNCTION, &Transfer::on_request);
    set(easy, CURLOPT_PREREQDATA, this);
    set(easy, CURLOPT_OPENSOCKETFUNCTION, &Transfer::on_open);
    set(easy, CURLOPT_OPENSOCKETDATA, this);
    set(easy, CURLOPT_CLOSESOCKETFUNCTION, &Session::on_close); // perhaps much later
    set(easy, CURLOPT_CLOSESOCKETDATA, session_);
    set(easy, CURLOPT_HEADERFUNCTION, &Transfer::on_header);
    set(easy, CURLOPT_HEADERDATA, this);
    set(easy, CURLOPT_WRITEFUNCTION, &Transfer::on_body);
    set(easy, CURLOPT_WRITEDATA, this);
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
    self->stage_ = std::max(self->stage_, Stage::requested);
    self->reuse_ = self->opened_port_ ? Reuse::none : Reuse::kept;
    if (self->reuse_ == Reuse::none || self->encrypted_
        || !self->session_->has_unasked_input(our_port))
        return CURL_PREREQFUNC_OK;
    self->reuse_ = Reuse::spoiled;
    return CURL_PREREQFUNC_ABORT;
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
    if (stage_ == Stage::in_body || !head_.complete())
        return true;
    constexpr int wants_login = 407; // a status that only proxies send
    if (head_.status() == wants_login && !encrypted_ && uses_proxy()) {
        stage_ = Stage::refused_by_proxy;
        return false;
    }
    if (on_head_)
        on_head_(url_, head_);
    if (head_.is_last()) // libcurl looks at this only when the transfer ends
        curl_easy_setopt(easy_.get(), CURLOPT_FORBID_REUSE, 1L);
    decoder_ = ContentDecoder(head_.list("Content-Encoding"), max_body_);
    stage_ = Stage::in_body;
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
    verdict_ = decoder_.take(
        part, [this](std::string_view unpacked) { return take_body_part(unpacked); });
    return verdict_ == ContentDecoder::Verdict::fine;
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
    if (result == CURLE_OK && stage_ == Stage::in_body
        && (only_head_ || decoder_.is_whole())) {
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
    const FetchError failure = error_of(failed(result), session_->options_);
    if (reuse_ == Reuse::kept && !headers_complete_.done() && result != CURLE_HTTP2_STREAM
        && failure.kind != FetchError::Kind::timed_out)
        reuse_ = Reuse::spoiled; // it broke too late to be noticed before
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

/// All that is known of it, for `error_of`.
FailedTransfer Transfer::failed(CURLcode result) const {
    CURL* const easy = easy_.get();
    curl_off_t took = 0;
    curl_easy_getinfo(easy, CURLINFO_TOTAL_TIME_T, &took);
    long connect_status = 0;
    curl_easy_getinfo(easy, CURLINFO_HTTP_CONNECTCODE, &connect_status);
    return {.result = result,
            .message = message_.data(),
            .system = system_error_of(easy),
            .took = std::chrono::microseconds(took),
            .time_left = time_left_,
            .stage = stage_,
            .has_opened_socket = opened_port_.has_value(),
            .open_error = open_error_,
            .objection = objection_,
            .is_encrypted = encrypted_,
            .shows_certificate = shows_certificate_,
            .had_handshake = has_handshake(),
            .has_answered_before =
                session_->versions_.contains(std::string(url_.origin())),
            .proxy = proxy_,
            .is_at_proxy = uses_proxy(),
            .connect_status = static_cast<int>(connect_status),
            .status = head_.status(),
            .refusal = head_.refusal(),
            .verdict = verdict_,
            .bytes = body_.size(),
            .max_body = max_body_};
}

/// True if TLS with the site was set up for this transfer.
bool Transfer::has_handshake() const {
    curl_off_t microseconds = 0;
    curl_easy_getinfo(easy_.get(), CURLINFO_APPCONNECT_TIME_T, &microseconds);
    return encrypted_ && microseconds > 0;
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
    long port = 0; // of the proxy, or of the site; mostly, they differ
    if (opened_port_)
        port = *opened_port_;
    else
        curl_easy_getinfo(easy_.get(), CURLINFO_PRIMARY_PORT, &port);
    return port == proxy_->port;
#endif
}

} // namespace stage3
