#include "stage3_queue_crawler/program/agreed_settings.h"

#include "common/web/fragments.h"
#include "stage3_queue_crawler/crawler/registrable_domain.h"
#include "stage3_queue_crawler/crawler/url_name.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

namespace stage3 {
namespace {

std::string limit(std::size_t number) {
    return number == CrawlSettings::no_limit ? "none" : std::to_string(number);
}

/// Other headers may bring other answers. Header values and passwords stay out of it.
std::string who_we_are(const CrawlSettings& crawl) {
    std::string text = "\n--user-agent " + crawl.session.user_agent;
    for (const std::string& header : crawl.session.headers)
        text += "\n--header " + header.substr(0, header.find(':'));
    for (const auto& [origin, login] : crawl.logins)
        text += fmt::format("\na password for {}", origin);
    return text;
}

std::string what_is_crawled(const Options& options) {
    std::string text = "URLs";
    std::vector<common::Url> roots = options.roots;
    std::ranges::sort(roots);
    for (const common::Url& root : roots)
        text += fmt::format(" {}", root.href());
    text += fmt::format("\n--scope {}", name_of(options.reach));
    if (options.reach == Reach::domain) // it means something else without libpsl
        text += fmt::format(" ({})", rule_of_domains());
    for (const std::string& pattern : options.patterns)
        text += "\n" + pattern;
    return text;
}

std::string what_is_checked(const Checks& checks) {
    std::string text = checks.assets ? "" : "\n--no-assets";
    if (checks.fragments)
        text += "\n--fragments";
    if (checks.foreign)
        text += "\n--external";
    if (checks.places)
        text += "\n--places";
    // Only if they aren't the usual ones, which older versions didn't name.
    if (checks.max_links != Checks().max_links)
        text += fmt::format("\n--max-links {}", checks.max_links);
    if (checks.max_fragments != Checks().max_fragments)
        text += fmt::format("\n--max-fragments {}", checks.max_fragments);
    return text;
}

std::string what_is_allowed(const CrawlSettings& crawl) {
    std::string text = crawl.robots.obey ? "" : "\n--no-robots";
    if (!crawl.cookies.are_kept)
        text += "\n--no-cookies";
    if (crawl.session.objection)
        text += "\n--no-private";
    if (crawl.session.tls.insecure)
        text += "\n--insecure";
    return text;
}

std::string how_checks_are_judged(const Checks& checks) {
    std::string text;
    if (checks.foreign)
        text += fmt::format(
            "\n--external-delay {}",
            std::chrono::duration<double>(checks.fixed_foreign_delay()).count());
    for (const auto& [from, to] : checks.accepted)
        text += fmt::format("\n--accept {}..{}", from, to);
    return text;
}

} // namespace

std::string agreed_settings(const Options& options) {
    const CrawlSettings& crawl = options.crawl;
    std::string text = what_is_crawled(options);
    text += fmt::format(
        "\n--max-depth {}\n--max-path-depth {}\n--max-repeats {}\n--max-queries {}"
        "\n--max-pages {}\n--max-redirects {}\n--max-tries {}\n--max-per-host {}"
        "\n--max-retry-after {}\n--refused-timeout {}"
        "\n--max-body {}\n--delay {}\n--lease {}",
        limit(crawl.frontier.max_depth), crawl.traps.path_depth, crawl.traps.repeats,
        crawl.traps.queries, limit(crawl.frontier.max_pages),
        crawl.frontier.max_redirects, crawl.retries.max_tries,
        limit(crawl.frontier.politeness.max_per_host), crawl.retries.longest_wait.count(),
        crawl.frontier.refused_timeout.count(), crawl.session.max_body,
        std::chrono::duration<double>(crawl.frontier.politeness.delay).count(),
        std::chrono::duration<double>(options.shared.lease).count());
    text += fmt::format("\n--order {}", name_of(crawl.frontier.order));
    return text + what_is_allowed(crawl) + what_is_checked(crawl.checks)
           + how_checks_are_judged(crawl.checks) + who_we_are(crawl);
}

std::string settings_of_answers(const Options& options) {
    const CrawlSettings& crawl = options.crawl;
    std::string secrets; // only a hash of them leaves this process
    for (const std::string& header : crawl.session.headers)
        secrets += header + '\n';
    for (const auto& [origin, login] : crawl.logins)
        secrets += fmt::format("{}\n{}\n{}\n", origin, login.user, login.password);
    std::string text = what_is_crawled(options) + what_is_checked(crawl.checks)
                       + what_is_allowed(crawl) + who_we_are(crawl);
    text += fmt::format("\n--max-body {}", crawl.session.max_body);
    for (const Remap& remap : options.remaps)
        text += fmt::format("\n{} is served by {}", name_of(remap.from),
                            remap.to ? std::string(remap.to->href())
                                     : "the folder " + source_folder(remap.folder));
    if (!secrets.empty())
        text += fmt::format("\nheaders and passwords with hash {:x}",
                            common::hash_of_id(secrets));
    return text;
}

} // namespace stage3
