// HTTP without a socket in sight: `co_await session.get(url)`, `co_await
// response.read()`.
//
// libcurl does the work: keeping and reusing connections, TLS, all the ways in which a
// server may send a body. Its *multi* interface does that for many transfers at once, in
// one thread, without ever waiting. It needs only two things from us: to be told when a
// socket is ready, and when a timeout has passed. An event loop does both. Page
// 15 of the book.
//
// libcurl calls back while it works, and must not be called from inside a callback. So
// the callbacks only take notes: they append bytes to a string, or resolve a future. A
// task that waits for that resumes in the loop's next turn, outside of libcurl.
#pragma once

#include "common/web/url.h"
#include "stage3_queue_crawler/http/proxy.h"
#include "stage3_queue_crawler/http/tls.h"
#include "stage3_queue_crawler/runtime/net/resolver.h"
#include "stage3_queue_crawler/runtime/task/future.h"

#include <curl/curl.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <sys/socket.h>

namespace stage3 {

/// Why there is no complete response.
struct FetchError : std::runtime_error {
    enum class Kind : std::uint8_t {
        network,       ///< no connection, or it broke: another attempt may succeed
        timed_out,     ///< one of the time limits: another attempt may succeed
        too_large,     ///< the body, so it was cut off
        bad_response,  ///< not HTTP, or its encoding is broken, or its
                       ///< certificate isn't valid
        untrusted,     ///< its certificate's issuer is unknown here
        no_descriptor, ///< *we* have no room for another socket
        bad_option,    ///< TlsOptions names a file that can't be used
        forbidden,     ///< we refuse: see SessionOptions::objection
        unreadable,    ///< a file that we were to serve: see folder_server.h
    };
    /// On the way to the request, which step failed? (What fails later has none.)
    enum class Step : std::uint8_t { address, connection, tls };

    FetchError(Kind k, const std::string& what, std::size_t received)
        : std::runtime_error(what), kind(k), bytes(received) {}

    /// True if we don't trust the server, so that it couldn't answer.
    bool is_distrust() const {
        return kind == Kind::untrusted || kind == Kind::forbidden;
    }

    Kind kind;
    std::size_t bytes;            ///< of the body, received before that
    bool was_sent = false;        ///< the request, or a part of it
    Step step = Step::connection; ///< unless it was sent
};

/// Which versions of HTTP a session speaks.
enum class HttpVersion : std::uint8_t {
    automatic, ///< 2 if libcurl can be trusted with it, as can_trust_http2 says; else 1.1
    one,       ///< 1.1
    two,       ///< 2 where TLS agrees on it; else 1.1
};

/// True if libcurl speaks HTTP/2, and is at least the oldest version (8.14) with which
/// our tests of it pass. 7.88 takes a response that GOAWAY cuts off for a whole one.
bool can_trust_http2();
/// True if libcurl speaks HTTP/2 at all.
bool has_http2();

/// The options for all fetches of a session.
struct SessionOptions {
    std::chrono::milliseconds connect_timeout{10'000}; ///< lookup, connection and TLS
    std::chrono::milliseconds fetch_timeout{30'000};   ///< the whole fetch
    std::chrono::seconds stall_timeout{30}; ///< this long below one byte per second
    std::size_t max_body = std::size_t{16} * 1024 * 1024; ///< bytes, decompressed
    std::size_t max_headers = std::size_t{64} * 1024;     ///< bytes, trailers included
    long max_idle_connections = 100;                      ///< kept for reuse
    long max_connections = 0; ///< idle or not; 0: no limit. Fetches beyond it wait, and
                              ///< the wait counts against their time limits
    TlsOptions tls = {};
    HttpVersion http_version = HttpVersion::automatic;
    std::string proxy = {}; ///< empty: the environment may name one
    bool uses_proxy = true; ///< false: none, whatever is named
    /// How to find the addresses of a host that has a name. (If there is a proxy, libcurl
    /// decides which hosts to use it for, and looks up names itself.)
    Resolver::LookUp look_up = [](const std::string& host) {
        return common::resolve(host, 0);
    };
    std::size_t max_lookups = 64; ///< at once; each takes a thread and some descriptors
    /// Says why no connection to this address is wanted; an empty text allows it. If this
    /// isn't set, all are allowed. It's asked only when a socket is about to be
    /// connected, so it makes no difference how the address was written, or who named it.
    /// (With a proxy, that is the proxy's address.)
    std::function<std::string(const sockaddr& address)> objection = {};
    std::string user_agent = "AwaitTheWeb/0.1";
    std::vector<std::string> headers = {}; ///< "Name: value"; for whom `get` says
};

/// Owns one of libcurl's lists of strings.
struct FreeList {
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using StringList = std::unique_ptr<curl_slist, FreeList>;
/// Adds a copy of `text`. Throws std::bad_alloc.
void append(StringList& list, const char* text);

/// Owns one of libcurl's handles for a fetch, an "easy handle".
struct EndEasy {
    void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
using Easy = std::unique_ptr<CURL, EndEasy>;

class ResponseHead;

/// The options for one `get`.
struct GetOptions {
    /// Also send SessionOptions::headers, and show our certificate.
    bool with_headers = false;
    /// Say, as browsers do, that a page is wanted: some servers answer 404 or 406 to
    /// libcurl's "Accept: */*".
    bool wants_page = false;
    std::optional<common::Login> login = {};    ///< for Basic authentication
    std::vector<std::string> more_headers = {}; ///< "Name: value"
    std::size_t max_body = 0; ///< bytes; unless 0, replaces SessionOptions::max_body
    bool only_head = false;   ///< a HEAD instead of a GET: its response has no body
    /// Says by its head whether a response's body is wanted; not set: it is. If it isn't,
    /// `skip` it.
    std::function<bool(const ResponseHead&)> wants_body = {};
    /// Called with each head that comes from there, and the URL that was asked for; not
    /// set: nobody wants to know. (If a request is repeated, there are two.)
    std::function<void(const common::Url&, const ResponseHead&)> on_head = {};
    /// Connect only to addresses on the public internet, unless a request without this
    /// has led to a private one: then we are not on the public internet. (Through a
    /// proxy, no address is known.)
    bool only_public = false;
};

/// Where a response comes from: a transfer of libcurl's, or what a test makes up.
class Exchange {
  public:
    Exchange() = default;
    Exchange(const Exchange&) = delete;
    Exchange& operator=(const Exchange&) = delete;
    virtual ~Exchange() = default;

    virtual const ResponseHead& head() const = 0;
    /// False if GetOptions::wants_body said no.
    virtual bool is_wanted() const = 0;
    /// Resolved when the body is there; fails with a FetchError if it never will be.
    virtual const Future<>& complete() const = 0;
    /// Resolved when this many bytes of the body are there, or all of it. For one task at
    /// a time: a second one gets std::logic_error.
    virtual Future<> beginning(std::size_t bytes) = 0;
    /// As much of the body as has come, decompressed.
    virtual const std::string& body() const = 0;
    virtual std::string take_body() = 0;
    /// The body isn't wanted, so receives no more of it than is cheap. False if that
    /// isn't all.
    virtual bool do_without_body() = 0;
};

/// A response whose headers have arrived. Its body may still be on the way; if it isn't
/// wanted, `skip` it, or just destroy the response, and the transfer ends.
class Response {
  public:
    int status() const;
    /// The first header of that name, ignoring case; empty if there is none.
    std::string_view header(std::string_view name) const;
    /// How long the Retry-After header asks us to wait, in seconds or until a date; 0 if
    /// there is none, it can't be understood, or the date has passed.
    std::chrono::seconds retry_after() const;

    /// What GetOptions::wants_body said.
    bool is_wanted() const;
    /// The whole body, decompressed; call it once. Throws FetchError.
    Coroutine<std::string> read();
    /// The same, but only the beginning of a body that is too large.
    Coroutine<std::string> read_beginning();
    /// Returns once this many bytes of the body are there, or all of it: what there is of
    /// it by then, valid until the next step. Throws FetchError.
    Coroutine<std::string_view> beginning(std::size_t bytes);
    /// For a body that isn't wanted: receives it all the same if that is cheaper than the
    /// new connection that the next request would need. Returns how many bytes of it have
    /// come, decompressed; never fails. Destroy the response then.
    Coroutine<std::size_t> skip();

    explicit Response(std::shared_ptr<Exchange> exchange)
        : exchange_(std::move(exchange)) {}
    /// Where it comes from, for code that stands between it and its reader.
    std::shared_ptr<Exchange> exchange() const { return exchange_; }

  private:
    std::shared_ptr<Exchange> exchange_;
};

// [http]
/// All that the crawler asks of HTTP. `Session` is one; a test may bring another, which
/// has no sockets and waits for no real time.
class Http {
  public:
    Http() = default;
    Http(const Http&) = delete;
    Http& operator=(const Http&) = delete;
    virtual ~Http() = default;

    /// Begins a GET, and returns when the headers are there. Doesn't follow redirects:
    /// whether to follow one, and where, is not this class's decision. Throws FetchError
    /// and std::bad_alloc.
    virtual Coroutine<Response> get(common::Url url, GetOptions options) = 0;
    /// True if it's using descriptors, other than those of idle connections.
    virtual bool is_busy() const = 0;

    /// True if requests with `only_public` may go to private addresses.
    bool may_be_private() const { return is_private_; }
    /// From now on, they may.
    void allow_private() { is_private_ = true; }

  private:
    bool is_private_ = false; // a request has gone to a private address
};
// [/http]

/// Opens what a crawl uses for its requests.
using OpenHttp =
    std::function<std::unique_ptr<Http>(EventLoop& loop, const SessionOptions& options)>;
/// Opens a Session.
std::unique_ptr<Http> open_session(EventLoop& loop, const SessionOptions& options);

class Transfer;

/// Fetches, and keeps connections for reuse. Use it in one loop; destroy it before the
/// loop, and after its responses and its gets.
class Session final : public Http {
  public:
    explicit Session(EventLoop& loop, SessionOptions options = {});
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    ~Session() override;

    Coroutine<Response> get(common::Url url, GetOptions options) override;
    Coroutine<Response> get(common::Url url) { return get(std::move(url), {}); }

    bool is_busy() const override;
    /// How many transfers are under way.
    std::size_t in_flight() const { return transfers_.size(); }

  private:
    friend class Transfer;
    struct EndMulti {
        void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
    };

    static int on_socket(CURL* easy, curl_socket_t fd, int what, void* session,
                         void* known) noexcept;
    static int on_timer(CURLM* multi, long milliseconds, void* session) noexcept;
    static int on_close(void* session, curl_socket_t fd) noexcept;
    curl_slist* headers_for(const GetOptions& options) const;
    Coroutine<std::string> find_addresses(common::Url url);
    void watch(int fd, int what);
    void act(curl_socket_t fd, int events);
    void take_finished();
    void fail_all();
    void note_connection(CURL* easy);
    bool has_unasked_input(int port) const;

    EventLoop& loop_;
    const SessionOptions options_;
    const Proxies proxies_;
    const bool speaks_http2_;
    std::optional<Resolver> resolver_; // made for the first name
    // What to send, by GetOptions: neither wants_page nor with_headers, one, both.
    StringList headers_;
    StringList page_headers_;
    StringList own_headers_;
    StringList page_own_headers_;
    std::set<Transfer*> transfers_;                  // those that libcurl is working on
    std::unordered_map<int, int> sockets_;           // of kept connections, by local port
    std::unordered_map<std::string, long> versions_; // of encrypted origins, libcurl's
    Handle timer_;
    std::unique_ptr<CURLM, EndMulti> multi_;
};

} // namespace stage3
