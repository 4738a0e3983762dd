#include "common/small/program.h"

#include <fmt/core.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>

namespace small {

int run_program(int argc, char** argv,
                const std::function<std::set<common::Url>(const common::Url&)>& crawl) {
    const std::string name =
        std::filesystem::path(argc > 0 ? argv[0] : "crawl").filename().string();
    try {
        const auto root =
            argc == 2 ? common::parse_root_url(argv[1]) : std::optional<common::Url>();
        if (!root || root->scheme() != "http") {
            fmt::print(stderr, "usage: {} URL (such as http://127.0.0.1:8000/)\n", name);
            return 2;
        }
        const auto start = std::chrono::steady_clock::now();
        const std::set<common::Url> urls = crawl(*root);
        const std::chrono::duration<double> taken =
            std::chrono::steady_clock::now() - start;
        for (const common::Url& url : urls)
            fmt::print("{}\n", url.href());
        std::fflush(stdout);
        fmt::print(stderr, "{} URLs in {:.3f} seconds\n", urls.size(), taken.count());
        return 0;
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}: {}\n", name, error.what());
        return 1;
    }
}

} // namespace small
