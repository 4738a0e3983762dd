#include "tests/support/box/shrink.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tests::box {
namespace {

using namespace std::chrono_literals;

/// Makes a site smaller, if it still has what is to be left out.
using Cut = std::function<void(Site&)>;

/// And what leads there.
void remove(Site& site, const std::set<std::string>& urls) {
    for (const std::string& url : urls)
        site.resources.erase(url);
    for (auto& [url, one] : site.resources)
        std::erase_if(one.links,
                      [&urls](const Link& link) { return urls.contains(link.url); });
}

/// What leads there leads on, to where it leads.
void bridge(Site& site, const std::string& gone) {
    const auto found = site.resources.find(gone);
    if (found == site.resources.end())
        return;
    Resource bridged = std::move(found->second);
    site.resources.erase(found);
    if (!bridged.location.empty())
        bridged.links = {{.url = bridged.location}};
    for (auto& [url, one] : site.resources) {
        const auto link = std::ranges::find(one.links, gone, &Link::url);
        if (link == one.links.end())
            continue;
        one.links.erase(link);
        for (const Link& more : bridged.links)
            if (std::ranges::count(one.links, more.url, &Link::url) == 0)
                one.links.push_back(more);
    }
}

void remove_host(Site& site, const std::string& name) {
    std::set<std::string> urls;
    for (const auto& [url, one] : site.resources)
        if (host_in(url) == name)
            urls.insert(url);
    remove(site, urls);
    for (auto& [url, one] : site.resources)
        std::erase_if(one.links,
                      [&name](const Link& link) { return host_in(link.url) == name; });
    std::erase_if(site.roots,
                  [&name](const std::string& root) { return host_in(root) == name; });
    site.hosts.erase(name);
}

/// First many URLs at once, then one by one.
void cut_resources(const Site& site, std::vector<Cut>& cuts) {
    std::vector<std::string> urls;
    for (const auto& [url, one] : site.resources)
        urls.push_back(url);
    for (std::size_t size = std::max<std::size_t>(urls.size() / 2, 1);; size /= 2) {
        for (std::size_t i = 0; i < urls.size(); i += size) {
            const auto begin = urls.begin() + static_cast<std::ptrdiff_t>(i);
            const auto end =
                urls.begin()
                + static_cast<std::ptrdiff_t>(std::min(i + size, urls.size()));
            cuts.emplace_back(
                [some = std::set(begin, end)](Site& smaller) { remove(smaller, some); });
        }
        if (size == 1)
            break;
    }
    for (const std::string& url : urls)
        cuts.emplace_back([url](Site& smaller) { bridge(smaller, url); });
}

/// Adds changes of one host, or of what is at one URL, if it's still there.
template <class Value>
auto changes_of(std::vector<Cut>& cuts, std::map<std::string, Value> Site::* all,
                std::string which) {
    return [&cuts, all, which = std::move(which)](const auto& change) {
        cuts.emplace_back([all, which, change](Site& smaller) {
            const auto found = (smaller.*all).find(which);
            if (found != (smaller.*all).end())
                change(found->second);
        });
    };
}

void cut_hosts(const Site& site, std::vector<Cut>& cuts) {
    for (const auto& [name, host] : site.hosts)
        cuts.emplace_back([gone = name](Site& smaller) { remove_host(smaller, gone); });
    for (const std::string& root : site.roots)
        cuts.emplace_back([root](Site& smaller) { std::erase(smaller.roots, root); });
    for (const auto& [name, host] : site.hosts) {
        const auto add = changes_of(cuts, &Site::hosts, name);
        add([](Host& one) { one.limit.reset(); });
        add([](Host& one) { one.dies.reset(); });
        add([](Host& one) { one.closes.reset(); });
        add([](Host& one) { one.forbids_no = false; });
        add([](Host& one) { one.crawl_delay = {}; });
        add([](Host& one) { one.named_sitemap.clear(); });
        add([](Host& one) { one.latency = 10ms; });
    }
}

/// Of each URL, from its last link to the first one, so that their numbers stay right.
void cut_details(const Site& site, std::vector<Cut>& cuts) {
    for (const auto& [url, resource] : site.resources) {
        const auto add = changes_of(cuts, &Site::resources, url);
        add([](Resource& one) { one.links.clear(); });
        for (std::size_t i = resource.links.size(); i-- > 0;)
            add([i](Resource& one) {
                if (i < one.links.size())
                    one.links.erase(one.links.begin() + static_cast<std::ptrdiff_t>(i));
            });
        add([](Resource& one) { one.failures.clear(); });
        for (std::size_t i = resource.failures.size(); i-- > 0;)
            add([i](Resource& one) {
                if (i < one.failures.size())
                    one.failures.erase(one.failures.begin()
                                       + static_cast<std::ptrdiff_t>(i));
            });
        add([](Resource& one) { one.until_body = {}; });
        add([](Resource& one) { one.until_head = {}; });
        add([](Resource& one) { one.refuses_head = false; });
        add([](Resource& one) { one.never_recovers = false; });
        add([](Resource& one) {
            for (Link& link : one.links)
                link.fragment.clear();
        });
    }
}

template <class Value>
void cut_choice(std::vector<Cut>& cuts, Value CrawlChoice::* choice, Value value) {
    cuts.emplace_back([choice, value](Site& smaller) { smaller.crawl.*choice = value; });
}

void cut_choices(std::vector<Cut>& cuts) {
    const CrawlChoice usual;
    for (const auto choice :
         {&CrawlChoice::max_per_host, &CrawlChoice::max_tries, &CrawlChoice::order,
          &CrawlChoice::robots_at_once, &CrawlChoice::max_pages})
        cut_choice(cuts, choice, usual.*choice);
    for (const int workers : {3, 2, 1})
        cuts.emplace_back([workers](Site& smaller) {
            smaller.crawl.workers = std::min(smaller.crawl.workers, workers);
        });
    cut_choice(cuts, &CrawlChoice::max_depth, usual.max_depth);
    for (const auto choice :
         {&CrawlChoice::delay, &CrawlChoice::timeout, &CrawlChoice::interrupt,
          &CrawlChoice::dies, &CrawlChoice::max_retry_after,
          &CrawlChoice::refused_timeout})
        cut_choice(cuts, choice, usual.*choice);
    for (const auto choice :
         {&CrawlChoice::obeys_robots, &CrawlChoice::reads_sitemaps,
          &CrawlChoice::checks_foreign, &CrawlChoice::checks_fragments,
          &CrawlChoice::checks_assets})
        cut_choice(cuts, choice, false);
}

} // namespace

Site shrink(Site site, const std::function<bool(const Site&)>& fails) {
    const auto make_all = [&](const std::vector<Cut>& cuts) {
        bool has_shrunk = false;
        for (const Cut& cut : cuts) {
            Site smaller = site;
            cut(smaller);
            // What changes nothing isn't smaller.
            if (smaller.roots.empty() || describe(smaller) == describe(site)
                || !fails(smaller))
                continue;
            site = std::move(smaller);
            has_shrunk = true;
        }
        return has_shrunk;
    };
    std::vector<Cut> cuts;
    do { // the large pieces first
        cuts.clear();
        cut_hosts(site, cuts);
        cut_resources(site, cuts);
    } while (make_all(cuts));
    do {
        cuts.clear();
        cut_resources(site, cuts);
        cut_hosts(site, cuts);
        cut_details(site, cuts);
        cut_choices(cuts);
    } while (make_all(cuts));
    return site;
}

} // namespace tests::box
