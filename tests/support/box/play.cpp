#include "tests/support/box/play.h"

#include "stage3_queue_crawler/crawler/crawler.h"
#include "stage3_queue_crawler/runtime/task/run.h"
#include "tests/support/box/http.h"
#include "tests/support/box/kept_answers.h"
#include "tests/support/box/site_web.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <map>
#include <utility>

namespace tests::box {
namespace {

using namespace std::chrono_literals;
using stage3::Ending;

std::vector<common::Url> roots_of(const Site& site) {
    std::vector<common::Url> roots;
    for (const std::string& root : site.roots)
        roots.push_back(*common::parse_url(root));
    return roots;
}

stage3::CrawlSettings settings_of(const CrawlChoice& choice) {
    stage3::CrawlSettings settings;
    settings.workers = static_cast<std::size_t>(choice.workers);
    if (choice.max_per_host > 0)
        settings.frontier.politeness.max_per_host =
            static_cast<std::size_t>(choice.max_per_host);
    settings.frontier.politeness.delay = choice.delay;
    settings.retries.max_tries = choice.max_tries;
    settings.frontier.order = static_cast<stage3::OrderName>(choice.order);
    settings.robots.most_at_once = static_cast<std::size_t>(choice.robots_at_once);
    if (choice.max_pages > 0)
        settings.frontier.max_pages = static_cast<std::size_t>(choice.max_pages);
    if (choice.max_depth)
        settings.frontier.max_depth = static_cast<std::size_t>(*choice.max_depth);
    if (choice.timeout > Time())
        settings.timeout = choice.timeout;
    using std::chrono::seconds;
    settings.retries.longest_wait = std::chrono::floor<seconds>(choice.max_retry_after);
    settings.frontier.refused_timeout =
        std::chrono::floor<seconds>(choice.refused_timeout);
    settings.frontier.max_redirects =
        1000; // which URL is one too many would be a matter of time
    settings.robots.obey = choice.obeys_robots;
    settings.sitemaps.of_roots = choice.reads_sitemaps;
    settings.checks.foreign = choice.checks_foreign;
    settings.checks.fragments = choice.checks_fragments;
    settings.checks.assets = choice.checks_assets;
    // Else a process that continues would ask for the hops of a circle again, since a
    // cookie might open it: see cookies_test.cpp.
    settings.cookies.are_kept = choice.dies == Time();
    return settings;
}

double in_seconds(Time time) { return std::chrono::duration<double>(time).count(); }

/// Crawls in one process.
class Run {
  public:
    Run(const Site& site, SiteWeb& web, KeptAnswers& answers, bool may_die)
        : site_(site), web_(web), may_die_(may_die), roots_(roots_of(site)),
          settings_(settings_of(site.crawl)),
          account_({.clock = [&web] { return web.time().time(); }}) {
        helpers_.open_http = open_http(web);
        helpers_.account = &account_;
        if (site.crawl.dies > Time())
            helpers_.answers = &answers;
        process_.begin = web.time().now();
        process_.first_request = web.requests().size();
    }

    Process run() {
        try {
            crawl();
        } catch (const std::exception& error) {
            process_.end = web_.time().now();
            fault(fmt::format("it throws: {}", error.what()));
        }
        return std::move(process_);
    }

  private:
    void fault(std::string what) { process_.faults.push_back(std::move(what)); }

    stage3::CrawlEvents events() {
        stage3::CrawlEvents events;
        events.on_record = [this](const stage3::Record& record, const auto&) {
            process_.records.push_back({.time = web_.time().now(), .record = record});
        };
        return events;
    }

    void crawl() {
        stage3::EventLoop loop(web_.time().options(site_.seed));
        loop.set_exception_handler([this](const stage3::Report& report) {
            if (!process_.has_died) // which its tasks don't survive
                fault("reported: " + report.message);
        });
        stage3::Crawler<> crawler(loop, roots_,
                                  stage3::Scope(stage3::Reach::host, roots_), settings_,
                                  events(), helpers_);
        auto task = create_task(loop, crawler.crawl());
        if (site_.crawl.interrupt > Time())
            loop.call_later(site_.crawl.interrupt, [task]() mutable { task.cancel(); });
        stage3::Handle death;
        if (may_die_)
            death = loop.call_later(site_.crawl.dies, [&loop] { loop.stop(); });
        try {
            process_.ending = stage3::run_until_complete<Ending>(loop, task);
        } catch (const stage3::LoopStopped&) {
            process_.has_died = true;
        } catch (...) {
            loop.set_exception_handler([](const stage3::Report&) {});
            throw;
        }
        process_.end = web_.time().now();
        account_.end();
        check_account();
        if (process_.has_died) {
            loop.close();
            return;
        }
        death.cancel();
        check_end(crawler);
        // Nothing may come after the end.
        loop.call_later(2h, [&loop] { loop.stop(); });
        loop.run_forever();
    }

    void check_end(const stage3::Crawler<>& crawler) {
        const CrawlChoice& choice = site_.crawl;
        const Ending ending = *process_.ending;
        const bool may_end =
            ending == Ending::complete
            || (ending == Ending::interrupted && choice.interrupt > Time())
            || (ending == Ending::timed_out && choice.timeout > Time())
            || (ending == Ending::max_pages && choice.max_pages > 0);
        if (!may_end)
            fault("it ended early");
        for (const Time limit : {choice.interrupt, choice.timeout})
            if (limit > Time() && process_.end - process_.begin > limit + 10ms)
                fault(fmt::format("it ended {} late",
                                  in_words(process_.end - process_.begin - limit)));
        if (const auto out = crawler.frontier().counts().out; out != 0)
            fault(fmt::format("{} URLs are still out at the end", out));
        if (const auto left = web_.in_flight(); left != 0)
            fault(fmt::format("{} requests are still under way at the end", left));
    }

    /// No host was held up for longer than there was time. And if there is only one, it
    /// was held up by something all the time.
    void check_account() {
        const double all = in_seconds(process_.end - process_.begin);
        const auto times = account_.times(2);
        for (const stage3::HostTimes& host : times.worst)
            if (const double held_up = host.seconds();
                held_up > all + 1e-6 || (times.worst.size() == 1 && held_up < all - 0.01))
                fault(fmt::format("{} was held up for {} s of {}", host.host, held_up,
                                  all));
    }

    const Site& site_;
    SiteWeb& web_;
    const bool may_die_;
    const std::vector<common::Url> roots_;
    stage3::CrawlSettings settings_;
    stage3::TimeAccount account_;
    stage3::CrawlHelpers helpers_;
    Process process_;
};

std::string line_of(const Told& told) {
    const stage3::Record& one = told.record;
    return fmt::format(
        "{:10.3f}             = {} {}: {}, status {}, {} {}{}{}\n", in_seconds(told.time),
        one.url.href(), one.fragment.empty() ? "" : "#" + one.fragment,
        name_of(one.outcome), one.status, one.tries, one.tries == 1 ? "try" : "tries",
        one.error.empty() ? "" : ": ", one.error);
}

std::string line_of(const Request& one) {
    const std::string end =
        one.end ? fmt::format("{:10.3f}", in_seconds(*one.end)) : "         ?";
    return fmt::format("{:10.3f} {}  {} {}: {}{}\n", in_seconds(one.begin), end,
                       one.is_head ? "HEAD" : "GET", one.url, describe(one.reply),
                       one.is_given_up ? ", but nobody waited for it" : "");
}

} // namespace

std::vector<const Request*> Played::requests_of(std::size_t process) const {
    const std::size_t end = process + 1 < processes.size()
                                ? processes[process + 1].first_request
                                : requests.size();
    std::vector<const Request*> own;
    for (std::size_t i = processes[process].first_request; i < end; ++i)
        own.push_back(&requests[i]);
    return own;
}

Played play(const Site& site) {
    SiteWeb web(site);
    KeptAnswers answers;
    Played played;
    const bool may_die = site.crawl.dies > Time();
    played.processes.push_back(Run(site, web, answers, may_die).run());
    if (played.processes.back().has_died) {
        answers.continue_crawl();
        played.processes.push_back(Run(site, web, answers, false).run());
    }
    played.requests = web.requests();
    return played;
}

std::string timeline(const Played& played) {
    std::multimap<Time, std::string> lines;
    for (const Request& one : played.requests)
        lines.emplace(one.begin, line_of(one));
    for (const Process& process : played.processes) {
        for (const Told& told : process.records)
            lines.emplace(told.time, line_of(told));
        lines.emplace(process.end,
                      fmt::format("{:10.3f} {}\n", in_seconds(process.end),
                                  process.has_died ? "the process dies" : "the end"));
    }
    std::string text;
    for (const auto& [time, line] : lines)
        text += line;
    return text;
}

std::string results(const Played& played) {
    std::vector<std::string> lines;
    for (const Process& process : played.processes)
        for (const auto& [time, one] : process.records)
            lines.push_back(fmt::format("{}#{} {} {} {} {}\n", one.url.href(),
                                        one.fragment, name_of(one.outcome), one.status,
                                        one.tries, one.next_url));
    std::ranges::sort(lines);
    std::string text;
    for (const std::string& line : lines)
        text += line;
    return text;
}

} // namespace tests::box
