// What must hold for whatever is typed after `stage3`. Either it is understood, and then
// all numbers are within the limits in the help, or there is a UsageError and nothing
// else. The input is the words, separated by zero bytes.
#include "common/system/selector.h"
#include "stage3_queue_crawler/program/options.h"
#include "tests/fuzz/fuzz.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace std::chrono_literals;
using stage3::Options;
using tests::require;

constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();
constexpr std::size_t most = 1'000'000'000; // of numbers without their own limit
constexpr auto longest = 1'000'000'000s;

template <class Number>
bool is_from_to(Number number, Number least, Number greatest) {
    return least <= number && number <= greatest;
}

bool is_printable(std::string_view text) {
    return std::ranges::all_of(
        text, [](char c) { return c == '\t' || (c >= ' ' && c < 0x7f); });
}

void check_numbers(const Options& options) {
    const stage3::CrawlSettings& crawl = options.crawl;
    require(is_from_to<std::size_t>(crawl.workers, 1, 100'000), "--workers");
    require(crawl.frontier.max_depth <= most || crawl.frontier.max_depth == no_limit,
            "--max-depth");
    require(is_from_to<std::size_t>(crawl.frontier.max_pages, 1, most)
                || crawl.frontier.max_pages == no_limit,
            "--max-pages");
    require(is_from_to(crawl.frontier.max_redirects, 0, 1000), "--max-redirects");
    require(is_from_to(crawl.retries.max_tries, 1, 1000), "--max-tries");
    require(is_from_to<std::size_t>(crawl.frontier.politeness.max_per_host, 1, most)
                || crawl.frontier.politeness.max_per_host == no_limit,
            "--max-per-host");
    require(options.fail_parsing <= most, "--fail-parsing");
    require(options.parse_threads <= 1000
                && crawl.reader.in_threads == (options.parse_threads > 0),
            "--parse-threads");
    require(options.report.top <= most, "--top");
    require(is_from_to<std::size_t>(crawl.session.max_body, 1, std::size_t{1} << 40U),
            "--max-body");
}

void check_times(const Options& options) {
    const stage3::CrawlSettings& crawl = options.crawl;
    require(!crawl.timeout || (*crawl.timeout >= 1ms && *crawl.timeout <= longest),
            "--timeout");
    require(crawl.session.fetch_timeout >= 1ms && crawl.session.fetch_timeout <= longest,
            "--fetch-timeout");
    require(crawl.session.stall_timeout >= crawl.session.fetch_timeout,
            "the limit of silence is no shorter than --fetch-timeout");
    require(crawl.session.connect_timeout >= 1ms
                && crawl.session.connect_timeout <= longest,
            "--connect-timeout");
    require(crawl.frontier.politeness.delay >= 0s
                && crawl.frontier.politeness.delay <= longest,
            "--delay");
    require(options.shared.lease >= 500ms && options.shared.lease <= longest, "--lease");
}

void check_texts(const Options& options) {
    const stage3::SessionOptions& session = options.crawl.session;
    require(!session.user_agent.empty() && is_printable(session.user_agent),
            "--user-agent is one line of ASCII");
    for (const std::string& header : session.headers)
        require(is_printable(header) && header.find(':') != std::string::npos
                    && !header.starts_with(':'),
                "--header is one line of ASCII, with a name");
    const auto selectors = common::selector_names();
    require(options.selector.empty()
                || std::ranges::find(selectors, options.selector) != selectors.end(),
            "--selector");
    for (const common::Url& root : options.roots) {
        require(common::parse_url(root.href()) == root, "each root is a URL");
        require(root.href().find('@') > root.href().find('/', 8),
                "no password stays in a URL");
    }
}

void check_shared(const Options& options) {
    const stage3::SharedOptions& shared = options.shared;
    require(shared.servers.empty() == shared.name.empty(),
            "--frontier and --crawl need each other");
    require(shared.servers.empty() || !options.format || !options.format->needs_links,
            "a shared crawl writes no graph");
    require(!shared.servers.empty() || (!shared.report_only && !shared.forget),
            "--report and --forget need a --frontier");
    require(options.roots.empty() == (shared.report_only || shared.forget),
            "there are roots unless nothing is to be fetched");
    require(!shared.report_only || !shared.forget,
            "--report and --forget exclude each other");
    require(options.patterns.size() == options.excluded.size() + options.included.size(),
            "each pattern has its text");
}

} // namespace

void tests::fuzz(std::string_view input) {
    // The C library's regcomp uses up all memory for a few numbers in braces. Users who
    // type that harm only their own machine.
    if (input.find('{') != std::string_view::npos)
        return;
    for (const char* const name :
         {"--urls-from", "--baseline", "--ignore-file", "--config"})
        if (input.find(name) != std::string_view::npos)
            return; // it would read any file
    std::vector<std::string> words{"stage3"};
    for (std::string_view rest = input; !rest.empty();) {
        const auto end = std::min(rest.find('\0'), rest.size());
        words.emplace_back(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    std::vector<char*> argv;
    for (std::string& word : words)
        argv.push_back(word.data());
    argv.push_back(nullptr);
    try {
        const Options options =
            stage3::read_options(static_cast<int>(words.size()), argv.data());
        if (!options.help.empty())
            return; // then nothing else counts
        check_numbers(options);
        check_times(options);
        check_texts(options);
        check_shared(options);
    } catch (const common::UsageError& error) {
        const std::string_view text = error.what();
        require(!text.empty(), "an error says something");
        require(std::ranges::count(text, '\n') <= std::ranges::count(input, '\n'),
                "an error is one line except for what was typed");
    }
}
