#include "tests/support/box/manners.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

namespace tests::box {
namespace {

using namespace std::chrono_literals;

/// Looks at one host's requests.
class Guest {
  public:
    Guest(const Site& site, const History& history, std::string host)
        : site_(site), crawl_(site.crawl), history_(history), host_(std::move(host)),
          is_foreign_(!site.is_own(host_)), all_(history.by_host().at(host_)) {
        find_delays();
        find_holds();
    }

    std::vector<std::string> judge() {
        for (std::size_t i = 0; i < all_.size(); ++i) {
            const Request& one = *all_[i];
            if (is_aside(site_, one.url)) {
                check_aside(one);
                continue;
            }
            if (i > 0)
                check_pause(*all_[i - 1], one);
            if (is_foreign_)
                check_rest(one, i);
            check_crawl_delay(one, i);
            check_holds(one);
            check_number(one, i);
            check_window(one, i);
        }
        return std::move(faults_);
    }

  private:
    void fault(std::string_view kind, const Request& one, const std::string& what) {
        faults_.push_back(
            fmt::format("{} {} at {}: {}", kind, one.url, in_words(one.begin), what));
    }

    void find_delays() {
        delay_ = crawl_.delay;
        const auto known = site_.hosts.find(host_);
        const bool has_rules =
            std::ranges::any_of(history_.rules_of(host_), [](const Rules& one) {
                return one.kind == Rules::Kind::rules;
            });
        if (crawl_.obeys_robots && known != site_.hosts.end() && has_rules)
            crawl_delay_ = known->second.crawl_delay;
    }

    /// Each URL's requests say how long the host must be left alone.
    void find_holds() {
        std::vector<std::string> urls;
        for (const Request* const one : all_) {
            const Time wanted = retry_after(one->reply);
            if (is_aside(site_, one->url)) {
                if (has_head(*one) && wanted > Time())
                    holds_.push_back({.begin = *one->answered,
                                      .end = *one->answered + wanted,
                                      .url = one->url});
            } else if (std::ranges::count(urls, one->url) == 0) {
                urls.push_back(one->url);
                add_holds_of(*one);
            }
        }
    }

    void add_holds_of(const Request& first) {
        const bool is_check =
            first.is_head; // a check begins with HEAD, and nothing else does
        Reason reason = is_check ? Reason::check : Reason::follow;
        if (is_foreign_)
            reason = Reason::foreign;
        const Replayed replayed = history_.replay(first.url, reason);
        holds_.insert(holds_.end(), replayed.holds.begin(), replayed.holds.end());
    }

    /// robots.txt and sitemaps don't pass the host's gate. But what they were told holds
    /// for themselves.
    void check_aside(const Request& one) {
        for (const Hold& hold : holds_)
            if (hold.url == one.url && one.begin > hold.begin && one.begin < hold.end)
                fault(
                    "retry-after", one,
                    fmt::format("it was to be left alone until {}", in_words(hold.end)));
    }

    void check_pause(const Request& before, const Request& one) {
        if (one.begin - before.begin < delay_)
            fault("pause", one,
                  fmt::format("only {} after {}, instead of {}",
                              in_words(one.begin - before.begin), before.url,
                              in_words(delay_)));
    }

    /// On a foreign server, a pause after the end of each request, and from the start of
    /// one for robots.txt.
    void check_rest(const Request& one, std::size_t i) {
        const Time pause = history_.turn_of(one).pause;
        std::size_t last = i;
        while (last > 0 && is_aside(site_, all_[last - 1]->url))
            --last;
        if (i > 0 && last < i && one.begin - all_[i - 1]->begin < pause)
            fault("pause", one, "too soon after robots.txt");
        if (last == 0)
            return;
        const Time rest = one.begin - all_[last - 1]->end.value_or(one.begin);
        if (rest < pause)
            fault("pause", one,
                  fmt::format("only {} after the end of {}, instead of {}",
                              in_words(rest), all_[last - 1]->url, in_words(pause)));
    }

    /// Without a limit by the user: one request at a time, and a pause after its end.
    /// With one: a pause after its start. In either case, after robots.txt, too.
    void check_crawl_delay(const Request& one, std::size_t i) {
        if (crawl_delay_ == Time())
            return;
        for (std::size_t k = 0; k < i; ++k) {
            const Request& before = *all_[k];
            if (is_robots(before) ? !was_rules(before) : is_aside(site_, before.url))
                continue;
            const bool from_end = is_robots(before) || crawl_.max_per_host == 0;
            const Time from = from_end ? before.end.value_or(one.begin) : before.begin;
            if (one.begin - from >= crawl_delay_)
                continue;
            fault("crawl-delay", one,
                  fmt::format("only {} after the {} of {}, instead of {}",
                              in_words(one.begin - from), from_end ? "end" : "start",
                              before.url, in_words(crawl_delay_)));
            return;
        }
    }
    static bool is_robots(const Request& one) {
        return path_in(one.url).starts_with("/robots");
    }
    static bool was_rules(const Request& one) {
        return has_head(one) && one.reply.status == 200 && one.reply.fault == Fault::none;
    }

    void check_holds(const Request& one) {
        for (const Hold& hold : holds_) {
            if (one.begin <= hold.begin || one.begin >= hold.end)
                continue;
            fault(is_aside(site_, hold.url) ? "hold-aside" : "hold", one,
                  fmt::format("{} has asked for a pause until {}", hold.url,
                              in_words(hold.end)));
            return;
        }
    }

    bool is_under_way(const Request& one, Time now) const {
        return one.begin <= now && (!one.end || *one.end > now)
               && !is_aside(site_, one.url);
    }
    std::size_t under_way(std::size_t i) const {
        const Time now = all_[i]->begin;
        std::size_t count = 1;
        for (std::size_t k = 0; k < i; ++k)
            count += is_under_way(*all_[k], now) ? 1 : 0;
        return count;
    }

    void check_number(const Request& one, std::size_t i) {
        const int most = is_foreign_ ? 1 : crawl_.max_per_host;
        const std::size_t count = under_way(i);
        if (most > 0 && count > static_cast<std::size_t>(most))
            fault("number", one, fmt::format("{} requests at once", count));
    }

    /// After a refusal, one request at a time; after each answer that ends later, one
    /// more.
    void check_window(const Request& one, std::size_t i) {
        if (is_foreign_)
            return;
        std::optional<Time> refused;
        for (std::size_t k = 0; k < i; ++k)
            if (is_known(*all_[k], one.begin) && is_refusal(all_[k]->reply))
                refused = std::max(refused.value_or(Time()), *all_[k]->answered);
        if (!refused)
            return;
        std::size_t window = 1;
        for (std::size_t k = 0; k < i; ++k) {
            const Request& before = *all_[k];
            const bool is_later =
                has_head(before) && before.end.value_or(*refused) >= *refused;
            if (!is_known(before, one.begin + 1us) || is_refusal(before.reply)
                || !is_later)
                continue;
            if (before.reply.status == 503)
                return; // it may be broken, so that a slower pace would be of no use
            ++window;
        }
        const std::size_t count = under_way(i);
        if (count > window)
            fault("window", one,
                  fmt::format("{} requests at once, but at most {}, since it refused one "
                              "at {}",
                              count, window, in_words(*refused)));
    }
    /// A page's answer was there before that.
    bool is_known(const Request& one, Time now) const {
        return !is_aside(site_, one.url) && has_head(one) && *one.answered < now;
    }

    const Site& site_;
    const CrawlChoice& crawl_;
    const History& history_;
    const std::string host_;
    const bool is_foreign_;
    const std::vector<const Request*>& all_;
    Time delay_{};
    Time crawl_delay_{};
    std::vector<Hold> holds_;
    std::vector<std::string> faults_;
};

} // namespace

std::vector<std::string> judge_manners(const Site& site, const Process& process,
                                       const History& history) {
    std::vector<std::string> faults;
    for (const auto& [host, all] : history.by_host()) {
        const auto more = Guest(site, history, host).judge();
        faults.insert(faults.end(), more.begin(), more.end());
    }
    std::vector<std::pair<Time, int>> changes; // of how many are under way in all
    for (const Request* const one : history.all()) {
        if (is_aside(site, one->url))
            continue;
        changes.emplace_back(one->begin, 1);
        changes.emplace_back(one->end.value_or(process.end), -1);
    }
    std::ranges::sort(changes); // at the same time, ends first
    constexpr int foreign_workers = 10;
    const int most =
        site.crawl.workers + (site.crawl.checks_foreign ? foreign_workers : 0);
    int count = 0;
    int highest = 0;
    for (const auto& [time, change] : changes)
        highest = std::max(highest, count += change);
    if (highest > most)
        faults.push_back(
            fmt::format("workers {} requests at once, with {}", highest, most));
    return faults;
}

} // namespace tests::box
