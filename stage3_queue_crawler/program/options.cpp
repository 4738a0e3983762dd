#include "stage3_queue_crawler/program/options.h"

#include "common/command_line/command_line.h"
#include "common/system/selector.h"
#include "common/text/ascii.h"
#include "common/text/join.h"
#include "stage3_queue_crawler/crawler/decimal.h"
#include "stage3_queue_crawler/crawler/registrable_domain.h"
#include "stage3_queue_crawler/program/connection_options.h"
#include "stage3_queue_crawler/program/fail_parsing.h"
#include "stage3_queue_crawler/program/help.h"
#include "stage3_queue_crawler/program/roots.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <sstream>
#include <stdexcept>
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

Exit status: 0 all is well; 1 some URLs are dead (--help-verdicts); 2 usage
error; 3 none is dead, but the crawl is cut short, or something left out, or
nothing checked. Ctrl-C, TERM or HUP kills it once all is written: 130, 143, 129
in a shell. Ctrl-\ (QUIT) lists all tasks, and where each one waits.)";

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

/// "90", "12h".
common::ReadValue reader_of_age(std::optional<std::chrono::seconds>& age) {
    return [&age](const std::string& text) -> std::string {
        constexpr std::array<std::pair<char, int>, 4> units{
            {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86'400}}};
        std::string digits = text;
        int seconds = 1;
        for (const auto& [letter, unit] : units)
            if (digits == text && text.ends_with(letter)) {
                digits.pop_back();
                seconds = unit;
            }
        std::int64_t number = 0;
        constexpr std::int64_t most = 1'000'000'000;
        if (!common::read_whole_number(digits, 0, most / seconds, number).empty())
            return fmt::format("'{}' is not an age, such as 3600, 90m, 12h or 7d", text);
        age = std::chrono::seconds(number * seconds);
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

/// "200..299,403"
common::ReadValue reader_of_statuses(std::vector<std::pair<int, int>>& ranges) {
    return [&ranges](const std::string& text) -> std::string {
        for (std::string_view rest = text;;) {
            const std::string_view item = rest.substr(0, rest.find(','));
            const auto dots = item.find("..");
            std::int64_t from = 0;
            std::int64_t to = 0;
            const std::string first(item.substr(0, dots));
            const std::string last(
                dots == std::string_view::npos ? item : item.substr(dots + 2));
            if (!common::read_whole_number(first, 100, 999, from).empty()
                || !common::read_whole_number(last, 100, 999, to).empty() || to < from)
                return fmt::format("'{}' is not a list of statuses, such as 403,500..599",
                                   text);
            ranges.emplace_back(static_cast<int>(from), static_cast<int>(to));
            if (item.size() == rest.size())
                return {};
            rest.remove_prefix(item.size() + 1);
        }
    };
}

/// A URL, or "true": robots.txt knows. No one means a host with the name "false".
common::ReadValue reader_of_sitemaps(SitemapChoice& sitemaps) {
    return [&sitemaps](const std::string& text) -> std::string {
        if (common::equal_ignoring_case(text, "true")
            || common::equal_ignoring_case(text, "false")) {
            sitemaps.of_roots = common::equal_ignoring_case(text, "true");
            return {};
        }
        const auto url = common::parse_root_url(text);
        if (!url)
            return fmt::format("'{}' is not a sitemap's URL, like "
                               "https://example.org/sitemap.xml",
                               text);
        sitemaps.urls.push_back(*url);
        return {};
    };
}

common::ReadValue files_into(std::vector<std::string>& files) {
    return [&files](const std::string& text) {
        files.push_back(text);
        return std::string();
    };
}

common::ReadValue format_into(const FormatEntry*& format) {
    std::vector<std::pair<std::string, const FormatEntry*>> choices;
    for (const FormatEntry& entry : all_formats())
        choices.emplace_back(entry.name, &entry);
    return choice_into(format, std::move(choices));
}

/// "junit=report.xml"
common::ReadValue reader_of_reports(std::vector<AlsoReport>& reports) {
    return [&reports](const std::string& text) -> std::string {
        const auto equals = text.find('=');
        const std::string file =
            equals == std::string::npos ? "" : text.substr(equals + 1);
        if (file.empty() || file == "-")
            return fmt::format("'{}': give a format and a file, as in junit=report.xml",
                               text);
        AlsoReport report{.format = nullptr, .file = file, .option = "--also"};
        std::string wrong = format_into(report.format)(text.substr(0, equals));
        if (wrong.empty())
            reports.push_back(std::move(report));
        return wrong;
    };
}

enum class ShowProgress : std::uint8_t { automatic, always, never };

bool to_show(ShowProgress choice, bool quiet) {
    if (choice == ShowProgress::automatic)
        return !quiet && ::isatty(STDERR_FILENO) == 1;
    return choice == ShowProgress::always;
}

/// What was typed, where Options has something else.
struct Typed {
    std::vector<std::string> roots;
    std::vector<std::string> lists;
    std::optional<std::chrono::milliseconds> fetch_timeout;
    std::optional<std::chrono::milliseconds> connect_timeout;
    std::optional<EventLoop::Duration> delay;
    std::optional<EventLoop::Duration> foreign_delay;
    std::optional<std::chrono::seconds> max_retry_after;
    std::optional<std::chrono::seconds> refused_timeout;
    std::optional<std::chrono::milliseconds> lease;
    std::optional<std::chrono::milliseconds> wait_for_frontier;
    ShowProgress progress = ShowProgress::automatic;
    bool no_robots = false;
    bool no_private = false;
    bool assets = false;
    bool no_assets = false;
    std::optional<std::string> state;
    std::optional<std::chrono::seconds> max_age;
    std::string output;
    std::string html;
    std::vector<std::string> baselines;
    std::vector<std::string> ignore_files;
    std::string config;
    bool no_config = false;
};

constexpr std::int64_t most = 1'000'000'000;

void add_what_to_crawl(common::CommandLine& line, Options& options, Typed& typed) {
    CrawlSettings& crawl = options.crawl;
    line.start_heading("What to crawl");
    line.add_arguments("URL", "where to start; http:// is optional", typed.roots);
    line.add_repeatable("--urls-from", "FILE",
                        "start at each URL in FILE, one per line; -: stdin",
                        files_into(typed.lists));
    line.add_flag_or_value("--sitemap", "URL",
                           "also start at a sitemap's URLs (robots.txt names it)",
                           reader_of_sitemaps(crawl.sitemaps));
    line.add("--scope", "REACH",
             fmt::format("host (default): the root's host, at any port;\n"
                         "prefix: below the root's folder, at its port;\n"
                         "domain: the same {}, at any port",
                         rule_of_domains()),
             choice_by_name(options.reach, {Reach::prefix, Reach::host, Reach::domain}));
    line.add_repeatable(
        "--exclude", "REGEX", "skip URLs that match; repeatable",
        reader_of_patterns(options.excluded, options.patterns, "--exclude"));
    line.add_repeatable(
        "--include", "REGEX", "only URLs that match; roots are exempt; repeatable",
        reader_of_patterns(options.included, options.patterns, "--include"));
    line.add("-d,--max-depth", "N", "follow at most N links away from a root (10000)",
             number_into(crawl.max_depth, 0, most));
    line.add("--max-pages", "N", "stop after N fetches (no limit)",
             number_into(crawl.max_pages, 1, most));
    line.add("--max-path-depth", "N", "at most N segments in a URL's path (20)",
             number_into(crawl.traps.path_depth, 1, most));
    line.add("--max-repeats", "N", "at most N repetitions of a segment in one path (3)",
             number_into(crawl.traps.repeats, 1, most));
    line.add("--max-queries", "N",
             "at most N URLs that differ only in their query (10000)",
             number_into(crawl.traps.queries, 0, most));
    line.add("--max-redirects", "N", "follow at most N redirects in a row (20)",
             number_into(crawl.max_redirects, 0, 1000));
    line.add("--order", "ORDER", "fifo (default), lifo, or priority (short URLs first)",
             choice_by_name(crawl.order,
                            {OrderName::fifo, OrderName::lifo, OrderName::priority}));
    line.add_flag("--no-robots", "ignore robots.txt", typed.no_robots);
    line.add_flag("--no-private", "connect only to addresses on the public internet",
                  typed.no_private);
    // --help-verdicts describes these.
    for (const char* const name :
         {"--max-path-depth", "--max-repeats", "--max-queries", "--no-private"})
        line.hide(name);
}

void add_what_to_check(common::CommandLine& line, Options& options, Typed& typed) {
    Checks& checks = options.crawl.checks;
    line.add_flag("--external", "also check links to other sites, unhurriedly",
                  checks.foreign);
    line.add_flag("--fragments", "check that the targets of #... links exist",
                  checks.fragments);
    line.add_flag("--no-assets", "don't check images, style sheets, scripts and so on",
                  typed.no_assets);
    line.add_flag("--assets", "check them (default)", typed.assets);
    line.add("--external-max", "N", "at most N hosts outside the scope at once (10)",
             number_into(checks.foreign_hosts, 1, 1000));
    line.add("--external-delay", "S", "seconds between two requests to one of these (1)",
             reader_of_time(typed.foreign_delay, 0));
    line.add("--max-links", "N", "at most N different URLs of a page (10000)",
             number_into(checks.max_links, 1, most));
    line.add("--max-fragments", "N",
             "at most N places that a page's links point to (200000)",
             number_into(checks.max_fragments, 1, 10'000'000));
    line.add("--accept", "LIST", "statuses, such as 403,500..599, that are alive (2xx)",
             reader_of_statuses(checks.accepted));
    line.add_flag("--strict", "exit with 1 also for URLs whose state is unclear",
                  options.strict);
    // --help-verdicts describes these.
    for (const char* const name :
         {"--assets", "--external-max", "--external-delay", "--max-links",
          "--max-fragments", "--accept", "--strict"})
        line.hide(name);
}

void add_how_fast(common::CommandLine& line, Options& options, Typed& typed) {
    CrawlSettings& crawl = options.crawl;
    line.start_heading("How fast");
    line.add("-w,--workers", "N", "at most N fetches at once (10)",
             number_into(crawl.workers, 1, 100'000));
    line.add("--max-per-host", "N", "requests in flight to one host (no limit)",
             number_into(crawl.politeness.max_per_host, 1, most));
    line.add("--delay", "S", "seconds from one request to a host to the next (0)",
             reader_of_time(typed.delay, 0));
    line.add("--max-tries", "N", "tries per URL if the network or the server fails (4)",
             number_into(crawl.max_tries, 1, 1000));
    line.add("--max-retry-after", "S",
             "seconds that a server may ask us to wait; beyond, it's left alone (60)",
             reader_of_time(typed.max_retry_after, 0));
    line.add("--refused-timeout", "S",
             "seconds of nothing but refusals until a server is left alone (300)",
             reader_of_time(typed.refused_timeout, 0));
    // --help-verdicts describes these.
    for (const char* const name : {"--max-retry-after", "--refused-timeout"})
        line.hide(name);
    line.add("--timeout", "S", "seconds for the whole crawl (no limit)",
             reader_of_time(crawl.timeout));
    line.add("--fetch-timeout", "S", "seconds for one fetch (30)",
             reader_of_time(typed.fetch_timeout));
    line.add("--connect-timeout", "S", "seconds for connecting (10)",
             reader_of_time(typed.connect_timeout));
    // The event loop has a core to itself. (0 means that their number is unknown.)
    options.parse_threads = std::max(1U, std::thread::hardware_concurrency()) - 1;
    line.add("--parse-threads", "N",
             "threads that read pages (cores - 1); 0: the loop does",
             number_into(options.parse_threads, 0, 1000));
    line.add_repeatable("--frontier", "URL",
                        "share the crawl through Redis (see --help-frontier)",
                        reader_of_servers(options.shared.servers));
    line.add("--crawl", "NAME", "the name of the shared crawl",
             reader_of_name(options.shared.name));
    line.add("--lease", "S",
             "seconds of silence after which a process counts as dead (30)",
             reader_of_time(typed.lease, 0.5));
    line.add("--wait-for-frontier", "S",
             "seconds to wait at the start for a Redis that isn't ready (30)",
             reader_of_time(typed.wait_for_frontier, 0));
    line.add_flag("--report", "only write the report on the shared crawl",
                  options.shared.report_only);
    line.add_flag("--forget", "only remove the shared crawl from Redis",
                  options.shared.forget);
    line.add_flag("--retry-given-up", "try again what was given up in the shared crawl",
                  options.shared.retry_given_up);
    for (const char* const name : {"--crawl", "--lease", "--wait-for-frontier",
                                   "--report", "--forget", "--retry-given-up"})
        line.hide(name); // --help-frontier describes them
}

void add_connections(common::CommandLine& line, SessionOptions& session) {
    line.start_heading("Connections");
    line.add("--user-agent", "TEXT",
             "how the crawler names itself (" + session.user_agent + ")",
             reader_of_user_agent(session.user_agent));
    line.add_repeatable("--header", "'N: V'",
                        "send this to the roots' origins; repeatable",
                        reader_of_headers(session.headers));
    line.add("--max-body", "BYTES", "fail pages with a longer body (16M)",
             reader_of_size(session.max_body));
}

void add_output(common::CommandLine& line, Options& options, Typed& typed) {
    line.start_heading("Output");
    line.add("--format", "FORMAT", "text (default), jsonl, csv ... (--help-reports)",
             format_into(options.format));
    line.add("--state", "FILE", "remember answers: continue later, ask only for changes",
             [&options, &typed](const std::string& text) {
                 typed.state = options.state = text;
                 return std::string();
             });
    line.add("--max-age", "AGE",
             "take answers in --state that aren't older, as 12h or 7d",
             reader_of_age(typed.max_age));
    line.add("-o,--output", "FILE", "write the results to FILE (standard output)",
             common::text_into(typed.output));
    line.add("--html", "FILE", "also write a page to search, sort and print",
             common::text_into(typed.html));
    line.add_repeatable("--also", "FORMAT=FILE", "also write a report in another format",
                        reader_of_reports(options.also));
    line.add_repeatable("--baseline", "FILE", "dead URLs listed in FILE don't count",
                        files_into(typed.baselines));
    line.add("--write-baseline", "FILE", "write what is dead now to FILE, for --baseline",
             common::text_into(options.write_baseline));
    line.add_repeatable("--ignore-file", "FILE",
                        "URLs and expressions in FILE never count as dead",
                        files_into(typed.ignore_files));
    line.add("--top", "N", "list the N most frequent links in the report (10)",
             number_into(options.report.top, 0, most));
    line.add_flag("--redirects", "list permanent redirects and chains, with their pages",
                  options.report.redirects);
    for (const char* const name : {"--also", "--write-baseline", "--ignore-file", "--top",
                                   "--redirects", "--max-age"})
        line.hide(name); // --help-reports describes them
    line.add("--progress", "WHEN", "auto (default; on a terminal), always or never",
             choice_into(typed.progress, {{"auto", ShowProgress::automatic},
                                          {"always", ShowProgress::always},
                                          {"never", ShowProgress::never}}));
    line.add_flag("-v,--verbose", "announce each fetch", options.verbose);
    line.add_flag("-q,--quiet", "only warnings and errors; text reports only to -o",
                  options.quiet);
}

void add_for_the_book(common::CommandLine& line, Options& options) {
    line.start_heading("For the book's pages");
    line.add("--selector", "NAME",
             fmt::format("how to wait for sockets: {}\n(default: the first one)",
                         common::join(common::selector_names(), ", ")),
             common::selector_into(options.selector));
    line.add("--trace", "FILE", "record the run's events in FILE",
             common::text_into(options.trace));
    line.add("--fail-parsing", "N", "throw while parsing the Nth page",
             number_into(options.fail_parsing, 0, most));
}

void add_help(common::CommandLine& line, AskedHelp& asked, Typed& typed) {
    line.start_heading("Help");
    line.add_flag("--help-verdicts",
                  "what is checked, what counts as dead, what is left out",
                  asked.on_verdicts);
    line.add_flag("--help-reports", "formats, baselines, --state, options in a file",
                  asked.on_reports);
    line.add_flag("--help-frontier", "how several processes share a crawl",
                  asked.on_sharing);
    line.add("--config", "FILE", "read options from FILE (.await-the-web.ini)",
             common::text_into(typed.config));
    line.add_flag("--no-config", "don't read .await-the-web.ini", typed.no_config);
    line.hide("--config"); // --help-reports describes these
    line.hide("--no-config");
    line.add_flag("--version", "print the versions of stage3 and its libraries",
                  asked.version);
    std::vector<std::pair<std::string, std::string>> kinds;
    for (const char* const kind : {"man", "bash", "zsh", "fish"})
        kinds.emplace_back(kind, kind);
    line.add("--print-for", "WHAT", "", choice_into(asked.to_generate, std::move(kinds)));
    line.hide("--print-for"); // for meson.build
}

/// Assets are checked unless the user says no.
void set_checks(Options& options, const Typed& typed) {
    Checks& checks = options.crawl.checks;
    if (typed.assets && typed.no_assets)
        throw UsageError("--assets and --no-assets: give one of these");
    checks.assets = !typed.no_assets;
    checks.foreign_delay = typed.foreign_delay.value_or(checks.foreign_delay);
}

bool any_format(const Options& options, bool FormatEntry::* can) {
    return options.format->*can
           || std::ranges::any_of(options.also, [&](const AlsoReport& report) {
                  return report.format->*can;
              });
}

/// Throws if these options don't go together.
void check_shared(const Options& options, bool has_roots, bool has_times) {
    const SharedOptions& shared = options.shared;
    if (shared.servers.empty()) {
        if (!shared.name.empty() || shared.report_only || shared.forget
            || shared.retry_given_up || has_times)
            throw UsageError(
                "--crawl, --lease, --wait-for-frontier, --report, --forget and "
                "--retry-given-up need a --frontier, such as "
                "redis://localhost");
        return;
    }
    if (!options.crawl.sitemaps.is_none())
        throw UsageError("--sitemap is for a crawl by one process: leave out --frontier");
    if (shared.name.empty())
        throw UsageError("--frontier needs the crawl's name: --crawl NAME");
    if (shared.report_only && shared.forget)
        throw UsageError("--report and --forget: give one of these");
    if ((shared.report_only || shared.forget) && shared.retry_given_up)
        throw UsageError(
            "--report and --forget fetch nothing, and --retry-given-up does");
    if ((shared.report_only || shared.forget) && has_roots)
        throw UsageError("--report and --forget take no URLs: they fetch nothing");
    if (any_format(options, &FormatEntry::needs_links))
        throw UsageError(fmt::format("--format {} needs every page's links, which a "
                                     "shared frontier doesn't keep: use another one",
                                     formats_with(&FormatEntry::needs_links)));
    if (shared.servers.size() > 1
        && options.crawl.max_pages != FrontierSettings::no_limit)
        throw UsageError("--max-pages can't be counted over several servers: give "
                         "one --frontier");
}

std::string read_file(const std::string& option, const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    if (file && file.peek() != std::ifstream::traits_type::eof())
        text << file.rdbuf(); // an empty file would be an error here
    if (!file || file.bad())
        throw UsageError(fmt::format("{}: can't read '{}': {}", option, path,
                                     std::generic_category().message(errno)));
    return text.str();
}

/// Throws if one file is to be written twice, or both read and written.
void check_files(const Options& options, const Typed& typed) {
    std::vector<std::pair<std::string, std::string>> written{
        {"--output", options.output},
        {"--state", options.state},
        {"--state", options.state.empty() ? "" : options.state + "-wal"},
        {"--write-baseline", options.write_baseline},
        {"--trace", options.trace}};
    for (const AlsoReport& report : options.also)
        written.emplace_back(report.option, report.file);
    std::vector<std::pair<std::string, std::string>> read{
        {"--config", typed.config.empty() ? options.found_config : typed.config}};
    for (const auto& [option, files] : {std::pair("--urls-from", &typed.lists),
                                        std::pair("--baseline", &typed.baselines),
                                        std::pair("--ignore-file", &typed.ignore_files)})
        for (const std::string& file : *files)
            read.emplace_back(option, file);
    for (auto one = written.begin(); one != written.end(); ++one) {
        for (const auto& [option, file] : read) {
            const bool is_renewed =
                option == "--baseline" && one->first == "--write-baseline";
            if (!is_renewed && is_one_file(file, one->second))
                throw UsageError(fmt::format("{}: that is also {}'s file, which would be "
                                             "overwritten",
                                             option, one->first));
        }
        for (auto other = written.begin(); other != one; ++other)
            if (is_one_file(one->second, other->second))
                throw UsageError(fmt::format("{}: that is also {}'s file; give it "
                                             "another one",
                                             one->first, other->first));
    }
}

/// What is written where, and what isn't counted.
void set_reports(Options& options, const Typed& typed) {
    if (typed.html == "-" || options.write_baseline == "-")
        throw UsageError("--html and --write-baseline need files: standard output is for "
                         "the results (--format html)");
    if (!typed.html.empty())
        options.also.push_back({&format_named("html"), typed.html, "--html"});
    if (options.report.redirects && !any_format(options, &FormatEntry::takes_redirects))
        throw UsageError("--redirects needs --format "
                         + formats_with(&FormatEntry::takes_redirects));
    options.report.sitemap = !options.crawl.sitemaps.is_none();
    options.output = typed.output == "-" ? "" : typed.output;
    check_files(options, typed);
    if (options.quiet && options.format->is_for_people && typed.output.empty()
        && !options.shared.report_only)
        options.format = nullptr;
    const bool knows = !typed.baselines.empty() || !typed.ignore_files.empty();
    if (!options.shared.servers.empty() && !options.shared.report_only
        && (knows || !options.write_baseline.empty()))
        throw UsageError("with --frontier, give --baseline, --write-baseline and "
                         "--ignore-file to the process that has --report");
    const auto read = [&options](const char* option,
                                 const std::vector<std::string>& paths, auto reads) {
        for (const std::string& path : paths)
            try {
                (options.baseline.*reads)(read_file(option, path));
            } catch (const std::invalid_argument& error) {
                throw UsageError(fmt::format("{}: {}, {}", option, path, error.what()));
            }
    };
    read("--baseline", typed.baselines, &Baseline::read);
    read("--ignore-file", typed.ignore_files, &Baseline::read_ignored);
}

/// Throws if these options don't go together.
void set_state(Options& options, const Typed& typed) {
    if (typed.state && (typed.state->empty() || *typed.state == "-"))
        throw UsageError("--state needs a file");
    if (options.state.empty() && typed.max_age)
        throw UsageError("--max-age needs a --state FILE");
    if (!options.state.empty() && !options.shared.servers.empty())
        throw UsageError("--state and --frontier: give one of these (a shared crawl is "
                         "kept in Redis)");
    options.max_age = typed.max_age.value_or(options.max_age);
}

/// Options that a file adds to those that were typed.
void read_config_file(common::CommandLine& line, Options& options, const Typed& typed) {
    constexpr const char* usual = ".await-the-web.ini";
    if (typed.no_config && !typed.config.empty())
        throw UsageError("--config and --no-config: give one of these");
    std::string path = typed.config;
    std::error_code error;
    if (path.empty() && !typed.no_config && std::filesystem::exists(usual, error))
        options.found_config = path = usual;
    if (!path.empty())
        line.read_config(read_file("--config", path), path);
}

} // namespace

Options read_options(int argc, char** argv) {
    Options options;
    CrawlSettings& crawl = options.crawl;
    Typed typed;
    AskedHelp asked;
    common::CommandLine line(
        "stage3", "Crawls a web site, and reports which URLs are dead, and why.");
    line.add_footer(std::string(examples));
    add_what_to_crawl(line, options, typed);
    add_what_to_check(line, options, typed);
    add_how_fast(line, options, typed);
    add_connections(line, crawl.session);
    const ConnectionOptions connection(line, asked.on_connections);
    add_output(line, options, typed);
    add_for_the_book(line, options);
    add_help(line, asked, typed);
    const auto help = line.parse(argc, argv);
    options.help = help ? *help : answer(asked, line.table());
    if (!options.help.empty())
        return options;
    read_config_file(line, options, typed);
    check_shared(options, !typed.roots.empty() || !typed.lists.empty(),
                 typed.lease || typed.wait_for_frontier);
    set_checks(options, typed);
    set_reports(options, typed);
    set_state(options, typed);
    options.shared.lease = typed.lease.value_or(options.shared.lease);
    options.shared.wait = typed.wait_for_frontier.value_or(options.shared.wait);
    if (const char* const password =
            std::getenv("REDISCLI_AUTH")) // NOLINT(concurrency-mt-unsafe)
        for (RedisUrl& server : options.shared.servers)
            if (server.password.empty())
                server.password = password;
    for (const std::string& root : typed.roots)
        add_root(root, options);
    options.typed_roots = std::ssize(options.roots);
    for (const std::string& list : typed.lists) {
        add_roots_from(list, options);
    }
    if (options.roots.empty() && !options.shared.report_only && !options.shared.forget)
        throw UsageError(typed.lists.empty()
                             ? "give a URL to crawl, like https://example.org/"
                             : "--urls-from: the list has no URLs");
    crawl.obey_robots = !typed.no_robots;
    connection.apply(crawl.session);
    if (typed.no_private)
        stay_among_public_addresses(crawl.session);
    crawl.parse_in_threads = options.parse_threads > 0;
    if (options.fail_parsing > 0)
        crawl.find_links = find_links_but_fail_at(options.fail_parsing);
    crawl.politeness.delay = typed.delay.value_or(EventLoop::Duration{});
    crawl.max_retry_after = typed.max_retry_after.value_or(crawl.max_retry_after);
    crawl.refused_timeout = typed.refused_timeout.value_or(crawl.refused_timeout);
    crawl.session.fetch_timeout =
        typed.fetch_timeout.value_or(crawl.session.fetch_timeout);
    // A user who allows more time for a fetch also allows more silence.
    crawl.session.stall_timeout =
        std::max(crawl.session.stall_timeout,
                 std::chrono::ceil<std::chrono::seconds>(crawl.session.fetch_timeout));
    crawl.session.connect_timeout =
        typed.connect_timeout.value_or(crawl.session.connect_timeout);
    options.show_progress = to_show(typed.progress, options.quiet);
    return options;
}

} // namespace stage3
