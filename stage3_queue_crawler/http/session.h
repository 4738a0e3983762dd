// HTTP without a socket in sight: `co_await session.get(url)`, `co_await
// response.read()`.
//
// The work is libcurl's: connections that are kept and reused, TLS, all the ways in which
// a server may send a body. Its *multi* interface does that for many transfers at once,
// in one thread, without ever waiting. It only wants two things from us: to be told when
// a socket is ready, and when a time is over; and both are what an event loop does. Page
// 15 of the book.
//
// libcurl calls back while it works, and must not be called from there. So the callbacks
// only take notes: bytes into a string, a future resolved. Who waits for that goes on in
// the loop's next turn, outside of libcurl.
#pragma once

#include "common/web/url.h"
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

/// Why there is no whole response.
struct FetchError : std::runtime_error {
    enum class Kind : std::uint8_t {
        network,       ///< no connection, or it broke: another attempt may succeed
        timed_out,     ///< one of the time limits: another attempt may succeed
        too_large,     ///< of the body: it was cut off
        bad_response,  ///< what came is no HTTP, its encoding is broken, or its
                       ///< certificate is not to be believed
        no_descriptor, ///< it is *we* who have no room for another socket
        forbidden,     ///< we don't want to: see SessionOptions::objection
    };
    FetchError(Kind k, const std::string& what, std::size_t received)
        : std::runtime_error(what), kind(k), bytes(received) {}

    Kind kind;
    std::size_t bytes; ///< of the body, that came before
};

/// What a session asks of its fetches.
struct SessionOptions {
    std::chrono::milliseconds connect_timeout{10'000}; ///< name, connection and TLS
    std::chrono::milliseconds fetch_timeout{30'000};   ///< the whole fetch
    std::chrono::seconds stall_timeout{30}; ///< so long with not a byte a second
    std::size_t max_body = std::size_t{16} * 1024 * 1024; ///< bytes, decompressed
    std::size_t max_headers = std::size_t{64} * 1024;     ///< bytes, trailers included
    long max_idle_connections = 100;                      ///< kept for reuse
    long max_connections = 0; ///< idle or not; 0: any number. Fetches beyond it wait, and
                              ///< that counts for their time limits
    std::string ca_file = {}; ///< certificates to believe; empty: the system's
    /// How to find the addresses of a host that has a name. (If the environment names a
    /// proxy, libcurl decides which hosts that is for, and looks up names itself.)
    Resolver::LookUp look_up = [](const std::string& host) {
        return common::resolve(host, 0);
    };
    std::size_t max_lookups = 64; ///< at once; each is a thread, and some descriptors
    /// Why no connection to this address is wanted, in words; nothing: it may be made.
    /// None: all may. Asked where a socket is about to be connected, and nowhere else: so
    /// it makes no difference how the address was written, or who has named it. (With a
    /// proxy, that is the proxy's address.)
    std::function<std::string(const sockaddr& address)> objection = {};
    std::string user_agent = "AwaitTheWeb/0.1";
    std::vector<std::string> headers = {}; ///< "Name: value"; for whom `get` says
};

/// True if the environment names a proxy. Then libcurl decides which hosts it's for.
bool is_proxy_set();

/// Owns one of libcurl's lists of strings.
struct FreeList {
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using StringList = std::unique_ptr<curl_slist, FreeList>;

/// Owns one of its handles for a fetch, an "easy handle".
struct EndEasy {
    void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
using Easy = std::unique_ptr<CURL, EndEasy>;

/// What one get asks for.
struct GetOptions {
    bool with_headers = false;               ///< send SessionOptions::headers along
    std::optional<common::Login> login = {}; ///< for Basic authentication
    std::size_t max_body = 0; ///< bytes, in place of SessionOptions::max_body; 0: that
};

class Session;
class Transfer;

/// A response whose headers have come. Its body may still be on the way; if it isn't
/// wanted, destroy the response, and the transfer ends.
class Response {
  public:
    int status() const;
    /// The first header of that name, in any case of letters; empty if there is none.
    std::string_view header(std::string_view name) const;
    /// What the Retry-After header asks for, as seconds or as a date; 0: nothing, or
    /// what can't be understood, or is over.
    std::chrono::seconds retry_after() const;

    /// The whole body, decompressed; once. Throws FetchError.
    Coroutine<std::string> read();
    /// The same; of a body that is too large, the beginning.
    Coroutine<std::string> read_beginning();

  private:
    friend class Session;
    explicit Response(std::shared_ptr<Transfer> transfer)
        : transfer_(std::move(transfer)) {}

    std::shared_ptr<Transfer> transfer_;
};

/// Fetches, and keeps connections. In one loop; it must be destroyed before that, and
/// after its responses and its gets.
class Session {
  public:
    explicit Session(EventLoop& loop, SessionOptions options = {});
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    ~Session();

    /// Begins a GET, and returns when the headers are there. Redirects are not followed:
    /// whether and where to go is not this class's affair. Throws FetchError, and
    /// std::bad_alloc.
    Coroutine<Response> get(common::Url url, GetOptions options = GetOptions());

    /// True if it has descriptors in use, other than those of connections that are kept.
    bool is_busy() const;
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
    Coroutine<std::string> find_addresses(common::Url url);
    void watch(int fd, int what);
    void act(curl_socket_t fd, int events);
    void take_finished();
    void fail_all();
    void note_connection(CURL* easy);
    bool has_unasked_input(int port) const;

    EventLoop& loop_;
    const SessionOptions options_;
    const bool has_proxy_;
    std::optional<Resolver> resolver_; // made when the first name comes
    StringList headers_;
    std::set<Transfer*> transfers_;        // those that libcurl works on
    std::unordered_map<int, int> sockets_; // that were kept last, by their local port
    Handle timer_;
    std::unique_ptr<CURLM, EndMulti> multi_;
};

} // namespace stage3
