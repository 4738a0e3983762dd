#include "stage3_queue_crawler/program/options.h"

#include "common/command_line/command_line.h"
#include "common/system/selector.h"
#include "common/text/join.h"
#include "stage3_queue_crawler/crawler/registrable_domain.h"
#include "stage3_queue_crawler/program/check_options.h"
#include "stage3_queue_crawler/program/connection_options.h"
#include "stage3_queue_crawler/program/console.h"
#include "stage3_queue_crawler/program/fail_parsing.h"
#include "stage3_queue_crawler/program/help.h"
#include "stage3_queue_crawler/program/option_values.h"
#include "stage3_queue_crawler/program/roots.h"
#include "stage3_queue_crawler/program/typed.h"
#include "stage3_queue_crawler/program/typed_line.h"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <unistd.h>

namespace stage3 {
namespace {

using common::choice_into;
using common::number_into;
using common::UsageError;

constexpr std::string_view examples = R"(Examples:
  stage3 https://example.org/               find the site's dead URLs
  stage3 --scope prefix example.org/docs/   the same, for one folder
  stage3 public/                            a site that isn't published yet

Exit status: 0 all is well; 1 some URLs are dead (--help-verdicts); 2 usage
error; 3 none is dead, but the crawl is cut short, or something left out, or
nothing checked. Ctrl-C, TERM or HUP kills it once all is written: 130, 143, 129
in a shell. Ctrl-\ (QUIT) lists all tasks, and where each one waits.)";

constexpr std::int64_t most = 1'000'000'000;

void add_limits(common::CommandLine& line, CrawlSettings& crawl) {
    line.add("-d,--max-depth", "N", "follow at most N links away from a root (10000)",
             number_into(crawl.frontier.max_depth, 0, most));
    line.add("--max-pages", "N", "stop after N fetches (no limit)",
             number_into(crawl.frontier.max_pages, 1, most));
    line.add("--max-path-depth", "N", "at most N segments in a URL's path (20)",
             number_into(crawl.traps.path_depth, 1, most));
    line.add("--max-repeats", "N", "at most N repetitions of a segment in one path (3)",
             number_into(crawl.traps.repeats, 1, most));
    line.add("--max-queries", "N",
             "at most N URLs that differ only in their query (10000)",
             number_into(crawl.traps.queries, 0, most));
    line.add("--max-redirects", "N", "follow at most N redirects in a row (20)",
             number_into(crawl.frontier.max_redirects, 0, 1000));
    // --help-verdicts describes these.
    for (const char* const name :
         {"--max-path-depth", "--max-repeats", "--max-queries", "--max-redirects"})
        line.hide(name);
}

void add_what_to_crawl(common::CommandLine& line, Options& options, Typed& typed) {
    line.start_heading("What to crawl");
    line.add_arguments("URL", "where to start: a URL or a folder; http:// is optional",
                       typed.roots);
    line.add_repeatable("--urls-from", "FILE",
                        "start at each URL in FILE, one per line; -: stdin",
                        files_into(typed.lists));
    line.add_repeatable("--remap", "FROM=TO",
                        "URLs below FROM are at TO, a folder or URL (none)",
                        reader_of_remaps(options.remaps));
    line.add_flag_or_value("--sitemap", "URL",
                           "also start at a sitemap's URLs (robots.txt names it)",
                           reader_of_sitemaps(options.crawl.sitemaps));
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
    add_limits(line, options.crawl);
    line.add("--order", "ORDER", "fifo (default), lifo, or priority (short URLs first)",
             choice_by_name(options.crawl.frontier.order,
                            {OrderName::fifo, OrderName::lifo, OrderName::priority}));
    line.add_flag("--no-robots", "ignore robots.txt", typed.no_robots);
    line.add_flag("--no-private", "connect only to addresses on the public internet",
                  typed.no_private);
    line.hide("--no-private"); // --help-verdicts describes it
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
    line.add("--external-delay", "S",
             "seconds between two requests (1, less where a host doesn't mind)",
             reader_of_time(checks.foreign_delay, 0));
    line.add("--max-links", "N", "at most N different URLs of a page (10000)",
             number_into(checks.max_links, 1, most));
    line.add("--max-fragments", "N",
             "at most N places that a page's links point to (200000)",
             number_into(checks.max_fragments, 1, 10'000'000));
    line.add_flag("--places", "note where on its page each link is written",
                  checks.places);
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

void add_how_fast(common::CommandLine& line, Options& options) {
    CrawlSettings& crawl = options.crawl;
    line.start_heading("How fast");
    line.add("-w,--workers", "N", "at most N fetches at once (10)",
             number_into(crawl.workers, 1, 100'000));
    line.add("--max-per-host", "N", "requests in flight to one host (no limit)",
             number_into(crawl.frontier.politeness.max_per_host, 1, most));
    line.add("--delay", "S", "seconds from one request to a host to the next (0)",
             reader_of_time(crawl.frontier.politeness.delay, 0));
    line.add("--max-tries", "N", "tries per URL if the network or the server fails (4)",
             number_into(crawl.retries.max_tries, 1, 1000));
    line.add("--max-retry-after", "S",
             "seconds that a server may ask us to wait; beyond, it's left alone (60)",
             reader_of_time(crawl.retries.longest_wait, 0));
    line.add("--refused-timeout", "S",
             "seconds of nothing but refusals until a server is left alone (300)",
             reader_of_time(crawl.frontier.refused_timeout, 0));
    // --help-verdicts describes these.
    for (const char* const name : {"--max-retry-after", "--refused-timeout"})
        line.hide(name);
    line.add("--timeout", "S", "seconds for the whole crawl (no limit)",
             reader_of_time(crawl.timeout));
    line.add("--fetch-timeout", "S", "seconds for one fetch (30)",
             reader_of_time(crawl.session.fetch_timeout));
    line.add("--connect-timeout", "S", "seconds for connecting (10)",
             reader_of_time(crawl.session.connect_timeout));
    line.hide("--connect-timeout"); // --help-connections describes it
    // The event loop has a core to itself. (0 means that their number is unknown.)
    options.parse_threads = std::max(1U, std::thread::hardware_concurrency()) - 1;
    line.add("--parse-threads", "N",
             "threads that read pages (cores - 1); 0: the loop does",
             number_into(options.parse_threads, 0, 1000));
}

void add_sharing(common::CommandLine& line, SharedOptions& shared, Typed& typed) {
    line.add_repeatable("--frontier", "URL",
                        "share the crawl through Redis (see --help-frontier)",
                        reader_of_servers(shared.servers));
    line.add("--crawl", "NAME", "the name of the shared crawl",
             reader_of_name(shared.name));
    line.add("--lease", "S",
             "seconds of silence after which a process counts as dead (30)",
             noting(typed.times_of_frontier, reader_of_time(shared.lease, 0.5)));
    line.add("--wait-for-frontier", "S",
             "seconds to wait at the start for a Redis that isn't ready (30)",
             noting(typed.times_of_frontier, reader_of_time(shared.wait, 0)));
    line.add_flag("--report", "only write the report on the shared crawl",
                  shared.report_only);
    line.add_flag("--forget", "only remove the shared crawl from Redis", shared.forget);
    line.add_flag("--retry-given-up", "try again what was given up in the shared crawl",
                  shared.retry_given_up);
    for (const char* const name : {"--crawl", "--lease", "--wait-for-frontier",
                                   "--report", "--forget", "--retry-given-up"})
        line.hide(name); // --help-frontier describes them
}

void add_connections(common::CommandLine& line, SessionOptions& session, Typed& typed) {
    line.start_heading("Connections");
    line.add("--user-agent", "TEXT",
             "how the crawler names itself (" + session.user_agent + ")",
             reader_of_user_agent(session.user_agent));
    line.add_repeatable("--header", "'N: V'",
                        "send this to the roots' origins; repeatable",
                        reader_of_headers(session.headers));
    line.add_flag("--no-cookies", "don't keep cookies, and return none",
                  typed.no_cookies);
    line.hide("--no-cookies"); // --help-verdicts describes it
    line.add("--max-body", "BYTES", "fail pages with a longer body (16M)",
             reader_of_size(session.max_body));
}

void add_output(common::CommandLine& line, Options& options, Typed& typed) {
    line.start_heading("Output");
    line.add("--format", "FORMAT", "text (default), jsonl, csv ... (--help-reports)",
             format_into(options.format));
    line.add("--state", "FILE", "remember answers: continue later, ask only for changes",
             noting(typed.state, common::text_into(options.state)));
    line.add("--max-age", "AGE",
             "take answers in --state that aren't older, as 12h or 7d",
             noting(typed.max_age, reader_of_age(options.max_age)));
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
    line.add("--show", "WHAT", "text: what is wrong, by urls or pages; or all (auto)",
             choice_into(typed.show, {{"auto", std::nullopt},
                                      {"urls", Show::urls},
                                      {"pages", Show::pages},
                                      {"all", Show::all}}));
    line.add_repeatable("--source", "URL=FOLDER",
                        "the pages below URL are the files in FOLDER",
                        reader_of_sources(options.report.sources));
    line.add("--top", "N", "list the N most frequent links in the report (10)",
             number_into(options.report.top, 0, most));
    line.add_flag_or_word("--redirects", "error",
                          "list permanent redirects and chains, with their pages;\n"
                          "error: they count as dead",
                          options.report.redirects, options.report.redirects_are_dead);
    line.add_flag("--why-slow", "say at the end what limited the crawl, by host (off)",
                  options.why_slow);
    for (const char* const name :
         {"--also", "--write-baseline", "--ignore-file", "--top", "--redirects",
          "--max-age", "--source", "--places", "--why-slow"})
        line.hide(name); // --help-reports describes them
    line.add("--progress", "WHEN", "auto (default; on a terminal), always or never",
             choice_into(typed.progress,
                         {{"auto", std::nullopt}, {"always", true}, {"never", false}}));
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
    line.add_flag("--help-reports", "formats, baselines, --state, --why-slow, --config",
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

/// What is known to be dead, or doesn't matter.
void read_baselines(Baseline& baseline, const Typed& typed) {
    const auto read = [&baseline](const char* option,
                                  const std::vector<std::string>& paths, auto reads) {
        for (const std::string& path : paths)
            try {
                (baseline.*reads)(read_file(option, path));
            } catch (const std::invalid_argument& error) {
                throw UsageError(fmt::format("{}: {}, {}", option, path, error.what()));
            }
    };
    read("--baseline", typed.baselines, &Baseline::read);
    read("--ignore-file", typed.ignore_files, &Baseline::read_ignored);
}

/// For annotations, unless the user has named other files there.
void add_sources(ReportOptions& report, const std::vector<Remap>& remaps) {
    for (Source& source : sources_of(remaps))
        if (std::ranges::find(report.sources, source.url, &Source::url)
            == report.sources.end())
            report.sources.push_back(std::move(source));
}

/// A root that a test server gives for its own is the one that is meant. Without any, the
/// crawl begins at the first that is served elsewhere.
void begin_where_it_is_meant(Options& options) {
    UrlMappings servers;
    for (const Remap& remap : options.remaps)
        if (remap.to)
            servers.add({.from = remap.from, .to = *remap.to});
    Logins& logins = options.crawl.logins;
    for (common::Url& root : options.roots) {
        const std::string given(root.origin());
        servers.rename(root);
        if (const auto login = logins.find(given); login != logins.end())
            logins.emplace(std::string(root.origin()), login->second);
    }
    for (common::Url& page : options.crawl.frontier.of_roots.pages)
        servers.rename(page);
    if (options.roots.empty() && !options.remaps.empty())
        options.roots.push_back(options.remaps.front().from);
}

void add_all_roots(Options& options, const Typed& typed) {
    add_roots(typed.roots, options);
    if (typed.lists.empty())
        begin_where_it_is_meant(options);
    options.typed_roots = std::ssize(options.roots);
    for (const std::string& list : typed.lists)
        add_roots_from(list, options);
    if (!typed.lists.empty() && !options.roots.empty())
        begin_where_it_is_meant(options);
    add_sources(options.report, options.remaps);
    add_sources(options.on_terminal, options.remaps);
    if (!options.remaps.empty() && !options.shared.servers.empty())
        throw UsageError("folders and --remap are for a crawl by one process: leave out "
                         "--frontier");
    if (options.roots.empty() && !options.shared.report_only && !options.shared.forget)
        throw UsageError(typed.lists.empty()
                             ? "give a URL to crawl, like https://example.org/"
                             : "--urls-from: the list has no URLs");
}

/// For standard output, if a person looks at it.
void fit_to_terminal(ReportOptions& report, Show show) {
    const auto variable = [](const char* name) {
        const char* const value = std::getenv(name);
        return std::string_view(value == nullptr ? "" : value);
    };
    report.show = show;
    report.columns = columns_of_terminal(STDOUT_FILENO);
    report.has_colours = variable("NO_COLOR").empty() && variable("TERM") != "dumb";
}

/// What is written where, and what isn't counted.
void set_reports(Options& options, const Typed& typed) {
    if (!typed.html.empty())
        options.also.push_back({&format_named("html"), typed.html, "--html"});
    options.report.sitemap = !options.crawl.sitemaps.is_none();
    options.report.places = options.crawl.checks.places;
    options.report.is_shared = !options.shared.servers.empty();
    options.report.show = typed.show.value_or(Show::all);
    options.output = typed.output == "-" ? "" : typed.output;
    options.on_terminal = options.report;
    if (options.output.empty() && ::isatty(STDOUT_FILENO) == 1)
        fit_to_terminal(options.on_terminal, typed.show.value_or(Show::urls));
    check_reports(options, typed);
    if (options.quiet && options.format->is_for_people && typed.output.empty()
        && !options.shared.report_only)
        options.format = nullptr;
    options.show_progress =
        typed.progress.value_or(!options.quiet && ::isatty(STDERR_FILENO) == 1);
    read_baselines(options.baseline, typed);
}

/// What follows from several options, or from none.
void set_crawl(Options& options, const Typed& typed,
               const ConnectionOptions& connection) {
    CrawlSettings& crawl = options.crawl;
    crawl.checks.assets = !typed.no_assets;
    crawl.robots.obey = !typed.no_robots;
    crawl.cookies.are_kept = !typed.no_cookies;
    connection.apply(crawl.session);
    if (typed.no_private)
        stay_among_public_addresses(crawl.session);
    crawl.reader.in_threads = options.parse_threads > 0;
    if (options.fail_parsing > 0)
        options.helpers.find_links = find_links_but_fail_at(options.fail_parsing);
    // A user who allows more time for a fetch also allows more silence.
    crawl.session.stall_timeout =
        std::max(crawl.session.stall_timeout,
                 std::chrono::ceil<std::chrono::seconds>(crawl.session.fetch_timeout));
}

} // namespace

Options read_options(int argc, char** argv) {
    Options options;
    Typed typed;
    AskedHelp asked;
    common::CommandLine line(
        "stage3", "Crawls a web site, and reports which URLs are dead, and why.");
    line.add_footer(std::string(examples));
    add_what_to_crawl(line, options, typed);
    add_what_to_check(line, options, typed);
    add_how_fast(line, options);
    add_sharing(line, options.shared, typed);
    add_connections(line, options.crawl.session, typed);
    const ConnectionOptions connection(line, asked.on_connections);
    add_output(line, options, typed);
    add_for_the_book(line, options);
    add_help(line, asked, typed);
    const auto help = line.parse(argc, argv);
    options.help = help ? *help : answer(asked, line.table());
    if (!options.help.empty())
        return options;
    read_config_file(line, options, typed);
    options.report.settings = typed_line({argv + 1, argv + argc}, options.found_config);
    check_shared(options, typed);
    if (typed.assets && typed.no_assets)
        throw UsageError("--assets and --no-assets: give one of these");
    set_reports(options, typed);
    check_state(options, typed);
    add_all_roots(options, typed);
    set_crawl(options, typed, connection);
    return options;
}

} // namespace stage3
