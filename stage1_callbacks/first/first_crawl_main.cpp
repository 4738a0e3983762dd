// first_crawl: crawls a site with the smallest pieces that work, and prints its URLs.
//
//     first_crawl http://127.0.0.1:8000/
#include "common/first/crawl.h"
#include "common/first/event_loop.h"
#include "common/web/url.h"
#include "stage1_callbacks/first/fetch.h"

#include <fmt/core.h>

#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <string>

namespace {

// [crawl]
int crawl(const common::Url& root) {
    first::EventLoop loop;
    first::Crawl crawl(loop, [&](const common::Url& url) {
        const auto done = [&crawl, url](const std::string& response) {
            crawl.finished(url, response);
        };
        std::make_shared<first::Fetch>(loop, url, done)->start();
    });
    for (const common::Url& url : crawl.run(root))
        fmt::print("{}\n", url.href());
    return 0;
}
// [/crawl]

} // namespace

int main(int argc, char** argv) {
    const auto root =
        argc == 2 ? common::parse_root_url(argv[1]) : std::optional<common::Url>();
    if (!root || root->scheme() != "http") {
        fmt::print(stderr, "usage: first_crawl URL (such as http://127.0.0.1:8000/)\n");
        return 2;
    }
    try {
        return crawl(*root);
    } catch (const std::exception& error) {
        fmt::print(stderr, "first_crawl: {}\n", error.what());
        return 1;
    }
}
