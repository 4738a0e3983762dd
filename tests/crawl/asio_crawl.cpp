#include "common/small/crawl.h"
#include "common/web/http_response.h"
#include "tests/crawl/worker_crawl.h"

#include <cstddef>
#include <exception>
#include <limits>
#include <list>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <asio.hpp>
#include <asio/experimental/channel.hpp>

namespace tests {
namespace {

using asio::awaitable;
using asio::use_awaitable;
using asio::ip::tcp;

// [fetch]
awaitable<std::string> fetch(tcp::endpoint site, common::Url url) {
    tcp::socket socket(co_await asio::this_coro::executor);
    co_await socket.async_connect(site, use_awaitable);
    const std::string request = common::http_get_request(url.authority(), url.target());
    co_await asio::async_write(socket, asio::buffer(request), use_awaitable);
    std::string response;
    asio::error_code error;
    co_await asio::async_read(socket, asio::dynamic_buffer(response),
                              asio::redirect_error(use_awaitable, error));
    if (error != asio::error::eof) // the server has closed: all is well
        throw asio::system_error(error);
    co_return response;
}
// [/fetch]

class Crawl {
  public:
    explicit Crawl(WorkerCrawl asked)
        : asked_(std::move(asked)),
          site_(*tcp::resolver(context_)
                     .resolve(std::string(asked_.root.host()),
                              std::to_string(asked_.root.port()))
                     .begin()) {}

    // [run]
    Crawled run() {
        add({asked_.root});
        for (std::size_t i = 0; i < asked_.workers; ++i)
            asio::co_spawn(
                context_, work(),
                asio::bind_cancellation_slot(cancels_.emplace_back().slot(), has_ended));
        if (asked_.time_limit) {
            timer_.expires_after(*asked_.time_limit);
            timer_.async_wait([this](const asio::error_code& error) {
                crawled_.timed_out = !error && unfinished_ > 0; // else it came too late
                cancel();
            });
        }
        context_.run(); // until there is nothing left to wait for
        return crawled_;
    }
    // [/run]

  private:
    // [cancel]
    void cancel() {
        timer_.cancel();
        for (asio::cancellation_signal& worker : cancels_)
            worker.emit(asio::cancellation_type::terminal);
    }

    /// If a worker wasn't cancelled, whatever ended it ends the crawl as well.
    static void has_ended(const std::exception_ptr& why) {
        try {
            if (why)
                std::rethrow_exception(why);
        } catch (const asio::system_error& error) {
            if (error.code() != asio::error::operation_aborted
                && error.code() != asio::experimental::error::channel_cancelled)
                throw;
        }
    }
    // [/cancel]

    // [work]
    awaitable<void> work() {
        while (true) {
            const Item item = co_await todo_.async_receive(use_awaitable);
            std::string response;
            try {
                response = co_await fetch(site_, *item);
            } catch (const asio::system_error& error) {
                if (error.code() == asio::error::operation_aborted)
                    throw; // not a failed page: we are being cancelled
                crawled_.failed.emplace(*item, error.what());
            }
            add(small::links_in(response, *item)); // first, or it would look finished
            if (--unfinished_ == 0)
                cancel();
        }
    }

    void add(const std::vector<common::Url>& urls) {
        for (const common::Url& url : urls)
            if (url.origin() == asked_.root.origin() && crawled_.met.insert(url).second) {
                ++unfinished_;
                todo_.try_send(asio::error_code(), url);
            }
    }
    // [/work]

    // [members]
    using Item = std::optional<common::Url>; // empty when a wait has failed
    using Channel = asio::experimental::channel<void(asio::error_code, Item)>;
    static constexpr auto any_number = std::numeric_limits<std::size_t>::max();

    // A slot points to its signal, and whatever still waits is destroyed with the
    // context.
    std::list<asio::cancellation_signal> cancels_; // one for each worker
    asio::io_context context_;
    Crawled crawled_;
    Channel todo_{context_, any_number};
    std::size_t unfinished_ = 0;
    asio::steady_timer timer_{context_};
    // [/members]
    WorkerCrawl asked_;
    tcp::endpoint site_;
};

} // namespace

Crawled crawl_with_workers(const WorkerCrawl& crawl) { return Crawl(crawl).run(); }

} // namespace tests
