#include "common/first/program.h"

#include <fmt/core.h>

#include <cstdio>
#include <exception>
#include <optional>

namespace first {

int run_program(int argc, char** argv,
                const std::function<std::set<common::Url>(const common::Url&)>& crawl) {
    try {
        const auto root =
            argc == 2 ? common::parse_root_url(argv[1]) : std::optional<common::Url>();
        if (!root || root->scheme() != "http") {
            fmt::print(stderr,
                       "usage: first_crawl URL (such as http://127.0.0.1:8000/)\n");
            return 2;
        }
        for (const common::Url& url : crawl(*root))
            fmt::print("{}\n", url.href());
        return 0;
    } catch (const std::exception& error) {
        fmt::print(stderr, "first_crawl: {}\n", error.what());
        return 1;
    }
}

} // namespace first
