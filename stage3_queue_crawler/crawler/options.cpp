#include "stage3_queue_crawler/crawler/options.h"

#include "common/ascii.h"
#include "common/selector.h"
#include "stage3_queue_crawler/crawler/decimal.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>
#include <thread>

#include <unistd.h>

namespace stage3 {
namespace {

using common::UsageError;

constexpr std::string_view examples = R"(Examples:
  stage3 https://example.org/               what is dead there, and where
  stage3 --scope prefix example.org/docs/   the same, of one folder
  stage3 --format jsonl -o out.jsonl URL    a record for each URL, as it comes

Exit status: 0 all was fetched; 1 some URLs are dead; 2 wrong usage; 3 cut short
by --timeout or --max-pages, or nobody reads the results; 130 ended by Ctrl-C.)";

/// The whole text as a number; nothing if it isn't one.
template <class Number>
std::optional<Number> read_number(std::string_view text) {
    Number number{};
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size())
        return {};
    return number;
}

/// An option whose value is read by `read`, which returns what is wrong with it, or
/// nothing.
CLI::Option* add(CLI::App& app, const std::string& name, const std::string& type,
                 const std::string& description,
                 std::function<std::string(const std::string&)> read) {
    return app
        .add_option_function<std::string>(
            name, [](const std::string&) {}, description)
        ->type_name(type)
        ->check(std::move(read));
}

template <class Number>
auto reader_of_number(Number& number, Number least, Number most) {
    return [&number, least, most](const std::string& text) -> std::string {
        const auto read = read_number<Number>(text);
        if (!read || *read < least || *read > most)
            return fmt::format("'{}' is not a number from {} to {}", text, least, most);
        number = *read;
        return {};
    };
}

/// Seconds.
template <class Duration>
auto reader_of_time(std::optional<Duration>& time, double least = 0.001) {
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
auto reader_of_size(std::size_t& size) {
    return [&size](const std::string& text) -> std::string {
        const std::map<char, std::size_t> factors{{'k', 1UL << 10U}, {'K', 1UL << 10U},
                                                  {'m', 1UL << 20U}, {'M', 1UL << 20U},
                                                  {'g', 1UL << 30U}, {'G', 1UL << 30U}};
        std::string_view digits = text;
        std::size_t factor = 1;
        if (!text.empty() && factors.contains(text.back())) {
            factor = factors.at(text.back());
            digits.remove_suffix(1);
        }
        const auto read = read_number<std::size_t>(digits);
        constexpr std::size_t most = 1UL << 40U;
        if (!read || *read < 1 || *read > most / factor)
            return fmt::format("'{}' is not a number of bytes, such as 500000, 64k, 16M "
                               "or 1G; at most 1024G",
                               text);
        size = *read * factor;
        return {};
    };
}

/// One of some words.
template <class Value>
auto reader_of_choice(Value& value,
                      const std::vector<std::pair<std::string, Value>>& choices) {
    return [&value, choices](const std::string& text) -> std::string {
        std::vector<std::string> names;
        for (const auto& [name, meaning] : choices) {
            names.push_back(name);
            if (name == text) {
                value = meaning;
                return {};
            }
        }
        return fmt::format("'{}': choose one of {}", text, fmt::join(names, ", "));
    };
}

auto reader_of_patterns(std::vector<Pattern>& patterns) {
    return [&patterns](const std::string& text) -> std::string {
        try {
            patterns.emplace_back(text);
            return {};
        } catch (const std::invalid_argument& error) {
            return fmt::format("'{}' is not an extended regular expression: {}", text,
                               error.what());
        }
    };
}

/// What may stand in a header's value: no line end, above all.
bool is_header_value(std::string_view text) {
    return std::ranges::all_of(
        text, [](char c) { return c == '\t' || (c >= ' ' && c != 127); });
}

auto reader_of_user_agent(std::string& user_agent) {
    return [&user_agent](const std::string& text) -> std::string {
        if (text.empty() || !is_header_value(text))
            return fmt::format("'{}': give one line of printable ASCII", text);
        user_agent = text;
        return {};
    };
}

auto reader_of_headers(std::vector<std::string>& headers) {
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

/// CLI11 takes "--exclude= http://h/" for "--exclude http://h/".
void check_values_given_with_equals_sign(int argc, char** argv) {
    for (const std::string_view argument :
         std::span(argv, static_cast<std::size_t>(argc))) {
        if (argument == "--")
            return;
        if (argument.starts_with("--") && argument.find('=') == argument.size() - 1)
            throw UsageError(fmt::format("a value is missing: {}", argument));
    }
}

common::Url read_root(const std::string& text) {
    if (auto root = common::parse_root_url(text))
        return *root;
    // CLI11 takes the brackets off "[::1]"; and somebody may leave them out.
    const bool may_be_ipv6 =
        text.find_first_not_of("0123456789abcdefABCDEF:.") == std::string::npos;
    if (auto root = common::parse_root_url("[" + text + "]"); root && may_be_ipv6)
        return *root;
    const auto login_end = text.rfind('@'); // passwords are not for logs
    throw UsageError(fmt::format(
        "'{}' is not a URL to crawl: give one like https://example.org/",
        login_end == std::string::npos ? text : "..." + text.substr(login_end)));
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
    std::optional<std::chrono::milliseconds> fetch_timeout;
    std::optional<std::chrono::milliseconds> connect_timeout;
    std::optional<EventLoop::Duration> delay;
    ShowProgress progress = ShowProgress::automatic;

    CLI::App app("Fetches every page of a web site, and tells what is dead, and why.",
                 "stage3");
    app.footer(std::string(examples));
    app.get_formatter()->column_width(26);
    app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    app.add_option("URL", roots, "where to start; http:// may be left out")
        ->type_name("")
        ->take_all();
    constexpr std::size_t most = 1'000'000'000;
    add(app, "-w,--workers", "N", "fetches at once, at most (10)",
        reader_of_number<std::size_t>(crawl.workers, 1, 100'000));
    add(app, "-d,--max-depth", "N", "how many links away from a root",
        reader_of_number<std::size_t>(crawl.max_depth, 0, most));
    add(app, "--max-pages", "N", "stop after so many fetches",
        reader_of_number<std::size_t>(crawl.max_pages, 1, most));
    add(app, "--max-redirects", "N", "followed from any one URL (10)",
        reader_of_number(crawl.max_redirects, 0, 1000));
    add(app, "--max-tries", "N", "for a URL, if the network or the server fails (4)",
        reader_of_number(crawl.max_tries, 1, 1000));
    add(app, "--scope", "REACH",
        "prefix: beneath the root's folder; host: on its host,\n"
        "any port (the default); domain: on hosts with the\n"
        "same last two labels",
        reader_of_choice<Reach>(options.reach, {{"prefix", Reach::prefix},
                                                {"host", Reach::host},
                                                {"domain", Reach::domain}}));
    add(app, "--exclude", "REGEX", "leave out URLs in which this is found; repeatable",
        reader_of_patterns(options.excluded))
        ->take_all();
    add(app, "--include", "REGEX", "leave out URLs, other than roots, in which it is not",
        reader_of_patterns(options.included))
        ->take_all();
    add(app, "--order", "ORDER",
        "fifo (the default), lifo, or priority: shorter\n"
        "URLs first",
        reader_of_choice<OrderName>(crawl.order, {{"fifo", OrderName::fifo},
                                                  {"lifo", OrderName::lifo},
                                                  {"priority", OrderName::priority}}));
    add(app, "--timeout", "S", "seconds for the whole crawl (no limit)",
        reader_of_time(crawl.timeout));
    add(app, "--fetch-timeout", "S", "seconds for one fetch (30)",
        reader_of_time(fetch_timeout));
    add(app, "--connect-timeout", "S", "seconds for its connection (10)",
        reader_of_time(connect_timeout));
    add(app, "--max-body", "BYTES", "a longer body is cut off, and failed (16M)",
        reader_of_size(crawl.session.max_body));
    app.add_flag_callback(
        "--no-robots", [&crawl] { crawl.obey_robots = false; },
        "don't ask for robots.txt");
    add(app, "--max-per-host", "N", "requests in flight to one host (no limit)",
        reader_of_number<std::size_t>(crawl.politeness.max_per_host, 1, most));
    add(app, "--delay", "S", "seconds from one request to a host to the next (0)",
        reader_of_time(delay, 0));
    add(app, "--user-agent", "TEXT",
        "who we say we are (" + crawl.session.user_agent + ")",
        reader_of_user_agent(crawl.session.user_agent));
    add(app, "--header", "'N: V'", "to be sent to the roots' origins; repeatable",
        reader_of_headers(crawl.session.headers))
        ->take_all();
    // The event loop has a core to itself. (0 if nobody knows how many there are.)
    const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
    options.parse_threads = cores - 1;
    add(app, "--parse-threads", "N",
        fmt::format("that read pages; 0: the loop reads them itself ({})", cores - 1),
        reader_of_number<std::size_t>(options.parse_threads, 0, 1000));
    std::vector<std::pair<std::string, std::string>> selectors;
    for (const auto& name : common::selector_names())
        selectors.emplace_back(name, name);
    add(app, "--selector", "NAME",
        fmt::format("how to wait: {}", fmt::join(common::selector_names(), ", ")),
        reader_of_choice<std::string>(options.selector, selectors));
    add(app, "--format", "FORMAT",
        "text (a report at the end), jsonl, csv, or dot: the\n"
        "link graph",
        reader_of_choice<Format>(options.format, {{"text", Format::text},
                                                  {"jsonl", Format::jsonl},
                                                  {"csv", Format::csv},
                                                  {"dot", Format::dot}}));
    app.add_option("-o,--output", options.output, "write the results there")
        ->type_name("FILE");
    add(app, "--top", "N", "how many of the most met links the report lists (10)",
        reader_of_number<std::size_t>(options.top, 0, most));
    app.add_option("--trace", options.trace, "write the run's events there")
        ->type_name("FILE");
    add(app, "--fail-parsing", "N",
        "throw while the N-th page is parsed, to see the trace",
        reader_of_number<std::size_t>(crawl.fail_parsing, 0, most));
    add(app, "--progress", "WHEN", "auto (on a terminal), always or never",
        reader_of_choice<ShowProgress>(progress, {{"auto", ShowProgress::automatic},
                                                  {"always", ShowProgress::always},
                                                  {"never", ShowProgress::never}}));
    app.add_flag("-v,--verbose", options.verbose, "tell of each fetch as it begins");
    app.add_flag("-q,--quiet", options.quiet, "tell nothing but errors");
    check_values_given_with_equals_sign(argc, argv);
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        options.help = app.help();
        return options;
    } catch (const CLI::ArgumentMismatch& error) {
        throw UsageError(fmt::format("a value is missing: {}", error.what()));
    } catch (const CLI::ParseError& error) {
        throw UsageError(error.what());
    }
    if (roots.empty())
        throw UsageError("give a URL to crawl, like https://example.org/");
    for (const std::string& root : roots) {
        const common::Url& url = options.roots.emplace_back(read_root(root));
        if (auto login = common::login_in(root))
            crawl.logins.insert_or_assign(std::string(url.origin()), *std::move(login));
    }
    crawl.parse_in_threads = options.parse_threads > 0;
    crawl.politeness.delay = delay.value_or(EventLoop::Duration{});
    crawl.session.fetch_timeout = fetch_timeout.value_or(crawl.session.fetch_timeout);
    // Who allows more time for a fetch also allows more silence.
    crawl.session.stall_timeout =
        std::max(crawl.session.stall_timeout,
                 std::chrono::ceil<std::chrono::seconds>(crawl.session.fetch_timeout));
    crawl.session.connect_timeout =
        connect_timeout.value_or(crawl.session.connect_timeout);
    options.show_progress = to_show(progress, options.quiet);
    return options;
}

} // namespace stage3
