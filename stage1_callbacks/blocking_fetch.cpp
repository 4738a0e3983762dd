#include "stage1_callbacks/blocking_fetch.h"

#include "common/simple_crawl/scope.h"
#include "common/system/socket.h"
#include "common/trace/stack_trace.h"
#include "common/web/response_links.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <unordered_set>
#include <utility>

#include <sys/socket.h>

namespace stage1 {
namespace {

// [connect-to]
/// The error that the last system call left in `errno`.
std::system_error last_error() { return {errno, std::generic_category()}; }

common::Socket connect_to(const common::Url& url) {
    const auto address = common::resolve(std::string(url.host()), url.port()).front();
    common::Socket socket(::socket(address.family(), SOCK_STREAM, 0));
    if (!socket)
        throw last_error();
    const auto* bare = reinterpret_cast<const sockaddr*>(&address.storage);
    if (::connect(socket.fd(), bare, address.length) < 0)
        throw last_error();
    return socket;
}
// [/connect-to]

// [send-and-receive]
void send_all(const common::Socket& socket, std::string_view rest) {
    while (!rest.empty()) {
        const auto sent = ::send(socket.fd(), rest.data(), rest.size(), 0);
        if (sent < 0)
            throw last_error();
        rest.remove_prefix(static_cast<std::size_t>(sent));
    }
}

/// The next bytes. Empty once the server has closed, and no more will come.
std::string receive(const common::Socket& socket) {
    std::array<char, 4096> chunk;
    const auto count = ::recv(socket.fd(), chunk.data(), chunk.size(), 0);
    if (count < 0)
        throw last_error();
    return {chunk.data(), static_cast<std::size_t>(count)};
}
// [/send-and-receive]

/// Each thread has its own count, so the threads of a crawl never fail.
thread_local common::FailOnPurpose failure;

} // namespace

void fail_parsing_at(std::size_t number) { failure = common::FailOnPurpose(number); }

// [blocking-fetch]
common::HttpResponse blocking_fetch(const common::Url& url) {
    const common::Socket socket = connect_to(url);
    send_all(socket, common::http_get_request(url.authority(), url.target()));
    std::string response;
    while (true) {
        const std::string chunk = receive(socket);
        if (chunk.empty()) // the server has closed: the response is complete
            return common::split_http_response(response);
        response += chunk;
    }
}
// [/blocking-fetch]

// [fetch-page]
Page fetch_page(const common::Url& url) {
    Page page;
    try {
        page.response = blocking_fetch(url);
    } catch (const common::ResolveError& error) { // no such host
        page.response.error = error.what();
    } catch (const std::system_error& error) { // the network failed
        page.response.error = common::describe(error.code());
    }
    page.links = parse_links(page.response, url);
    return page;
}
// [/fetch-page]

std::vector<common::Url> parse_links(const common::HttpResponse& response,
                                     const common::Url& url) {
    failure.count(); // --fail-parsing
    return common::links_of(response, url);
}

bool Page::is_dead() const {
    return !response.error.empty()
           || !(common::is_success(response.status)
                || common::is_redirect(response.status));
}

// [one-by-one]
BlockingSummary crawl_one_by_one(const common::Url& root) {
    const common::Scope scope(root);
    std::deque<common::Url> todo{root};
    std::unordered_set<common::Url> seen{root};
    BlockingSummary summary;
    summary.most_at_once = 1;
    for (; !todo.empty(); todo.pop_front()) {
        const Page page = fetch_page(todo.front());
        ++(page.is_dead() ? summary.dead : summary.fetched);
        for (const common::Url& link : page.links)
            if (link.scheme() == "http" && scope.contains(link)
                && seen.insert(link).second)
                todo.push_back(link);
    }
    return summary;
}
// [/one-by-one]

namespace {

/// A crawl in which each page has its own thread. All threads share the set of URLs, so a
/// mutex must guard it: two of them could meet the same new link at the same instant.
class ThreadedCrawl {
  public:
    explicit ThreadedCrawl(const common::Url& root) : scope_(root) {}

    BlockingSummary run(const common::Url& root) {
        std::unique_lock lock(mutex_);
        start(root);
        // After an error as well: the threads still use this object.
        ended_.wait(lock, [this] { return running_ == 0; });
        if (error_)
            std::rethrow_exception(error_);
        return summary_;
    }

  private:
    // [threads]
    /// Starts a thread for a URL that is new. Called with the mutex held.
    void start(const common::Url& url) {
        if (url.scheme() != "http" || !scope_.contains(url) || !seen_.insert(url).second)
            return;
        std::thread([this, url] { fetch(url); }).detach();
        summary_.most_at_once = std::max(summary_.most_at_once, ++running_);
    }

    void fetch(const common::Url& url) { // one thread's whole life
        std::unique_lock lock(mutex_, std::defer_lock);
        try {
            const Page page = fetch_page(url);
            lock.lock();
            ++(page.is_dead() ? summary_.dead : summary_.fetched);
            if (!error_)
                for (const common::Url& link : page.links)
                    start(link);
        } catch (...) { // no more threads, or no memory
            if (!lock.owns_lock())
                lock.lock();
            error_ = std::current_exception();
        }
        --running_;
        ended_.notify_one();
    }
    // [/threads]

    const common::Scope scope_;
    std::mutex mutex_; // guards what follows
    std::condition_variable ended_;
    std::unordered_set<common::Url> seen_;
    std::size_t running_ = 0;
    std::exception_ptr error_;
    BlockingSummary summary_;
};

} // namespace

BlockingSummary crawl_with_threads(const common::Url& root) {
    return ThreadedCrawl(root).run(root);
}

} // namespace stage1
