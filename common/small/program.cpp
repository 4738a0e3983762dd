#include "common/small/program.h"

#include <fmt/core.h>

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
        for (const common::Url& url : crawl(*root))
            fmt::print("{}\n", url.href());
        return 0;
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}: {}\n", name, error.what());
        return 1;
    }
}

} // namespace small
