#include "tests/support/box/site.h"

#include "tests/support/box/chance.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

namespace tests::box {
namespace {

using namespace std::chrono_literals;
/// Draws one thing after the other. Each draw is a statement of its own, since compilers
/// evaluate the arguments of a call in different orders.
class Maker {
  public:
    Maker(std::uint32_t seed, const SiteOptions& options)
        : chance_(seed), options_(options) {
        site_.seed = seed;
    }

    Site make() {
        choose_crawl();
        make_hosts();
        make_urls();
        for (std::size_t i = 0; i < urls_.size(); ++i)
            make_resource(i);
        for (const std::string& name : names_) {
            make_robots(name);
            make_sitemap(name);
        }
        return std::move(site_);
    }

  private:
    Time milliseconds(int least, int most) {
        return std::chrono::milliseconds(chance_.number(least, most));
    }
    bool fails(int one_of) { return options_.fails && chance_.one_in(one_of); }

    // ---- The crawl ----

    void choose_crawl() {
        CrawlChoice& crawl = site_.crawl;
        crawl.workers =
            chance_.one_in(4) ? chance_.number(20, 100) : chance_.number(1, 12);
        crawl.max_per_host = chance_.one_in(3) ? chance_.number(1, 4) : 0;
        crawl.max_tries = chance_.one_in(3) ? chance_.number(1, 5) : 4;
        crawl.delay = chance_.one_in(3) ? milliseconds(100, 2'000) : Time();
        crawl.order = chance_.number(0, 2);
        crawl.robots_at_once = chance_.one_in(4) ? chance_.number(1, 3) : 100;
        crawl.obeys_robots = !chance_.one_in(6);
        crawl.reads_sitemaps = chance_.one_in(3);
        crawl.checks_foreign = chance_.one_in(4);
        crawl.checks_fragments = chance_.one_in(4);
        crawl.checks_assets = chance_.one_in(4);
        if (chance_.one_in(10))
            crawl.max_depth = chance_.number(0, 6);
        if (chance_.one_in(12))
            crawl.max_pages = chance_.number(1, 150);
        if (fails(8)) {
            crawl.max_retry_after = milliseconds(5'000, 120'000);
            crawl.refused_timeout = milliseconds(5'000, 120'000);
            crawl.max_retry_after -= crawl.max_retry_after % 1s;
            crawl.refused_timeout -= crawl.refused_timeout % 1s;
        }
        choose_end(crawl);
    }

    void choose_end(CrawlChoice& crawl) {
        switch (chance_.number(0, 19)) {
        case 0:
        case 1: crawl.interrupt = milliseconds(100, 20'000); break;
        case 2: crawl.timeout = milliseconds(100, 20'000); break;
        case 3:
        case 4: crawl.dies = milliseconds(100, 20'000); break;
        default: break;
        }
    }

    // ---- Servers ----

    void make_hosts() {
        const int count = chance_.number(1, 5);
        const int roots = chance_.number(1, count);
        for (int i = 0; i < count; ++i) {
            names_.push_back(fmt::format("h{}.test", i));
            if (i < roots)
                site_.roots.push_back(fmt::format("http://{}/", names_.back()));
            Host host;
            host.latency =
                chance_.one_in(5) ? milliseconds(200, 2'000) : milliseconds(1, 100);
            if (fails(15))
                host.dies = milliseconds(0, 60'000);
            if (fails(20))
                host.closes = milliseconds(0, 60'000);
            if (fails(6))
                host.limit = make_limit();
            site_.hosts.emplace(names_.back(), host);
        }
    }

    RateLimit make_limit() {
        RateLimit limit;
        limit.per_second = chance_.number(1, 50);
        limit.burst = chance_.one_in(2) ? limit.per_second : chance_.number(1, 10);
        switch (chance_.number(0, 3)) {
        case 0: limit.refusal = busy(429, 0); break;
        case 1: limit.refusal = busy(503, 1); break;
        case 2: limit.refusal = busy(503, 0); break; // as nginx does
        default: limit.refusal = busy(429, chance_.number(1, 3)); break;
        }
        return limit;
    }

    static Reply busy(int status, int seconds) {
        Reply reply{.status = status, .body = "not now"};
        if (seconds > 0)
            reply.headers.push_back(fmt::format("Retry-After: {}", seconds));
        return reply;
    }

    Reply failure() {
        Reply reply{.body = "wait"};
        switch (chance_.number(0, 9)) {
        case 0: return busy(503, 0);
        case 1: return busy(503, chance_.number(1, 5));
        case 2: return busy(429, chance_.number(1, 20));
        case 3: return busy(429, 0);
        case 4: reply.status = chance_.one_in(2) ? 502 : 504; break;
        case 5: return long_pause();
        case 6:
            reply.headers.emplace_back("Content-Type: text/html");
            reply.fault = chance_.one_in(3) ? Fault::stuck : Fault::cut;
            reply.until_body = 20ms;
            break;
        case 7: reply.fault = chance_.one_in(3) ? Fault::silence : Fault::reset; break;
        case 8: reply.fault = Fault::unreachable; break;
        default: reply.fault = Fault::reset; break;
        }
        return reply;
    }

    /// Mostly one that is kept, sometimes one that ends the host.
    Reply long_pause() {
        const int status = chance_.one_in(2) ? 429 : 503;
        if (chance_.one_in(8))
            return busy(status, chance_.number(61, 3'600));
        return busy(status, chance_.one_in(4) ? 60 : chance_.number(1, 60));
    }

    void fail_at_first(Resource& resource, int one_of) {
        if (!fails(one_of))
            return;
        for (int left = chance_.one_in(6) ? 6 : chance_.number(1, 3); left > 0; --left)
            resource.failures.push_back(failure());
        resource.never_recovers = chance_.one_in(12);
    }

    // ---- Pages ----

    static std::string path(std::size_t i) {
        if (i == 0)
            return "/";
        if (i % 7 == 0)
            return fmt::format("/no/{}", i);
        return fmt::format("{}{}", i % 5 == 0 ? "/a/b/" : "/p/", i);
    }

    void make_urls() {
        const int count =
            std::max(1, chance_.number(options_.pages / 2, options_.pages * 3 / 2));
        for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
            urls_.push_back(fmt::format("http://{}{}", names_[i % names_.size()],
                                        path(i / names_.size())));
    }

    void make_resource(std::size_t i) {
        Resource one;
        if (chance_.one_in(4))
            one.until_body = milliseconds(0, chance_.one_in(10) ? 5'000 : 50);
        one.until_head = milliseconds(0, 20);
        one.refuses_head = chance_.one_in(8);
        const bool is_root = std::ranges::count(site_.roots, urls_[i]) > 0;
        switch (is_root ? 99 : chance_.number(0, 24)) {
        case 0:
        case 1: one = error(404); break;
        case 2: one = error(500); break;
        case 3: one = error(chance_.one_in(2) ? 403 : 410); break;
        case 4:
        case 5:
            one.kind = Resource::Kind::redirect;
            one.status = chance_.one_in(2) ? 301 : 302;
            one.location = chance_.any_of(urls_);
            break;
        case 6:
        case 7: one.kind = Resource::Kind::file; break;
        default: make_links(i, one); break;
        }
        fail_at_first(one, 10);
        site_.resources[urls_[i]] = std::move(one);
    }

    static Resource error(int status) {
        return {.kind = Resource::Kind::error, .status = status};
    }

    /// Most pages can be reached.
    void make_links(std::size_t i, Resource& page) {
        if (i + 1 < urls_.size() && !chance_.one_in(8)) {
            const std::size_t last = std::min(urls_.size() - 1, i + 9);
            const int next =
                chance_.number(static_cast<int>(i) + 1, static_cast<int>(last));
            add_link(page, urls_[static_cast<std::size_t>(next)]);
        }
        for (int left = chance_.number(0, 8); left > 0; --left) {
            const int nobody = chance_.number(0, 3);
            const bool leads_nowhere = chance_.one_in(30);
            add_link(page, leads_nowhere ? fmt::format("http://nobody{}.test/x", nobody)
                                         : chance_.any_of(urls_));
        }
    }

    void add_link(Resource& page, std::string url) {
        const bool is_there = std::ranges::count(page.links, url, &Link::url) > 0;
        Link link{.url = std::move(url)};
        link.is_picture = chance_.one_in(10);
        if (is_there) // else it's for the crawler to choose why to visit it
            return;
        if (!link.is_picture && chance_.one_in(8))
            link.fragment = chance_.one_in(3) ? "none" : "top";
        page.links.push_back(std::move(link));
    }

    // ---- What belongs to a host ----

    void make_robots(const std::string& name) {
        Host& host = site_.hosts.at(name);
        const std::string url = fmt::format("http://{}/robots.txt", name);
        Resource robots{.kind = Resource::Kind::robots};
        switch (chance_.number(0, 7)) {
        case 0: robots = error(404); break;
        case 1:
        case 2:
        case 3:
            host.forbids_no = true;
            if (chance_.one_in(2))
                host.crawl_delay = milliseconds(100, 3'000);
            if (chance_.one_in(3))
                robots.until_body = milliseconds(1'000, 20'000);
            break;
        case 4: {
            host.forbids_no = true;
            const std::string other = fmt::format("http://{}/robots2.txt", name);
            Resource there{.kind = Resource::Kind::robots};
            fail_at_first(there, 6);
            site_.resources[other] = std::move(there);
            robots.kind = Resource::Kind::redirect;
            robots.status = 301;
            robots.location = other;
            break;
        }
        case 5:
            if (fails(4)) {
                robots.failures.push_back(chance_.one_in(2) ? Reply{.fault = Fault::reset}
                                                            : busy(503, 0));
                robots.never_recovers = true;
            }
            break;
        default: break;
        }
        if (robots.failures.empty())
            fail_at_first(robots, 5);
        site_.resources[url] = std::move(robots);
    }

    void make_sitemap(const std::string& name) {
        if (!chance_.one_in(2))
            return;
        std::string path = "/sitemap.xml";
        if (chance_.one_in(3))
            path = site_.hosts.at(name).named_sitemap = "/map.txt";
        Resource sitemap{.kind = Resource::Kind::sitemap};
        for (int left = chance_.number(1, 20); left > 0; --left) {
            std::string url = chance_.any_of(urls_);
            if (chance_.one_in(5)) {
                url = fmt::format("http://{}/orphan/{}", name, left);
                site_.resources[url] = {};
            }
            sitemap.links.push_back({.url = std::move(url)});
        }
        fail_at_first(sitemap, 6);
        site_.resources[fmt::format("http://{}{}", name, path)] = std::move(sitemap);
    }

    Chance chance_;
    const SiteOptions options_;
    std::vector<std::string> names_; // of hosts
    std::vector<std::string> urls_;  // of pages
    Site site_;
};

// ---- In words ----

std::string describe(const Resource& one) {
    std::string text;
    switch (one.kind) {
    case Resource::Kind::page: text = "a page"; break;
    case Resource::Kind::file: text = "a file"; break;
    case Resource::Kind::redirect:
        text = fmt::format("{} to {}", one.status, one.location);
        break;
    case Resource::Kind::error: text = fmt::format("{}", one.status); break;
    case Resource::Kind::robots: text = "rules"; break;
    case Resource::Kind::sitemap: text = "a sitemap"; break;
    }
    if (one.until_body > Time())
        text += fmt::format(", whose body takes {}", in_words(one.until_body));
    if (one.refuses_head)
        text += ", no HEAD";
    for (const Link& link : one.links)
        text += fmt::format("\n      {} {}{}{}", link.is_picture ? "shows" : "leads to",
                            link.url, link.fragment.empty() ? "" : "#", link.fragment);
    if (one.failures.empty())
        return text;
    std::string first;
    for (const Reply& reply : one.failures)
        first += (first.empty() ? "" : ", ") + describe(reply);
    return one.never_recovers ? first + ", for ever; else " + text
                              : first + "; then " + text;
}

std::string describe(const std::string& name, const Host& host) {
    std::string text = fmt::format("  {} answers after {}", name, in_words(host.latency));
    if (host.limit)
        text += fmt::format("; {} requests a second, {} at once, else {}",
                            host.limit->per_second, host.limit->burst,
                            describe(host.limit->refusal));
    if (host.dies)
        text += fmt::format("; dies after {}", in_words(*host.dies));
    if (host.closes)
        text += fmt::format("; says 429 to all after {}", in_words(*host.closes));
    if (host.forbids_no)
        text += "; robots.txt forbids /no/";
    if (host.crawl_delay > Time())
        text += fmt::format("; Crawl-delay {}", in_words(host.crawl_delay));
    return text + "\n";
}

std::string describe(const CrawlChoice& crawl) {
    constexpr std::array orders{"", ", last in first out", ", shortest URL first"};
    std::string text =
        fmt::format("{} worker{}", crawl.workers, crawl.workers == 1 ? "" : "s");
    const auto add = [&text](bool is_set, const std::string& what) {
        if (is_set)
            text += ", " + what;
    };
    text += orders.at(static_cast<std::size_t>(crawl.order));
    add(crawl.max_per_host > 0, fmt::format("at most {} per host", crawl.max_per_host));
    add(crawl.max_tries != 4, fmt::format("{} tries", crawl.max_tries));
    add(crawl.robots_at_once < 100,
        fmt::format("{} robots.txt at once", crawl.robots_at_once));
    add(crawl.max_pages > 0, fmt::format("at most {} pages", crawl.max_pages));
    add(crawl.max_depth.has_value(),
        fmt::format("depth {}", crawl.max_depth.value_or(0)));
    add(crawl.delay > Time(), "a delay of " + in_words(crawl.delay));
    add(crawl.timeout > Time(), "a time limit of " + in_words(crawl.timeout));
    add(crawl.interrupt > Time(), "Ctrl-C after " + in_words(crawl.interrupt));
    add(crawl.dies > Time(), "killed after " + in_words(crawl.dies) + ", and continued");
    add(crawl.max_retry_after != 60s,
        "Retry-After up to " + in_words(crawl.max_retry_after));
    add(crawl.refused_timeout != 300s,
        "refusals for up to " + in_words(crawl.refused_timeout));
    add(!crawl.obeys_robots, "no robots.txt");
    add(crawl.reads_sitemaps, "sitemaps");
    add(crawl.checks_foreign, "foreign hosts checked");
    add(crawl.checks_fragments, "fragments checked");
    add(crawl.checks_assets, "assets checked");
    return text;
}

} // namespace

Site make_site(std::uint32_t seed, const SiteOptions& options) {
    return Maker(seed, options).make();
}

bool Site::is_own(const std::string& host) const {
    return std::ranges::any_of(
        roots, [&host](const std::string& root) { return host_in(root) == host; });
}

std::string host_in(const std::string& url) {
    constexpr std::size_t begin = 7; // after "http://"
    return url.substr(begin, url.find('/', begin) - begin);
}

std::string path_in(const std::string& url) { return url.substr(url.find('/', 7)); }

std::string in_words(Time time) {
    return fmt::format("{:.3f} s", std::chrono::duration<double>(time).count());
}

std::string describe(const Reply& reply) {
    switch (reply.fault) {
    case Fault::unreachable: return "no connection";
    case Fault::reset: return "a reset";
    case Fault::silence: return "silence";
    case Fault::garbage: return "garbage";
    case Fault::no_descriptor: return "no descriptor";
    case Fault::cut: return fmt::format("{}, cut off", reply.status);
    case Fault::stuck: return fmt::format("{}, and half of the body", reply.status);
    case Fault::none: break;
    }
    std::string text = std::to_string(reply.status);
    for (const std::string& header : reply.headers)
        if (!header.starts_with("Content-Type"))
            text += fmt::format(" ({})", header);
    return text;
}

std::string describe(const Site& site) {
    std::string text = fmt::format("the crawl: {}\n", describe(site.crawl));
    text += "begins at:";
    for (const std::string& root : site.roots)
        text += " " + root;
    text += "\nhosts:\n";
    for (const auto& [name, host] : site.hosts)
        text += describe(name, host);
    text += "URLs:\n";
    for (const auto& [url, resource] : site.resources)
        text += fmt::format("  {}: {}\n", url, describe(resource));
    return text;
}

} // namespace tests::box
