#include "stage3_queue_crawler/http/session.h"

#include "common/system/descriptors.h"
#include "common/system/selector.h"
#include "common/text/ascii.h"
#include "common/text/join.h"
#include "stage3_queue_crawler/http/address.h"
#include "stage3_queue_crawler/http/transfer.h"
#include "stage3_queue_crawler/http/transfer_error.h"
#include "stage3_queue_crawler/runtime/task/wait.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <new>
#include <ranges>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace stage3 {
namespace {

/// As libcurl wants it.
std::string digits_of(const common::Address& address) {
    return in_digits(reinterpret_cast<const sockaddr&>(address.storage));
}

/// True for a status that says nothing about the URL, but about the connection: it was
/// idle for too long, leads to the wrong server, or began before TLS was ready.
/// Sources: RFC 9110, sections 15.5.9 and 15.5.20; RFC 8470, section 5.2
bool is_about_connection(int status) {
    return status == 408 || status == 421 || status == 425;
}

/// Some servers say that they have no page for whoever accepts just anything. (Browsers
/// send more, but libcurl writes a header byte by byte: some 150 instructions for each.)
constexpr const char* accept_page = "Accept: text/html,*/*;q=0.8";

/// What a ContentDecoder undoes.
constexpr const char* accept_gzip = "Accept-Encoding: gzip";

FetchError no_address(FetchError::Kind kind, const std::string& what) {
    FetchError error(kind, what, 0);
    error.step = FetchError::Step::address;
    return error;
}

bool has_same_name(std::string_view a, std::string_view b) {
    return common::equal_ignoring_case(a.substr(0, a.find(':')),
                                       b.substr(0, b.find(':')));
}

/// What to send: the user's headers, and ours unless the user has one of that name.
StringList all_headers(std::span<const char* const> ours,
                       const std::vector<std::string>& users) {
    StringList list;
    for (const char* const one : ours)
        if (std::ranges::none_of(
                users, [&](const auto& other) { return has_same_name(one, other); }))
            append(list, one);
    for (const std::string& one : users)
        append(list, one.c_str());
    return list;
}

} // namespace

bool has_http2() {
    return (curl_version_info(CURLVERSION_NOW)->features & CURL_VERSION_HTTP2) != 0;
}

bool can_trust_http2() {
    return has_http2() && curl_version_info(CURLVERSION_NOW)->version_num >= 0x080e00;
}

void append(StringList& list, const char* text) {
    // Returns the whole list, at the same address or another.
    curl_slist* const longer = curl_slist_append(list.get(), text);
    if (longer == nullptr)
        throw std::bad_alloc();
    list.release(); // NOLINT(bugprone-unused-return-value): it's a part of `longer`
    list.reset(longer);
}

Session::Session(EventLoop& loop, SessionOptions options)
    : loop_(loop), options_(std::move(options)),
      proxies_(options_.uses_proxy ? Proxies(options_.proxy) : Proxies()),
      speaks_http2_(
          options_.http_version == HttpVersion::two
          || (options_.http_version == HttpVersion::automatic && can_trust_http2())),
      multi_(curl_multi_init()) {
    if (!multi_)
        throw std::bad_alloc();
    // Were these options, libcurl would format them twice for each request, byte by byte.
    const std::string agent = "User-Agent: " + options_.user_agent; // if empty: none
    const std::array for_page{agent.c_str(), accept_page, accept_gzip};
    const std::array for_other{agent.c_str(), accept_gzip};
    page_headers_ = all_headers(for_page, {});
    page_own_headers_ = all_headers(for_page, options_.headers);
    headers_ = all_headers(for_other, {});
    own_headers_ = all_headers(for_other, options_.headers);
    curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETFUNCTION, &Session::on_socket);
    curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETDATA, this);
    curl_multi_setopt(multi_.get(), CURLMOPT_TIMERFUNCTION, &Session::on_timer);
    curl_multi_setopt(multi_.get(), CURLMOPT_TIMERDATA, this);
    curl_multi_setopt(multi_.get(), CURLMOPT_MAXCONNECTS, options_.max_idle_connections);
    curl_multi_setopt(multi_.get(), CURLMOPT_MAX_TOTAL_CONNECTIONS,
                      options_.max_connections);
}

/// What to send, besides what each request has of its own. libcurl reads the list where
/// it is.
curl_slist* Session::headers_for(const GetOptions& options) const {
    if (options.wants_page)
        return options.with_headers ? page_own_headers_.get() : page_headers_.get();
    return options.with_headers ? own_headers_.get() : headers_.get();
}

Session::~Session() {
    for (Transfer* const transfer : std::exchange(transfers_, {}))
        transfer->abandon();
    multi_.reset();
    // Last, because until here libcurl may have asked for another.
    timer_.cancel();
}

std::unique_ptr<Http> open_session(EventLoop& loop, const SessionOptions& options) {
    return std::make_unique<Session>(loop, options);
}

Coroutine<Response> Session::get(common::Url url, GetOptions options) {
    Request request{
        .url = std::move(url), .options = std::move(options), .begun = loop_.time()};
    request.addresses = co_await find_addresses(request.url);
    auto transfer = std::make_shared<Transfer>(*this, request, Transfer::Connection::any);
    try {
        co_await transfer->headers_complete();
    } catch (const FetchError&) {
        if (!transfer->spoiled())
            throw;
    }
    const bool is_spoiled = transfer->spoiled();
    if (is_spoiled || is_about_connection(transfer->head().status())) {
        transfer.reset(); // first, since the number of connections may be limited
        transfer = std::make_shared<Transfer>(*this, request,
                                              is_spoiled ? Transfer::Connection::another
                                                         : Transfer::Connection::fresh);
        co_await transfer->headers_complete();
    }
    co_return Response(transfer);
}

/// For libcurl, such as "+a.example:80:10.0.0.1,10.0.0.2". Empty if it needs nothing from
/// us: for an address, for localhost, and with a proxy.
Coroutine<std::string> Session::find_addresses(common::Url url) {
    using Kind = FetchError::Kind;
    const bool is_localhost =
        url.host() == "localhost" || url.host().ends_with(".localhost");
    if (proxies_.for_scheme(url.scheme()) || is_localhost || url.host_is_address())
        co_return std::string();
    const auto limit = std::min(options_.connect_timeout, options_.fetch_timeout);
    try {
        // [find-addresses]
        if (!resolver_)
            resolver_.emplace(loop_, options_.look_up, options_.max_lookups);
        const Resolver::Answer answer =
            co_await resolver_->resolve(std::string(url.host()), limit);
        co_return fmt::format(
            "+{}:{}:{}", url.host(), url.port(),
            common::join(*answer | std::views::transform(digits_of), ","));
        // [/find-addresses]
    } catch (const Timeout&) {
        throw no_address(Kind::timed_out, "no address within " + in_seconds(limit));
    } catch (const common::ResolveError& error) {
        throw no_address(common::no_descriptor_left(error.code) ? Kind::no_descriptor
                                                                : Kind::network,
                         error.what());
    } catch (const common::SelectorFull& error) {
        throw no_address(Kind::no_descriptor, error.what());
    } catch (const std::system_error& error) {
        throw no_address(common::no_descriptor_left(error.code()) ? Kind::no_descriptor
                                                                  : Kind::network,
                         error.what());
    }
}

bool Session::is_busy() const {
    return std::ranges::any_of(transfers_,
                               [](const Transfer* one) { return one->has_connection(); })
           || (resolver_ && resolver_->is_busy());
}

// ---- What libcurl wants from the loop ----

/// libcurl wants to hear about this socket. Called from inside libcurl, which therefore
/// must not be called here.
int Session::on_socket(CURL* /*easy*/, curl_socket_t fd, int what, void* session,
                       void* /*known*/) noexcept {
    try {
        static_cast<Session*>(session)->watch(fd, what);
        return 0;
    } catch (const std::system_error& error) {
        // Closed, or a file by now? Nothing to watch then, and libcurl will find out.
        const bool closed = error.code() == std::errc::bad_file_descriptor
                            || error.code() == std::errc::operation_not_permitted;
        return closed ? 0 : -1;
    } catch (...) {
        return -1; // the loop is closed, or there is no memory: `act` handles it
    }
}

void Session::watch(int fd, int what) {
    if ((what & CURL_POLL_IN) != 0)
        loop_.add_reader(fd, [this, fd] { act(fd, CURL_CSELECT_IN); });
    else
        loop_.remove_reader(fd);
    if ((what & CURL_POLL_OUT) != 0)
        loop_.add_writer(fd, [this, fd] { act(fd, CURL_CSELECT_OUT); });
    else
        loop_.remove_writer(fd);
}

/// libcurl wants to be called once this time has passed; -1: no longer.
int Session::on_timer(CURLM* /*multi*/, long milliseconds, void* session) noexcept {
    auto* const self = static_cast<Session*>(session);
    try {
        self->timer_.cancel();
        if (milliseconds >= 0)
            self->timer_ =
                self->loop_.call_later(std::chrono::milliseconds(milliseconds),
                                       [self] { self->act(CURL_SOCKET_TIMEOUT, 0); });
        return 0;
    } catch (...) {
        return -1; // the loop is closed, or there is no memory: `act` handles it
    }
}

/// Lets libcurl do what can be done now, then handles the transfers that are finished.
void Session::act(curl_socket_t fd, int events) {
    int running = 0;
    const CURLMcode code = curl_multi_socket_action(multi_.get(), fd, events, &running);
    if (code == CURLM_OK)
        take_finished();
    else
        fail_all(); // there is no telling what state they are in
}

void Session::fail_all() {
    for (Transfer* const transfer : std::set(transfers_))
        transfer->end(CURLE_FAILED_INIT);
}

void Session::take_finished() {
    int left = 0;
    while (const CURLMsg* const message = curl_multi_info_read(multi_.get(), &left)) {
        if (message->msg != CURLMSG_DONE)
            continue;
        const CURLcode result = message->data.result; // the message dies in `end`
        char* transfer = nullptr;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
        reinterpret_cast<Transfer*>(transfer)->end(result);
    }
}

// ---- Connections that were kept ----

/// libcurl doesn't say which connection a request will go out on, only from which port.
/// So this remembers which socket has that port, until libcurl closes it.
void Session::note_connection(CURL* easy) {
    curl_socket_t fd = CURL_SOCKET_BAD;
    long port = 0;
    curl_easy_getinfo(easy, CURLINFO_ACTIVESOCKET, &fd);
    curl_easy_getinfo(easy, CURLINFO_LOCAL_PORT, &port);
    if (fd != CURL_SOCKET_BAD)
        sockets_[static_cast<int>(port)] = fd;
}

int Session::on_close(void* session, curl_socket_t fd) noexcept {
    std::erase_if(static_cast<Session*>(session)->sockets_,
                  [fd](const auto& known) { return known.second == fd; });
    return ::close(fd);
}

// [unasked-input]
/// Before a request is sent, there can be no response. If there is something to read on
/// its connection anyway, the last response was longer than it had said, and the rest
/// would be taken for the response to this request. (Or the server has closed it.)
bool Session::has_unasked_input(int port) const {
    const auto known = sockets_.find(port);
    if (known == sockets_.end())
        return false;
    char byte = 0;
    return ::recv(known->second, &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0;
}
// [/unasked-input]

} // namespace stage3
