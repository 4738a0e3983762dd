// Crawls of random sites, with random failures, under random limits: each must end, and
// must know the outcome of every page.
//
// Tests of one thing at a time miss mistakes that need several together, such as another
// try of a page that has waited in its host's line. The variable SEEDS sets the number of
// crawls, which is small by default, and FIRST_SEED the seed of the first.
#include "stage3_queue_crawler/crawler/crawler.h"
#include "stage3_queue_crawler/crawler/redirect_circles.h"
#include "stage3_queue_crawler/runtime/task/run.h"
#include "tests/support/scripted_server.h"

#include <curl/curl.h>
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <ostream> // doctest wants it
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

using namespace std::chrono_literals;
using stage3::Outcome;
using tests::Pause;
using tests::Reply;
using tests::Reset;
using tests::ScriptedServer;

namespace {

constexpr int max_tries = 3;

/// The outcome of a URL, expected or found.
struct Fate {
    Outcome outcome;
    int tries;
    std::vector<std::string> next = {}; ///< the URLs that it leads to

    std::string describe() const {
        return fmt::format("{} after {} tries", name_of(outcome), tries);
    }
};

/// Some servers, and the fates of their URLs.
class Site {
  public:
    explicit Site(unsigned seed) : random_(seed) {
        for (int i = 0; i < 3; ++i)
            servers_.push_back(std::make_unique<ScriptedServer>());
        for (const auto& server : servers_) {
            const bool is_closed = !choose_robots(*server);
            for (int i = 0; i < pages; ++i)
                make(*server, path(i), is_closed);
        }
    }

    std::vector<std::string> roots() const {
        std::vector<std::string> roots;
        for (const auto& server : servers_)
            roots.push_back(server->url());
        return roots;
    }

    /// The URLs that a crawl must find, with their fates.
    std::map<std::string, std::string> expected() const {
        std::map<std::string, std::string> found;
        const auto begin = roots();
        std::deque<std::string> line(begin.begin(), begin.end());
        for (; !line.empty(); line.pop_front()) {
            const Fate& fate = fates_.at(line.front());
            if (found.emplace(line.front(), fate.describe()).second)
                line.insert(line.end(), fate.next.begin(), fate.next.end());
        }
        return found;
    }

    /// Says what is wrong with the URLs whose redirects are said to close a circle: there
    /// must be exactly one for each circle that a crawl meets.
    std::string wrong_circles(std::set<std::string> closed) const {
        std::string wrong;
        std::set<std::string> done;
        for (const auto& [root, fate] : expected()) {
            std::vector<std::string> way;
            std::string url = root;
            while (fates_.at(url).outcome == Outcome::redirect
                   && done.insert(url).second) {
                way.push_back(url);
                url = fates_.at(url).next.front();
            }
            const auto begin = std::ranges::find(way, url); // way.end() if it's no circle
            const auto count =
                std::count_if(begin, way.end(), [&](const std::string& hop) {
                    return closed.erase(hop) == 1;
                });
            if (begin != way.end() && count != 1)
                wrong += fmt::format("{} hops close the circle of {}; ", count, url);
        }
        for (const std::string& url : closed)
            wrong += url + " closes no circle; ";
        return wrong;
    }

    std::size_t most_at_once() const {
        std::size_t most = 0;
        for (const auto& server : servers_)
            most = std::max(most, server->most_at_once());
        return most;
    }

    int number(int least, int most) {
        return std::uniform_int_distribution(least, most)(random_);
    }
    bool one_in(int n) { return number(1, n) == 1; }

  private:
    static constexpr int pages = 10;

    /// Every third path is forbidden by some of the robots.txt files.
    static std::string path(int i) {
        return i == 0 ? "/" : fmt::format("/{}{}", i % 3 == 0 ? "no/" : "", i);
    }
    std::string any_url() {
        const auto server = static_cast<std::size_t>(number(0, 2));
        return servers_[server]->url(path(number(0, pages - 1)));
    }

    /// Returns false if the robots.txt can't be fetched.
    bool choose_robots(ScriptedServer& server) {
        const std::string rules = fmt::format("User-agent: *\nDisallow: /no/\n{}",
                                              one_in(2) ? "Crawl-delay: 0.01\n" : "");
        const Reply text = tests::respond(200, "text/plain", rules);
        const std::array<std::vector<Reply>, 5> replies{{
            {tests::respond(404, "text/plain", "")},
            {text},
            {Reply{Pause{100ms}, text[0]}},
            {Reply{Reset{}}, text},
            {tests::respond(503, "text/plain", "")},
        }};
        const auto choice = static_cast<std::size_t>(number(0, one_in(4) ? 4 : 3));
        server.on("/robots.txt", replies.at(choice));
        obeys_no_ = choice != 0;
        return choice != 4;
    }

    Reply failure() {
        switch (number(0, 5)) {
        case 0: return tests::respond(503, "text/html", "");
        case 1: return tests::respond(429, "text/html", "");
        case 2: return tests::respond(502, "text/html", "");
        case 3: return tests::respond(503, "text/html", "", "Retry-After: 1\r\n");
        case 4: return {Reset{}};
        default: return {};
        }
    }

    void make(ScriptedServer& server, const std::string& where, bool is_closed) {
        const std::string url = server.url(where);
        const bool is_forbidden = is_closed || (obeys_no_ && where.starts_with("/no/"));
        std::vector<Reply> replies;
        if (one_in(4))
            for (int left = number(1, 2); left > 0; --left)
                replies.push_back(failure());
        const int tries = static_cast<int>(replies.size()) + 1;
        if (one_in(20)) { // the page never recovers
            replies.assign(1, failure());
            const bool has_status = replies[0].size() == 1
                                    && std::holds_alternative<tests::Send>(replies[0][0]);
            server.on(where, replies);
            remember(url, {has_status ? Outcome::error : Outcome::failed, max_tries},
                     is_forbidden);
            return;
        }
        Fate fate{Outcome::page, tries};
        if (where != "/" && one_in(8)) {
            fate.outcome = Outcome::error;
            replies.push_back(tests::respond(404, "text/html", ""));
        } else if (where != "/" && one_in(6)) {
            fate.outcome = Outcome::redirect;
            fate.next.push_back(any_url());
            replies.push_back(tests::redirect_to(fate.next[0]));
        } else {
            std::string links;
            for (int i = 0; i < 4; ++i) {
                fate.next.push_back(any_url());
                links += fmt::format("<a href='{}'>x</a>", fate.next.back());
            }
            replies.push_back(tests::html(links));
        }
        server.on(where, replies);
        remember(url, fate, is_forbidden);
    }

    void remember(const std::string& url, Fate fate, bool is_forbidden) {
        if (is_forbidden)
            fate = {Outcome::disallowed, 0};
        fates_.emplace(url, std::move(fate));
    }

    std::mt19937 random_;
    std::vector<std::unique_ptr<ScriptedServer>> servers_;
    bool obeys_no_ = false; // whether the server being made has rules
    std::map<std::string, Fate> fates_;
};

/// Runs one crawl. Returns what was wrong with it, or an empty string.
std::string crawl(unsigned seed) {
    Site site(seed);
    std::vector<common::Url> roots;
    for (const std::string& root : site.roots())
        roots.push_back(*common::parse_url(root));

    stage3::CrawlSettings settings;
    settings.max_tries = max_tries;
    settings.timeout = 60s;
    settings.workers = static_cast<std::size_t>(site.number(1, 20));
    settings.robots_at_once = static_cast<std::size_t>(site.number(1, 3));
    settings.parse_in_threads = site.one_in(2);
    settings.order = static_cast<stage3::OrderName>(site.number(0, 2));
    if (site.one_in(2))
        settings.politeness.delay = site.number(1, 20) * 1ms;
    if (site.one_in(2))
        settings.politeness.max_per_host = static_cast<std::size_t>(site.number(1, 3));
    const std::string limits = fmt::format(
        "seed {}: {} workers, order {}, {} at once, {} ms: ", seed, settings.workers,
        static_cast<int>(settings.order), settings.politeness.max_per_host,
        std::chrono::duration<double, std::milli>(settings.politeness.delay).count());

    std::map<std::string, std::string> found;
    std::set<std::string> closed; // the redirects that close a circle
    std::string wrong;
    stage3::CrawlEvents events;
    events.on_record = [&](const stage3::Record& record) {
        const std::string url(record.url.href());
        const bool closes = record.error == stage3::redirect_loop;
        const Fate fate{closes ? Outcome::redirect : record.outcome, record.tries};
        if (closes)
            closed.insert(url);
        if (!found.emplace(url, fate.describe()).second)
            wrong += url + " has two records; ";
    };
    stage3::EventLoop loop;
    stage3::Crawler crawler(loop, roots, stage3::Scope(stage3::Reach::host, roots),
                            settings, events);
    const auto ending = stage3::run_until_complete<stage3::Ending>(loop, crawler.crawl());
    if (ending != stage3::Ending::complete)
        wrong += "the crawl is not complete; ";
    if (crawler.progress().waiting + crawler.progress().in_flight != 0)
        wrong += "some URLs are left; ";
    if (site.most_at_once() > settings.politeness.max_per_host)
        wrong += "too many fetches at once; ";
    for (const auto& [url, fate] : site.expected())
        if (const auto it = found.find(url); it == found.end())
            wrong += fmt::format("{} is missing ({}); ", url, fate);
        else if (it->second != fate)
            wrong += fmt::format("{}: {}, not {}; ", url, it->second, fate);
    if (found.size() > site.expected().size())
        wrong += "there are too many records; ";
    wrong += site.wrong_circles(closed);
    return wrong.empty() ? "" : limits + wrong;
}

} // namespace

TEST_CASE("whatever fails and whatever the limits, the crawl ends and nothing is lost") {
    curl_global_init(CURL_GLOBAL_DEFAULT); // before any thread starts
    const auto variable = [](const char* name, unsigned otherwise) {
        const char* const text = std::getenv(name);
        return text != nullptr ? static_cast<unsigned>(std::stoul(text)) : otherwise;
    };
    const unsigned begin = variable("FIRST_SEED", 1);
    const unsigned end = begin + variable("SEEDS", 24);
    constexpr unsigned at_once = 12;
    for (unsigned first = begin; first < end; first += at_once) {
        std::array<std::string, at_once> wrong;
        std::vector<std::thread> threads;
        for (unsigned i = 0; i < at_once && first + i < end; ++i)
            threads.emplace_back([&, i] { wrong.at(i) = crawl(first + i); });
        for (std::thread& thread : threads)
            thread.join();
        for (const std::string& one : wrong)
            CHECK_MESSAGE(one.empty(), one);
    }
}
