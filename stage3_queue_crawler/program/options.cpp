#include "stage3_queue_crawler/program/options.h"

#include "common/command_line/command_line.h"
#include "common/system/selector.h"
#include "common/text/ascii.h"
#include "common/text/join.h"
#include "stage3_queue_crawler/crawler/decimal.h"
#include "stage3_queue_crawler/crawler/registrable_domain.h"
#include "stage3_queue_crawler/http/address.h"
#include "stage3_queue_crawler/program/connection_options.h"
#include "stage3_queue_crawler/program/fail_parsing.h"
#include "stage3_queue_crawler/program/help.h"
#include "stage3_queue_crawler/program/roots.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include <unistd.h>

namespace stage3 {
namespace {

using common::choice_into;
using common::number_into;
using common::UsageError;

constexpr std::string_view examples = R"(Examples:
  stage3 https://example.org/               find the site's dead URLs
  stage3 --scope prefix example.org/docs/   the same, for one folder
  stage3 --format jsonl -o out.jsonl URL    one record per URL, as it comes

Exit status: 0 everything was fetched; 1 some URLs are dead (--help-verdicts);
2 wrong usage; 3 cut short by --timeout, --max-pages or an error, or links were
left out; 130 ended by Ctrl-C, TERM or HUP. Ctrl-\ (QUIT) lists all tasks, and
where each one waits. --help-connections is about TLS, HTTP/2 and proxies.)";

/// Do both paths lead to one file? It needn't exist yet.
bool is_one_file(const std::string& one, const std::string& other) {
    namespace fs = std::filesystem;
    std::error_code error;
    if (one.empty() || other.empty())
        return false;
    if (fs::exists(one, error) && !fs::is_regular_file(one, error))
        return false; // both may go to /dev/null
    if (fs::equivalent(one, other, error))
        return true;
    const auto whole = [](const std::string& path) {
        std::error_code none; // if set, opening fails, too, and that is reported
        return fs::weakly_canonical(fs::absolute(path, none), none);
    };
    return whole(one) == whole(other);
}

/// One of these values, by its name.
template <class Value>
common::ReadValue choice_by_name(Value& value, std::initializer_list<Value> values) {
    std::vector<std::pair<std::string, Value>> choices;
    for (const Value each : values)
        choices.emplace_back(name_of(each), each);
    return choice_into(value, std::move(choices));
}

/// Seconds.
template <class Duration>
common::ReadValue reader_of_time(std::optional<Duration>& time, double least = 0.001) {
    return [&time, least](const std::string& text) -> std::string {
        constexpr double most = 1e9; // 31 years
        const auto read = read_decimal(text);
        if (!read || *read < least || *read > most)
            return fmt::format("'{}' is not a number of seconds from {} to {:.0f}", text,
                               least, most);
        time = std::chrono::ceil<Duration>(std::chrono::duration<double>(*read));
        return {};
    };
}

/// "16M".
common::ReadValue reader_of_size(std::size_t& size) {
    return [&size](const std::string& text) -> std::string {
        constexpr std::string_view units = "kKmMgG"; // two letters for each power of 1024
        std::string digits = text;
        unsigned shift = 0;
        if (const auto unit = units.find(text.empty() ? ' ' : text.back());
            unit != std::string_view::npos) {
            digits.pop_back();
            shift = 10 * (static_cast<unsigned>(unit) / 2 + 1);
        }
        std::int64_t number = 0;
        constexpr std::int64_t most = std::int64_t{1} << 40U;
        if (!common::read_whole_number(digits, 1, most >> shift, number).empty())
            return fmt::format("'{}' is not a number of bytes, such as 500000, 64k, 16M "
                               "or 1G; at most 1024G",
                               text);
        size = static_cast<std::size_t>(number) << shift;
        return {};
    };
}

/// `option` is its name; each entry of `texts` has both name and pattern.
common::ReadValue reader_of_patterns(std::vector<Pattern>& patterns,
                                     std::vector<std::string>& texts,
                                     std::string_view option) {
    return [&patterns, &texts, option](const std::string& text) -> std::string {
        try {
            patterns.emplace_back(text);
            texts.push_back(fmt::format("{} {}", option, text));
            return {};
        } catch (const std::invalid_argument& error) {
            return fmt::format("'{}' is not an extended regular expression: {}", text,
                               error.what());
        }
    };
}

/// What a header's value may contain: above all, no line end.
bool is_header_value(std::string_view text) {
    return std::ranges::all_of(
        text, [](char c) { return c == '\t' || (c >= ' ' && c < 0x7f); });
}

common::ReadValue reader_of_user_agent(std::string& user_agent) {
    return [&user_agent](const std::string& text) -> std::string {
        if (text.empty() || !is_header_value(text))
            return fmt::format("'{}': give one line of printable ASCII", text);
        user_agent = text;
        return {};
    };
}

common::ReadValue reader_of_headers(std::vector<std::string>& headers) {
    return [&headers](const std::string& text) -> std::string {
        const auto colon = text.find(':');
        const std::string_view name = std::string_view(text).substr(0, colon);
        // RFC 9110, section 5.6.2: a token.
        const bool is_token = !name.empty() && std::ranges::all_of(name, [](char c) {
            return common::is_alpha(c) || common::is_digit(c)
                   || std::string_view("!#$%&'*+-.^_`|~").find(c)
                          != std::string_view::npos;
        });
        if (colon == std::string::npos || !is_token || !is_header_value(text))
            return fmt::format("'{}' is not a header like 'Name: value'", text);
        headers.push_back(text);
        return {};
    };
}

common::ReadValue reader_of_servers(std::vector<RedisUrl>& servers) {
    return [&servers](const std::string& text) -> std::string {
        try {
            servers.push_back(parse_redis_url(text));
            return {};
        } catch (const std::invalid_argument& error) {
            return error.what();
        }
    };
}

/// It becomes part of Redis keys.
common::ReadValue reader_of_name(std::string& name) {
    return [&name](const std::string& text) -> std::string {
        constexpr std::size_t longest = 100;
        const bool is_good = std::ranges::all_of(text, [](char c) {
            return common::is_alpha(c) || common::is_digit(c) || c == '.' || c == '-'
                   || c == '_';
        });
        if (!is_good || text.empty() || text.size() > longest)
            return fmt::format("'{}' is not a name: letters, digits, '.', '-' and '_', "
                               "at most {}",
                               text, longest);
        name = text;
        return {};
    };
}

void add_shared(common::CommandLine& line, SharedOptions& shared,
                std::optional<std::chrono::milliseconds>& lease, bool& wants_help) {
    line.add_repeatable("--frontier", "URL",
                        "share the crawl through a Redis: see --help-frontier",
                        reader_of_servers(shared.servers));
    line.add("--crawl", "NAME", "", reader_of_name(shared.name));
    line.add("--lease", "S", "", reader_of_time(lease, 0.5));
    line.add_flag("--report", "", shared.report_only);
    line.add_flag("--forget", "", shared.forget);
    line.add_flag("--help-frontier", "", wants_help);
    for (const char* const name :
         {"--crawl", "--lease", "--report", "--forget", "--help-frontier"})
        line.hide(name);
}

/// Throws if these options don't go together.
void check_shared(const Options& options, bool has_roots, bool has_lease) {
    const SharedOptions& shared = options.shared;
    if (shared.servers.empty()) {
        if (!shared.name.empty() || shared.report_only || shared.forget || has_lease)
            throw UsageError("--crawl, --lease, --report and --forget need a --frontier, "
                             "such as redis://localhost");
        return;
    }
    if (shared.name.empty())
        throw UsageError("--frontier needs the crawl's name: --crawl NAME");
    if (shared.report_only && shared.forget)
        throw UsageError("--report and --forget: give one of these");
    if ((shared.report_only || shared.forget) && has_roots)
        throw UsageError("--report and --forget take no URLs: they fetch nothing");
    if (options.format == FormatName::dot)
        throw UsageError("--format dot needs every page's links, which a shared frontier "
                         "doesn't keep: use text, jsonl or csv");
    if (shared.servers.size() > 1
        && options.crawl.max_pages != FrontierSettings::no_limit)
        throw UsageError("--max-pages can't be counted over several servers: give "
                         "one --frontier");
}

/// `--no-private`
void stay_among_public_addresses(SessionOptions& session) {
    const Proxies proxies(session.proxy);
    if (proxies.for_scheme("http") || proxies.for_scheme("https"))
        throw UsageError("--no-private can't see which addresses a proxy goes to: unset "
                         "http_proxy, https_proxy and all_proxy, also in capitals");
    session.objection = [](const sockaddr& address) {
        return is_private(address) ? fmt::format("address {} is private (--no-private)",
                                                 in_digits(address))
                                   : std::string();
    };
}

enum class ShowProgress : std::uint8_t { automatic, always, never };

bool to_show(ShowProgress choice, bool quiet) {
    if (choice == ShowProgress::automatic)
        return !quiet && ::isatty(STDERR_FILENO) == 1;
    return choice == ShowProgress::always;
}

} // namespace

Options read_options(int argc, char** argv) {
    Options options;
    CrawlSettings& crawl = options.crawl;
    std::vector<std::string> roots;
    std::vector<std::string> lists;
    std::optional<std::chrono::milliseconds> fetch_timeout;
    std::optional<std::chrono::milliseconds> connect_timeout;
    std::optional<EventLoop::Duration> delay;
    ShowProgress progress = ShowProgress::automatic;
    bool no_robots = false;
    bool no_private = false;

    common::CommandLine line(
        "stage3", "Crawls a web site, and reports which URLs are dead, and why.");
    line.add_footer(std::string(examples));
    line.add_arguments("URL", "where to start; http:// is optional", roots);
    line.add_repeatable("--urls-from", "FILE",
                        "also start at each line of FILE; - is standard input",
                        [&lists](const std::string& text) {
                            lists.push_back(text);
                            return std::string();
                        });
    constexpr std::int64_t most = 1'000'000'000;
    line.add("-w,--workers", "N", "at most N fetches at once (10)",
             number_into(crawl.workers, 1, 100'000));
    line.add("-d,--max-depth", "N", "at most N links away from a root",
             number_into(crawl.max_depth, 0, most));
    line.add("--max-pages", "N", "stop after N fetches",
             number_into(crawl.max_pages, 1, most));
    line.add("--max-path-depth", "N", "", number_into(crawl.traps.path_depth, 1, most));
    line.add("--max-repeats", "N", "", number_into(crawl.traps.repeats, 1, most));
    line.add("--max-queries", "N", "", number_into(crawl.traps.queries, 0, most));
    for (const char* const name : {"--max-path-depth", "--max-repeats", "--max-queries"})
        line.hide(name);
    line.add("--max-redirects", "N", "follow at most N in a row (10)",
             number_into(crawl.max_redirects, 0, 1000));
    line.add("--max-tries", "N", "tries per URL if the network or the server fails (4)",
             number_into(crawl.max_tries, 1, 1000));
    line.add("--scope", "REACH",
             fmt::format("prefix: below the root's folder; host: on its host\n"
                         "(the default); domain: the same {}",
                         rule_of_domains()),
             choice_by_name(options.reach, {Reach::prefix, Reach::host, Reach::domain}));
    line.add_repeatable(
        "--exclude", "REGEX", "skip URLs that match; repeatable",
        reader_of_patterns(options.excluded, options.shared.patterns, "--exclude"));
    line.add_repeatable(
        "--include", "REGEX", "skip URLs, other than roots, that don't; repeatable",
        reader_of_patterns(options.included, options.shared.patterns, "--include"));
    line.add("--order", "ORDER", "fifo (default), lifo, or priority (short URLs first)",
             choice_by_name(crawl.order,
                            {OrderName::fifo, OrderName::lifo, OrderName::priority}));
    line.add("--timeout", "S", "seconds for the whole crawl (no limit)",
             reader_of_time(crawl.timeout));
    line.add("--fetch-timeout", "S", "seconds for one fetch (30)",
             reader_of_time(fetch_timeout));
    line.add("--connect-timeout", "S", "seconds for connecting (10)",
             reader_of_time(connect_timeout));
    line.add("--max-body", "BYTES", "a URL with a longer body fails (16M)",
             reader_of_size(crawl.session.max_body));
    line.add_flag("--no-robots", "don't ask for robots.txt", no_robots);
    line.add_flag("--no-private", "", no_private);
    line.hide("--no-private"); // --help-verdicts describes it
    line.add("--max-per-host", "N", "requests in flight to one host (no limit)",
             number_into(crawl.politeness.max_per_host, 1, most));
    line.add("--delay", "S", "seconds between two requests to a host (0)",
             reader_of_time(delay, 0));
    line.add("--user-agent", "TEXT",
             "how the crawler names itself (" + crawl.session.user_agent + ")",
             reader_of_user_agent(crawl.session.user_agent));
    line.add_repeatable("--header", "'N: V'", "sent to the roots' origins; repeatable",
                        reader_of_headers(crawl.session.headers));
    const ConnectionOptions connection(line);
    // The event loop has a core to itself. (0 means that their number is unknown.)
    const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
    options.parse_threads = cores - 1;
    line.add(
        "--parse-threads", "N",
        fmt::format("threads that read pages; 0: the loop reads them ({})", cores - 1),
        number_into(options.parse_threads, 0, 1000));
    line.add("--selector", "NAME",
             fmt::format("how to wait for sockets: {}",
                         common::join(common::selector_names(), ", ")),
             common::selector_into(options.selector));
    line.add("--format", "FORMAT",
             "text (a report at the end), jsonl, csv, dot (a graph)",
             choice_into(options.format, {{"text", FormatName::text},
                                          {"jsonl", FormatName::jsonl},
                                          {"csv", FormatName::csv},
                                          {"dot", FormatName::dot}}));
    std::optional<std::chrono::milliseconds> lease;
    bool wants_help_on_verdicts = false;
    line.add_flag("--help-verdicts", "", wants_help_on_verdicts);
    line.hide("--help-verdicts");
    bool wants_help_on_sharing = false;
    add_shared(line, options.shared, lease, wants_help_on_sharing);
    line.add("-o,--output", "FILE", "write the results to FILE",
             common::text_into(options.output));
    line.add("--top", "N", "list the N most frequent links in the report (10)",
             number_into(options.report.top, 0, most));
    line.add_flag("--redirects", "list permanent redirects and chains, with their pages",
                  options.report.redirects);
    line.add("--trace", "FILE", "record the run's events in FILE",
             common::text_into(options.trace));
    line.add("--fail-parsing", "N", "throw while parsing the N-th page, to see the trace",
             number_into(options.fail_parsing, 0, most));
    line.add("--progress", "WHEN", "auto (on a terminal), always or never",
             choice_into(progress, {{"auto", ShowProgress::automatic},
                                    {"always", ShowProgress::always},
                                    {"never", ShowProgress::never}}));
    line.add_flag("-v,--verbose", "announce each fetch", options.verbose);
    line.add_flag("-q,--quiet", "print no notes, only errors", options.quiet);
    if (auto help = line.parse(argc, argv)) {
        options.help = *std::move(help);
        return options;
    }
    if (wants_help_on_verdicts) {
        options.help = help_on_verdicts;
        return options;
    }
    if (connection.wants_help()) {
        options.help = help_on_connections;
        return options;
    }
    if (wants_help_on_sharing) {
        options.help = help_on_sharing;
        return options;
    }
    check_shared(options, !roots.empty() || !lists.empty(), lease.has_value());
    if (options.report.redirects && options.format != FormatName::text
        && options.format != FormatName::jsonl)
        throw UsageError("--redirects needs --format text or jsonl");
    if (is_one_file(options.trace, options.output))
        throw UsageError("--trace: that is also --output's file; give it another one");
    options.shared.lease = lease.value_or(options.shared.lease);
    if (const char* const password =
            std::getenv("REDISCLI_AUTH")) // NOLINT(concurrency-mt-unsafe)
        for (RedisUrl& server : options.shared.servers)
            if (server.password.empty())
                server.password = password;
    for (const std::string& root : roots)
        add_root(root, options);
    for (const std::string& list : lists)
        add_roots_from(list, options);
    if (options.roots.empty() && !options.shared.report_only && !options.shared.forget)
        throw UsageError(lists.empty() ? "give a URL to crawl, like https://example.org/"
                                       : "--urls-from: the list has no URLs");
    crawl.obey_robots = !no_robots;
    connection.apply(crawl.session);
    if (no_private)
        stay_among_public_addresses(crawl.session);
    crawl.parse_in_threads = options.parse_threads > 0;
    if (options.fail_parsing > 0)
        crawl.find_links = find_links_but_fail_at(options.fail_parsing);
    crawl.politeness.delay = delay.value_or(EventLoop::Duration{});
    crawl.session.fetch_timeout = fetch_timeout.value_or(crawl.session.fetch_timeout);
    // A user who allows more time for a fetch also allows more silence.
    crawl.session.stall_timeout =
        std::max(crawl.session.stall_timeout,
                 std::chrono::ceil<std::chrono::seconds>(crawl.session.fetch_timeout));
    crawl.session.connect_timeout =
        connect_timeout.value_or(crawl.session.connect_timeout);
    options.show_progress = to_show(progress, options.quiet);
    return options;
}

} // namespace stage3
