#include "common/simple_crawl/crawl_options.h"

#include "common/command_line/command_line.h"
#include "common/system/selector.h"
#include "common/text/join.h"

#include <fmt/core.h>

#include <system_error>

namespace common {
namespace {

Url read_root(const std::string& text) {
    std::optional<Url> root = parse_root_url(text);
    if (!root)
        throw UsageError(fmt::format(
            "'{}' is not a URL to crawl: give one such as http://localhost:8000/", text));
    if (root->scheme() != "http")
        throw UsageError(fmt::format("'{}': stages 1 and 2 speak plain http, not {}",
                                     text, root->scheme()));
    return *root;
}

} // namespace

CrawlOptions read_crawl_options(int argc, char** argv, const std::string& program,
                                const std::string& description) {
    CrawlOptions options;
    std::string root;
    CommandLine line(program, description);
    line.add_argument("URL", "where to start (http only)", root);
    line.add("--selector", "NAME",
             fmt::format("how to wait for sockets: {}", join(selector_names(), ", ")),
             selector_into(options.selector));
    line.add("--trace", "FILE", "record the run's events in this file",
             text_into(options.trace));
    line.add("--fail-parsing", "N",
             "throw while parsing the N-th page, to see how much of\nits history the "
             "error shows",
             number_into(options.fail_parsing, 0, 1'000'000'000));
    if (auto help = line.parse(argc, argv)) {
        options.help = *std::move(help);
        return options;
    }
    options.root = read_root(root);
    return options;
}

Tracer open_trace(const CrawlOptions& options, std::string_view program) {
    try {
        return options.trace.empty() ? Tracer() : Tracer(options.trace, program);
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
