// ready_site PAGES: the practice site with its pages at hand, made beforehand.
//
// What server_bench.py holds against nginx, which has its files at hand, too: so the
// servers are compared, and not how fast a page can be made up. Ends when standard input
// ends.
#include "tests/practice_site/background_server.h"
#include "tests/practice_site/site.h"

#include <fmt/core.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <unordered_map>

int main(int argc, char** argv) {
    try {
        if (argc != 2) {
            fmt::print(stderr, "usage: ready_site PAGES\n");
            return 2;
        }
        const std::size_t pages = std::strtoul(argv[1], nullptr, 10);
        const practice_site::Site site({.pages = pages});
        std::unordered_map<std::string, practice_site::Answer> ready;
        for (std::size_t page = 0; page < pages; ++page) {
            const std::string target = fmt::format("/p/{}", page);
            ready[target] = site.answer({target, "http://127.0.0.1"});
        }
        const practice_site::BackgroundServer server(
            [&](const practice_site::Request& request) {
                const auto found = ready.find(std::string(request.target));
                return found == ready.end() ? practice_site::plain_answer(404)
                                            : found->second;
            });
        fmt::print("{}\n", server.url());
        std::fflush(stdout);
        while (std::getchar() != EOF) {
        }
        return 0;
    } catch (const std::exception& problem) {
        fmt::print(stderr, "ready_site: {}\n", problem.what());
        return 1;
    }
}
