#include "stage3_queue_crawler/program/check_options.h"

#include "common/command_line/usage_error.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace stage3 {
namespace {

using common::UsageError;

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

bool any_format(const Options& options, bool FormatEntry::* can) {
    return options.format->*can
           || std::ranges::any_of(options.also, [&](const AlsoReport& report) {
                  return report.format->*can;
              });
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

} // namespace

void check_shared(const Options& options, const Typed& typed) {
    const SharedOptions& shared = options.shared;
    const bool has_roots = !typed.roots.empty() || !typed.lists.empty();
    if (shared.servers.empty()) {
        if (!shared.name.empty() || shared.report_only || shared.forget
            || shared.retry_given_up || typed.times_of_frontier)
            throw UsageError(
                "--crawl, --lease, --wait-for-frontier, --report, --forget and "
                "--retry-given-up need a --frontier, such as "
                "redis://localhost");
        return;
    }
    if (!options.crawl.sitemaps.is_none())
        throw UsageError("--sitemap is for a crawl by one process: leave out --frontier");
    if (options.crawl.checks.places)
        throw UsageError("--places is for a crawl by one process: leave out --frontier");
    if (options.why_slow)
        throw UsageError(
            "--why-slow is for a crawl by one process: leave out --frontier");
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
        && options.crawl.frontier.max_pages != FrontierSettings::no_limit)
        throw UsageError("--max-pages can't be counted over several servers: give "
                         "one --frontier");
}

void check_reports(const Options& options, const Typed& typed) {
    if (typed.html == "-" || options.write_baseline == "-")
        throw UsageError("--html and --write-baseline need files: standard output is for "
                         "the results (--format html)");
    if (options.report.redirects && !options.report.redirects_are_dead
        && !any_format(options, &FormatEntry::takes_redirects))
        throw UsageError("--redirects needs --format "
                         + formats_with(&FormatEntry::takes_redirects));
    if (!options.report.sources.empty()
        && !any_format(options, &FormatEntry::takes_sources))
        throw UsageError("--source needs --format "
                         + formats_with(&FormatEntry::takes_sources));
    check_files(options, typed);
    const bool knows = !typed.baselines.empty() || !typed.ignore_files.empty();
    if (!options.shared.servers.empty() && !options.shared.report_only
        && (knows || !options.write_baseline.empty()))
        throw UsageError("with --frontier, give --baseline, --write-baseline and "
                         "--ignore-file to the process that has --report");
}

void check_state(const Options& options, const Typed& typed) {
    if (typed.state && (options.state.empty() || options.state == "-"))
        throw UsageError("--state needs a file");
    if (options.state.empty() && typed.max_age)
        throw UsageError("--max-age needs a --state FILE");
    if (!options.state.empty() && !options.shared.servers.empty())
        throw UsageError("--state and --frontier: give one of these (a shared crawl is "
                         "kept in Redis)");
}

} // namespace stage3
