// links_bench: how fast are links found and URLs resolved?
//
//     links_bench FOLDER        of HTML files: megabytes per second, nanoseconds per URL
//     links_bench --hostile     what known hostile pages cost at n, 2n and 4n
//
// Ours beside libxml2's HTML parser and libcurl's URL API, in one run: machines differ,
// and so do runs; ratios are what counts.
#include "common/web/charset.h"
#include "common/web/html_scanner.h"
#include "common/web/links.h"
#include "common/web/url.h"
#include "tests/bench/libxml2_links.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

std::vector<std::string> read_pages(const std::string& folder) {
    std::vector<std::string> pages;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        const auto extension = entry.path().extension();
        if (!entry.is_regular_file() || (extension != ".html" && extension != ".htm"))
            continue;
        std::ifstream file(entry.path(), std::ios::binary);
        pages.emplace_back(std::istreambuf_iterator<char>(file),
                           std::istreambuf_iterator<char>());
    }
    if (pages.empty())
        throw std::runtime_error(fmt::format(
            "there is no .html file in '{}': give a folder with some", folder));
    return pages;
}

/// Our scanner, with as much work as libxml2_references does.
std::vector<std::string> scanner_references(std::string_view page) {
    std::vector<std::string> references;
    std::string text;
    std::string value;
    common::HtmlScanner scanner(common::to_utf8(page, "text/html", text));
    common::LinkTag tag;
    while (scanner.next(tag)) {
        const bool in_href = tag.element == common::LinkElement::a
                             || tag.element == common::LinkElement::area;
        const bool in_src = tag.element == common::LinkElement::frame
                            || tag.element == common::LinkElement::iframe;
        std::string_view reference;
        if (in_href)
            reference = tag.href;
        else if (in_src)
            reference = tag.src;
        if (common::is_there(reference))
            references.emplace_back(common::decoded(reference, value));
    }
    return references;
}

/// The shortest of some runs, in seconds: the longer ones were disturbed.
double best_time(int runs, const std::function<void()>& work) {
    double best = 1e9;
    for (int i = 0; i < runs; ++i) {
        const auto start = std::chrono::steady_clock::now();
        work();
        const std::chrono::duration<double> taken =
            std::chrono::steady_clock::now() - start;
        best = std::min(best, taken.count());
    }
    return best;
}

volatile std::size_t sink; // so that nothing is optimized away

void compare_speed(const std::vector<std::string>& pages) {
    std::size_t bytes = 0;
    std::vector<std::string> references;
    for (const std::string& page : pages) {
        bytes += page.size();
        std::ranges::move(scanner_references(page), std::back_inserter(references));
    }
    const double megabytes = static_cast<double>(bytes) / 1e6;
    fmt::print("{} pages, {:.1f} MB, {} references\n", pages.size(), megabytes,
               references.size());
    const auto over_pages = [&](auto find) {
        return best_time(3, [&] {
            for (const std::string& page : pages)
                sink = find(page).size();
        });
    };
    const double ours = over_pages(scanner_references);
    const double theirs = over_pages(tests::libxml2_references);
    fmt::print("references found: ours {:.0f} MB/s, libxml2 {:.0f} MB/s, ratio {:.1f}\n",
               megabytes / ours, megabytes / theirs, theirs / ours);

    const std::string base = "http://docs.example/library/index.html";
    const common::Url base_url = *common::parse_url(base);
    std::vector<std::string> plain;
    std::vector<std::string> others;
    for (const std::string& reference : references) {
        const bool is_plain = !reference.empty() && reference[0] != '.'
                              && reference[0] != '/'
                              && reference.find_first_of("#?:%\\ ") == std::string::npos;
        (is_plain ? plain : others).push_back(reference);
    }
    const auto over_references = [&](const char* what, const auto& list) {
        if (list.empty())
            return;
        const auto each = [&](auto resolve) {
            return best_time(3,
                             [&] {
                                 for (const std::string& reference : list)
                                     sink = resolve(reference);
                             })
                   / static_cast<double>(list.size()) * 1e9;
        };
        const double own = each([&](const std::string& reference) {
            return common::resolve_url(reference, base_url).has_value() ? 1U : 0U;
        });
        const double curl = each([&](const std::string& reference) {
            return tests::libcurl_resolve(reference, base).size();
        });
        fmt::print("{} {}: ours {:.0f} ns, libcurl {:.0f} ns, ratio {:.1f}\n",
                   list.size(), what, own, curl, curl / own);
    };
    over_references("plain relative links", plain);
    over_references("other links", others);
}

std::string repeated(std::string_view text, std::size_t times) {
    std::string result;
    for (std::size_t i = 0; i < times; ++i)
        result += text;
    return result;
}

/// All of them different.
std::string many_attributes(std::size_t n) {
    std::string page = "<p";
    for (std::size_t i = 0; i < n; ++i)
        page += fmt::format(" a{}=1", i);
    return page + ">";
}

void hostile() {
    struct Case {
        const char* name;
        std::function<std::string(std::size_t)> page;
        std::size_t n;
    };
    const std::vector<Case> cases{
        {"attributes of one tag", many_attributes, 25'000},
        {"unmatched end tags",
         [](auto n) { return repeated("<b>", n) + repeated("</i>", n); }, 25'000},
        {"nesting", [](auto n) { return repeated("<div>", n); }, 100'000},
        {"nested svg", [](auto n) { return repeated("<svg><desc>", n); }, 100'000},
        {"bytes of script",
         [](auto n) {
             return "<script>" + repeated("if (a < b && c) f('</x>');\n", n / 28);
         },
         5'000'000},
        {"escaped script", [](auto n) { return "<script><!--" + repeated("<a-", n / 3); },
         2'000'000},
        {"comment of dashes", [](auto n) { return "<!--" + std::string(n, '-'); },
         2'000'000},
        {"less-than signs", [](auto n) { return std::string(n, '<'); }, 2'000'000},
        {"references in a value",
         [](auto n) { return "<a href='" + repeated("&amp", n / 4) + "'>"; }, 1'000'000},
        {"bytes that are no UTF-8",
         [](auto n) { return "\xc3\xa9" + std::string(n, '\xff'); }, 1'000'000},
        {"links to one place", [](auto n) { return repeated("<a href=x>", n); }, 50'000},
        {"dots in a path",
         [](auto n) { return "<a href='" + repeated("a/../", n) + "'>"; }, 50'000},
    };
    fmt::print("{:<36} {:>8} {:>8} {:>8}   (seconds)\n", "page of n", "n", "2n", "4n");
    const auto print_times = [](const std::string& name, const auto& page, std::size_t n,
                                const auto& work) {
        fmt::print("{:<36}", name);
        for (const std::size_t factor : {1U, 2U, 4U}) {
            const std::string text = page(n * factor);
            fmt::print(" {:>8.4f}", best_time(2, [&] { sink = work(text); }));
        }
        fmt::print("\n");
    };
    const common::Url base = *common::parse_url("http://h/");
    for (const Case& one : cases)
        print_times(fmt::format("{} {}", one.n, one.name), one.page, one.n,
                    [&](const std::string& page) {
                        return common::find_links(page, "text/html; charset=utf-8", base)
                            .urls.size();
                    });
    // A tenth of the size: libxml2 takes a hundred times as long for ten times the
    // size.
    fmt::print("the same by libxml2, smaller:\n");
    for (std::size_t i = 0; i < 2; ++i)
        print_times(fmt::format("{} {}", cases[i].n / 10, cases[i].name), cases[i].page,
                    cases[i].n / 10, [](const std::string& page) {
                        return tests::libxml2_references(page).size();
                    });
}

} // namespace

int main(int argc, char** argv) {
    try {
        const std::vector<std::string> arguments(argv + 1, argv + argc);
        if (arguments == std::vector<std::string>{"--hostile"})
            hostile();
        else if (arguments.size() == 1 && !arguments[0].starts_with("--"))
            compare_speed(read_pages(arguments[0]));
        else
            throw std::invalid_argument("give a folder of HTML files, or --hostile");
        return 0;
    } catch (const std::exception& error) {
        fmt::print(stderr, "links_bench: {}\n", error.what());
        return 2;
    }
}
