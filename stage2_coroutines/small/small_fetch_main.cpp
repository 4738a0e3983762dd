// small_fetch: fetches one URL with a small task, and prints how long the response is.
//
//     small_fetch http://127.0.0.1:8000/
//
// See page 07 of the book (futures and tasks).
#include "common/small/event_loop.h"
#include "common/web/url.h"
#include "stage2_coroutines/small/fetch.h"
#include "stage2_coroutines/small/task.h"

#include <fmt/core.h>

#include <cstdio>
#include <exception>
#include <optional>
#include <string>

namespace {

// [fetch-and-print]
void fetch_and_print(const common::Url& url) {
    small::EventLoop loop;
    const small::Task task(small::fetch_by_yielding(loop, url),
                           [&](const std::string& response) {
                               fmt::print("{} bytes\n", response.size());
                               loop.stop();
                           });
    loop.run();
}
// [/fetch-and-print]

} // namespace

int main(int argc, char** argv) {
    try {
        const auto url =
            argc == 2 ? common::parse_root_url(argv[1]) : std::optional<common::Url>();
        if (!url || url->scheme() != "http") {
            fmt::print(stderr,
                       "usage: small_fetch URL (such as http://127.0.0.1:8000/)\n");
            return 2;
        }
        fetch_and_print(*url);
        return 0;
    } catch (const std::exception& error) {
        fmt::print(stderr, "small_fetch: {}\n", error.what());
        return 1;
    }
}
