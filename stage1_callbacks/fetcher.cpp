#include "stage1_callbacks/fetcher.h"

#include "common/system/descriptors.h"
#include "common/web/http_response.h"
#include "common/web/links.h"

#include <fmt/core.h>

#include <array>
#include <utility>

namespace stage1 {

using common::Events;

Fetcher::Fetcher(common::Url url, common::Crawl& crawl)
    : crawl_(crawl), record_(std::move(url)),
      request_(common::http_get_request(record_.url.authority(), record_.url.target())) {}

void Fetcher::fetch() {
    const common::Host& host = crawl_.host_of(record_.url);
    if (host.look_again && crawl_.in_flight() > 1) {
        crawl_.postpone(record_.url);
        return;
    }
    if (host.addresses.empty()) {
        begin();
        fail(host.error);
        return;
    }
    addresses_.assign(host.addresses.rbegin(), host.addresses.rend());
    connect_to_next_address();
}

void Fetcher::connect_to_next_address() {
    std::error_code error;
    socket_.close(); // of an address that has failed, if any
    while (!addresses_.empty()) {
        const auto address = addresses_.back().with_port(record_.url.port());
        socket_ = common::Socket::open(address.family(), error);
        if (!error && !crawl_.loop().can_watch(socket_.fd()))
            error = std::make_error_code(std::errc::too_many_files_open);
        if (common::no_descriptor_left(error) && crawl_.in_flight() > 1) {
            release();
            crawl_.postpone(record_.url); // until another fetch gives its descriptor back
            return;
        }
        begin();
        addresses_.pop_back();
        socket_.limit_silence();
        if (!error)
            error = socket_.connect(address);
        // "In progress" is how a non-blocking connect says that all is well.
        if (!error || error == std::errc::operation_in_progress) {
            call_when(Events::write, "connected", &Fetcher::connected);
            return;
        }
    }
    fail(common::describe(error));
}

void Fetcher::connected() {
    stop_watching();
    if (const std::error_code error = socket_.error()) {
        if (addresses_.empty())
            connection_broke(error);
        else
            connect_to_next_address(); // such as ::1 refused, 127.0.0.1 not tried yet
        return;
    }
    send_request();
}

// [send-request]
void Fetcher::send_request() {
    stop_watching();
    std::error_code error;
    while (sent_ < request_.size() && !error)
        sent_ += socket_.send(std::string_view(request_).substr(sent_), error);

    if (error == std::errc::operation_would_block)
        call_when(Events::write, "send_request", &Fetcher::send_request);
    else if (error)
        connection_broke(error);
    else
        call_when(Events::read, "read_response", &Fetcher::read_response);
}
// [/send-request]

void Fetcher::read_response() {
    std::array<char, std::size_t{64} * 1024>
        chunk; // not initialised: it is written first
    std::error_code error;
    const std::size_t count = socket_.receive(chunk, error);
    if (error == std::errc::operation_would_block)
        return; // a false alarm, which can happen; the callback stays registered
    if (error) {
        connection_broke(error);
        return;
    }
    response_.append(chunk.data(), count);

    const bool server_has_closed = count == 0;
    if (server_has_closed && response_.empty()) {
        connection_broke({});
        return;
    }
    if (response_.size() > crawl_.settings().max_response)
        fail(
            fmt::format("response larger than {} bytes", crawl_.settings().max_response));
    else if (server_has_closed || response_is_whole())
        handle_response();
    // Otherwise more will come, and this callback will be called again.
}

bool Fetcher::response_is_whole() {
    // A server asked in HTTP/1.0 should close when it's done, but not all of them do.
    return end_.reached(response_);
}

void Fetcher::handle_response() {
    const auto response = common::split_http_response(response_);
    record_ = common::judge(record_.url, response);
    std::vector<common::Url> links;
    if (record_.outcome == common::Outcome::page)
        links = parse_links(response);
    else if (record_.next)
        links = {*record_.next}; // a redirect is a page with one link
    // The links go first: as long as this URL is unfinished, so is the crawl.
    crawl_.add(links);
    finish();
}

std::vector<common::Url> Fetcher::parse_links(const common::HttpResponse& response) {
    crawl_.fail_parsing().count();
    return common::find_links(response.body, response.header("Content-Type"), record_.url)
        .urls;
}

/// `error` is empty if the server closed without sending anything.
void Fetcher::connection_broke(const std::error_code& error) {
    record_.error = error ? common::describe(error) : "empty response";
    if (response_.empty()) {
        const std::uint64_t id = id_;
        release();
        if (crawl_.retry_with_fewer(record_.url, id))
            return;
    }
    fail(record_.error);
}

void Fetcher::fail(std::string reason) {
    record_.outcome = common::Outcome::dead;
    record_.bytes = response_.size();
    record_.error = std::move(reason);
    finish();
}

void Fetcher::finish() {
    release(); // before telling the crawl: another fetch may need the descriptor
    crawl_.finished(record_);
}

/// Gives everything back. Once its callback returns, nothing holds this Fetcher any more.
void Fetcher::release() {
    stop_watching();
    socket_.close();
    if (id_ != 0)
        crawl_.trace_end(id_, record_);
    id_ = 0; // so that the end is traced once
}

void Fetcher::begin() {
    if (id_ != 0)
        return; // begun already, at another of the host's addresses
    id_ = crawl_.next_fetch_id();
    crawl_.tracer().fetch_start(id_, record_.url.href(), socket_.fd());
}

void Fetcher::call_when(Events events, const char* name, Method method,
                        std::source_location at) {
    // `self` is a copy of the pointer to this Fetcher: as long as the loop holds the
    // callback, the Fetcher lives.
    auto callback = [self = shared_from_this(), method] { (self.get()->*method)(); };
    crawl_.loop().register_fd(socket_.fd(), events, name, std::move(callback), at);
    watching_ = true;
}

void Fetcher::stop_watching() {
    if (watching_)
        crawl_.loop().unregister_fd(socket_.fd());
    watching_ = false;
}

} // namespace stage1
