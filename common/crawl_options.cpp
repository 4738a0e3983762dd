#include "common/crawl_options.h"

#include "common/selector.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <system_error>

namespace common {
namespace {

Url read_root(const std::string& text) {
    std::optional<Url> root = parse_root_url(text);
    if (!root)
        throw UsageError(fmt::format(
            "'{}' is not a URL to crawl: give one like http://localhost:8000/", text));
    if (root->scheme() != "http")
        throw UsageError(fmt::format("'{}': stages 1 and 2 speak plain http, not {}",
                                     text, root->scheme()));
    return *root;
}

std::string known_selector(const std::string& name) {
    const auto names = selector_names();
    if (std::ranges::find(names, name) != names.end())
        return {};
    return fmt::format("'{}': choose one of {}", name, fmt::join(names, ", "));
}

} // namespace

CrawlOptions read_crawl_options(int argc, char** argv, const std::string& program,
                                const std::string& description) {
    CrawlOptions options;
    std::string root;
    CLI::App app(description, program);
    app.add_option("URL", root, "where to start; http only")->required();
    app.add_option(
           "--selector", options.selector,
           fmt::format("how to wait for sockets: {}", fmt::join(selector_names(), ", ")))
        ->check(known_selector);
    app.add_option("--trace", options.trace, "write the run's events to this file")
        ->type_name("FILE");
    app.add_option(
           "--fail-parsing", options.fail_parsing,
           "throw while the N-th page is parsed, to see what is left of its story")
        ->type_name("N");
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        options.help = app.help();
        return options;
    } catch (const CLI::ParseError& error) {
        throw UsageError(error.what());
    }
    options.root = read_root(root);
    return options;
}

Tracer open_trace(const CrawlOptions& options) {
    try {
        return options.trace.empty() ? Tracer() : Tracer(options.trace);
    } catch (const std::system_error& error) {
        throw UsageError(error.what());
    }
}

void close_trace(Tracer& tracer, const std::function<void(const std::string&)>& on_note) {
    if (const std::error_code why = tracer.close())
        on_note("the trace is cut off: " + why.message());
}

std::string describe(const Summary& summary) {
    return fmt::format("{} URLs fetched in {:.3f} seconds, {} dead, achieved "
                       "concurrency {}",
                       summary.fetched, summary.seconds.count(), summary.dead,
                       summary.most_at_once);
}

} // namespace common
