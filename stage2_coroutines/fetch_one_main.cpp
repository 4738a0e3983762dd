// fetch_one: fetches one page with one coroutine. Page 07 of the book has it recorded.
#include "common/simple_crawl/event_loop.h"
#include "common/system/selector.h"
#include "common/system/socket.h"
#include "common/trace/trace.h"
#include "common/web/http_response.h"
#include "common/web/url.h"
#include "stage2_coroutines/fetch_one.h"
#include "stage2_coroutines/task.h"

#include <fmt/core.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <string>

namespace {

stage2::Coroutine<> fetch_and_stop(common::EventLoop& loop, common::Url url,
                                   std::string& response) {
    const auto address = common::resolve(std::string(url.host()), url.port()).at(0);
    const auto request = common::http_get_request(url.authority(), url.target());
    co_await stage2::fetch_one(loop, address, request, response);
    loop.stop();
}

std::string fetch(const common::Url& url, common::Tracer& tracer) {
    common::EventLoop loop(common::make_selector(), tracer);
    std::string response;
    const stage2::Task task(fetch_and_stop(loop, url, response), tracer);
    if (!task.done())
        loop.run(std::chrono::seconds(30));
    return response;
}

} // namespace

int main(int argc, char** argv) {
    try {
        const auto url = argc >= 2 ? common::parse_root_url(argv[1]) : std::nullopt;
        if (!url || url->scheme() != "http" || argc > 3) {
            fmt::print(stderr,
                       "fetch_one: give an http URL to fetch, such as "
                       "http://localhost:8000/, and optionally a file for a trace\n");
            return 2;
        }
        common::Tracer tracer =
            argc == 3 ? common::Tracer(argv[2], "fetch_one") : common::Tracer();
        const auto response = common::split_http_response(fetch(*url, tracer));
        if (!response.error.empty()) {
            fmt::print(stderr, "fetch_one: {}: {}\n", url->href(), response.error);
            return 1;
        }
        fmt::print("status {}, {} bytes\n", response.status, response.body.size());
        return 0;
    } catch (const stage2::TaskFailed& failure) {
        fmt::print(stderr, "fetch_one: {}\n", describe(failure));
        return 1;
    } catch (const std::exception& error) {
        fmt::print(stderr, "fetch_one: {}\n", error.what());
        return 1;
    }
}
