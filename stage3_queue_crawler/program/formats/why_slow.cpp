#include "stage3_queue_crawler/program/formats/why_slow.h"

#include "common/text/counted.h"
#include "common/text/join.h"
#include "stage3_queue_crawler/crawler/url_name.h"
#include "stage3_queue_crawler/program/formats/escape.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

namespace stage3 {
namespace {

/// "8 ms", "1.3 s", "843 s"
std::string in_words(Waits::Seconds time) {
    const double seconds = time.count();
    if (seconds < 0.01)
        return fmt::format("{:.1f} ms", seconds * 1000);
    if (seconds < 1)
        return fmt::format("{:.0f} ms", seconds * 1000);
    return fmt::format("{:.{}f} s", seconds, seconds < 100 ? 1 : 0);
}

/// "512 bytes", "35.2 kB", "1.3 MB"
std::string bytes_in_words(double bytes) {
    if (bytes < 1000)
        return fmt::format("{:.0f} bytes", bytes);
    constexpr std::array units{"kB", "MB", "GB"};
    std::size_t unit = 0;
    bytes /= 1000;
    while (bytes >= 999.95 && unit + 1 < units.size()) {
        bytes /= 1000;
        ++unit;
    }
    return fmt::format("{:.1f} {}", bytes, units[unit]);
}

std::string_view name_of(Failure failure) {
    switch (failure) {
    case Failure::no_address: return "without an address";
    case Failure::no_connection: return "without a connection";
    case Failure::tls: return "failed in TLS";
    case Failure::timed_out: return "timed out";
    case Failure::broken: return "broken off";
    case Failure::not_http: return "not HTTP";
    case Failure::too_large: return "too large";
    case Failure::no_descriptor: return "without a descriptor";
    case Failure::forbidden: return "at a private address";
    case Failure::unreadable: break;
    }
    return "not served from its folder";
}

/// What held a host up, and what would help.
std::string name_of(Limit limit, const HostTimes& host, const CrawlTimes& crawl) {
    switch (limit) {
    case Limit::workers:
        return "all workers were busy (--workers, if the server can do more)";
    case Limit::bodies:
        return fmt::format(
            "bodies, at {}/s: the line or the server",
            bytes_in_words(static_cast<double>(host.bytes)
                           / std::max(host.limited_by(Limit::bodies), 1e-3)));
    case Limit::loop_thread:
        return crawl.is_read_by_loop
                   ? "this machine: one thread did all (--parse-threads)"
                   : "this machine: the loop's thread (fewer checks)";
    case Limit::parse_threads:
        return "this machine: too few threads read pages (--parse-threads)";
    case Limit::processors: return "this machine: all its processors (fewer checks)";
    case Limit::output: return "the results were taken too slowly";
    case Limit::refusals:
        return "the server's limit: it refused with 429 or 503 (ask its owner)";
    case Limit::crawl_delay: return "the Crawl-delay in its robots.txt (--no-robots)";
    case Limit::foreign_pause: return "pauses for other sites (--external-delay)";
    case Limit::one_by_one: return "its answers: other sites get one request at a time";
    case Limit::delay: return "--delay";
    case Limit::max_per_host: return "--max-per-host";
    case Limit::foreign_hosts: return "--external-max";
    case Limit::retries: return "pauses before further tries (--max-tries)";
    case Limit::descriptors: return "no descriptor was left (ulimit -n)";
    case Limit::robots: return "waiting for its robots.txt (--no-robots)";
    case Limit::reading: return "reading its pages, one after another";
    case Limit::answers: break;
    }
    return "the server's answers: no more URLs were known to ask for";
}

/// "92 %: ...", the greatest share first. Those that hardly matter are left out.
std::vector<std::string> shares_of(const HostTimes& host, const CrawlTimes& crawl) {
    constexpr std::size_t most_shares = 4;
    constexpr double least_share = 0.02;
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < number_of_limits; ++i)
        if (host.limited[i] > least_share * host.seconds())
            order.push_back(i);
    std::ranges::sort(order, [&](std::size_t one, std::size_t other) {
        return std::pair(host.limited[other], one) < std::pair(host.limited[one], other);
    });
    order.resize(std::min(order.size(), most_shares));
    std::vector<std::string> shares;
    shares.reserve(order.size());
    for (const std::size_t i : order)
        shares.push_back(fmt::format("{:.0f} %: {}",
                                     100 * host.limited[i] / host.seconds(),
                                     name_of(static_cast<Limit>(i), host, crawl)));
    return shares;
}

std::vector<std::string> failures_of(const HostTimes& host) {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < number_of_failures; ++i)
        if (host.failures[i] > 0)
            parts.push_back(
                fmt::format("{} {}", host.failures[i], name_of(static_cast<Failure>(i))));
    if (host.refusals > 0)
        parts.push_back(common::counted(host.refusals, "refusal"));
    return parts;
}

std::string waits_of(const HostTimes& host) {
    if (host.waits.worst() == Waits::Seconds())
        return "no answer";
    return fmt::format("wait {}, worst {}", in_words(host.waits.median()),
                       in_words(host.waits.worst()));
}

// ---- Text ----

/// Adds parts to a text, and line ends where a line would be too long.
class Lines {
  public:
    void begin(std::string_view text) {
        text_.append(text_.empty() ? "" : "\n").append(text);
        column_ = text.size();
        is_first_ = true;
    }
    void add(std::string_view part) {
        if (!is_first_)
            put(",");
        if (column_ + part.size() + 2 > columns && !is_first_) {
            text_ += "\n    ";
            column_ = 4;
        } else if (!is_first_) {
            put(" ");
        }
        put(part);
        is_first_ = false;
    }
    std::string take() { return std::move(text_); }

  private:
    static constexpr std::size_t columns = 80;

    void put(std::string_view part) {
        text_ += part;
        column_ += part.size();
    }

    std::string text_;
    std::size_t column_ = 0;
    bool is_first_ = true;
};

/// What is said of a host before its limits.
std::vector<std::string> parts_of(const HostTimes& host) {
    std::vector<std::string> parts{common::counted(host.requests, "request"),
                                   bytes_in_words(static_cast<double>(host.bytes)),
                                   waits_of(host)};
    for (std::string& failure : failures_of(host))
        parts.push_back(std::move(failure));
    return parts;
}

void tell(Lines& lines, const std::string& name, const HostTimes& host,
          const CrawlTimes& crawl) {
    lines.begin(
        fmt::format("  {}, for {}: ", name, in_words(Waits::Seconds(host.seconds()))));
    for (const std::string& part : parts_of(host))
        lines.add(part);
    for (const std::string& share : shares_of(host, crawl))
        lines.begin("    " + share);
}

std::string name_of_others(const CrawlTimes& times) {
    return times.other_hosts == 1 ? "1 other host"
                                  : fmt::format("{} other hosts", times.other_hosts);
}

// ---- HTML ----

std::string item_of(const std::string& name, const HostTimes& host,
                    const CrawlTimes& crawl) {
    std::string text = fmt::format("<li><b>{}</b>, for {}: {}<ul>", as_markup(name),
                                   in_words(Waits::Seconds(host.seconds())),
                                   common::join(parts_of(host), ", "));
    for (const std::string& share : shares_of(host, crawl))
        text += "<li>" + as_markup(share) + "</li>";
    return text + "</ul></li>\n";
}

} // namespace

std::string why_slow(const CrawlTimes& times) {
    Lines lines;
    lines.begin(fmt::format("what limited the crawl, which took {} "
                            "(waits are until the head):",
                            in_words(Waits::Seconds(times.seconds))));
    if (times.worst.empty())
        lines.begin("  no host was asked anything");
    for (const HostTimes& host : times.worst)
        tell(lines, for_terminal(name_of_host(host.host)), host, times);
    if (times.other_hosts > 0)
        tell(lines, name_of_others(times), times.others, times);
    return lines.take();
}

std::string html_why_slow(const CrawlTimes& times) {
    if (times.worst.empty())
        return {};
    constexpr double long_crawl = 60; // seconds
    std::string text = fmt::format(
        "<details{}><summary>What limited the crawl</summary>\n"
        "<p>Hosts, and for how long each had URLs left. Waits are until the head.</p>\n"
        "<ul>\n",
        times.seconds < long_crawl ? "" : " open");
    for (const HostTimes& host : times.worst)
        text += item_of(std::string(name_of_host(host.host)), host, times);
    if (times.other_hosts > 0)
        text += item_of(name_of_others(times), times.others, times);
    return text + "</ul>\n</details>\n";
}

} // namespace stage3
