#include "stage2_coroutines/fetcher.h"

#include "common/simple_crawl/record.h"
#include "common/system/descriptors.h"
#include "common/system/socket.h"
#include "common/trace/trace.h"
#include "common/web/http_response.h"
#include "common/web/links.h"
#include "stage2_coroutines/socket_io.h"

#include <fmt/core.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace stage2 {
namespace {

/// Thrown if this process or this machine has no descriptor left for another socket. The
/// server isn't at fault, so its page isn't dead. There is nothing else to say, so this
/// isn't a std::exception. (To look at one of those, the undefined behaviour sanitizer
/// would need a descriptor itself.)
struct NoDescriptor {};

/// There is no response, and another attempt wouldn't change that.
struct FetchFailed : std::runtime_error {
    explicit FetchFailed(const std::string& why, std::size_t bytes = 0)
        : std::runtime_error(why), received(bytes) {}

    std::size_t received;
};

/// A new socket. Throws NoDescriptor if no descriptor is left, but another fetch will
/// give its own back.
common::Socket open_socket(int family, common::Crawl& crawl, std::error_code& error) {
    common::Socket socket = common::Socket::open(family, error);
    if (!error && !crawl.loop().can_watch(socket.fd()))
        error = std::make_error_code(std::errc::too_many_files_open);
    if (common::no_descriptor_left(error) && crawl.in_flight() > 1)
        throw NoDescriptor();
    socket.limit_silence();
    return socket;
}

/// Where the host of `url` can be reached. Throws FetchFailed if it can't be, and
/// NoDescriptor as `open_socket` does.
const std::vector<common::Address>& addresses_of(const common::Url& url,
                                                 common::Crawl& crawl) {
    const common::Host& host = crawl.host_of(url);
    if (host.look_again && crawl.in_flight() > 1)
        throw NoDescriptor();
    if (host.addresses.empty())
        throw FetchFailed(host.error);
    return host.addresses;
}

// [connect-to-host]
/// A connection to the host of `url`, at the first of its addresses that accepts one.
Coroutine<common::Socket> connect_to_host(const common::Url& url, common::Crawl& crawl) {
    std::error_code error;
    for (const common::Address& address : addresses_of(url, crawl)) {
        common::Socket socket = open_socket(address.family(), crawl, error);
        if (!error) {
            try {
                co_await connect(crawl.loop(), socket, address.with_port(url.port()));
                co_return socket;
            } catch (const std::system_error& refused) {
                error = refused.code(); // ::1 refused it, perhaps; 127.0.0.1 is next
            }
        }
    }
    throw ConnectionBroke(error, 0);
}
// [/connect-to-host]

/// Says when a response is complete, because not every server closes at its end, as it
/// should with HTTP/1.0. Throws FetchFailed if the response is too long.
Enough whole_response(std::size_t limit) {
    return [end = common::ResponseEnd(), limit](const std::string& so_far) mutable {
        if (so_far.size() > limit)
            throw FetchFailed(fmt::format("response larger than {} bytes", limit),
                              so_far.size());
        return end.reached(so_far);
    };
}

/// The server's whole answer to a request for `url`.
Coroutine<std::string> get(const common::Url& url, common::Crawl& crawl) {
    common::Socket socket = co_await connect_to_host(url, crawl);
    co_await send_all(crawl.loop(), socket,
                      common::http_get_request(url.authority(), url.target()));
    const Enough whole = whole_response(crawl.settings().max_response);
    std::string response = co_await read_all(crawl.loop(), socket, whole);
    if (response.empty())
        throw ConnectionBroke({}, 0); // closed without a word
    co_return response;
}

// [load]
/// Fetches `record.url`, fills in the record, and returns where the page leads.
Coroutine<std::vector<common::Url>> load(common::Record& record, common::Crawl& crawl) {
    const std::string bytes = co_await get(record.url, crawl);
    const auto response = common::split_http_response(bytes);
    record = common::judge(record.url, response);
    std::vector<common::Url> links;
    if (record.outcome == common::Outcome::page)
        links = parse_links(response, record.url, crawl);
    else if (record.next)
        links = {*record.next}; // a redirect is just another link
    co_return links;
}
// [/load]

/// Tells the trace when a fetch begins and when it ends, at the latest when this dies.
class Traced {
  public:
    Traced(common::Crawl& crawl, const common::Record& record, std::uint64_t id)
        : crawl_(crawl), record_(record), id_(id) {
        crawl_.tracer().fetch_start(id_, record_.url.href());
    }
    ~Traced() { end(); }
    Traced(const Traced&) = delete;
    Traced& operator=(const Traced&) = delete;

    void end() {
        if (id_ != 0)
            crawl_.trace_end(id_, record_);
        id_ = 0; // once is enough
    }

  private:
    common::Crawl& crawl_;
    const common::Record& record_;
    std::uint64_t id_;
};

} // namespace

// Not inlined, since its name is the point of --fail-parsing.
[[gnu::noinline]] std::vector<common::Url>
parse_links(const common::HttpResponse& response, const common::Url& url,
            common::Crawl& crawl) {
    crawl.fail_parsing().count();
    return common::find_links(response.body, response.header("Content-Type"), url).urls;
}

// [fetch]
Coroutine<> fetch(common::Url url, common::Crawl& crawl) {
    common::Record record(std::move(url));
    const std::uint64_t id = crawl.next_fetch_id();
    Traced traced(crawl, record, id);
    try {
        const auto links = co_await load(record, crawl);
        // The links come first, because while this URL is still to do, the crawl can't
        // look finished.
        crawl.add(links);
    } catch (const NoDescriptor&) {
        crawl.postpone(record.url);
        co_return;
    } catch (const ConnectionBroke& broken) {
        if (broken.received == 0 && crawl.retry_with_fewer(record.url, id))
            co_return;
        record.bytes = broken.received;
        record.error = broken.code() ? common::describe(broken.code()) : "empty response";
    } catch (const FetchFailed& failed) {
        record.bytes = failed.received;
        record.error = failed.what();
    }
    traced.end();
    crawl.finished(record);
}
// [/fetch]

} // namespace stage2
