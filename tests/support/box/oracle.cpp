#include "tests/support/box/oracle.h"

#include "tests/support/box/history.h"
#include "tests/support/box/manners.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace tests::box {
namespace {

using stage3::Ending;
constexpr std::string_view closes_circle = "redirect loop";

/// What an earlier process has reported, by URL.
using Kept = std::map<std::string, Fate>;

Fate fate_of(const stage3::Record& record) {
    Fate fate{.outcome = std::string(name_of(record.outcome)),
              .status = record.status,
              .tries = record.tries,
              .next = record.next_url};
    if (record.error
        == closes_circle) // which hop of a circle closes it is a matter of time
        fate.outcome = "redirect";
    return fate;
}

bool is_same(const Fate& one, const Fate& other) {
    return one.outcome == other.outcome && one.status == other.status
           && one.tries == other.tries && one.next == other.next;
}

/// Judges the records of one process.
class Records {
  public:
    Records(const Site& site, const Process& process, const History& history,
            const Kept& kept)
        : site_(site), crawl_(site.crawl), process_(process), history_(history),
          kept_(kept), is_whole_(process.ending == Ending::complete) {
        for (const Told& told : process.records) {
            const std::string url(told.record.url.href());
            (told.record.fragment.empty() ? records_ : missing_)[url].push_back(
                &told.record);
        }
    }

    std::vector<std::string> judge() {
        check_numbers();
        find_reached();
        for (const auto& [url, reason] : reached_)
            check_one(url, reason);
        for (const auto& [url, all] : records_)
            if (!reached_.contains(url))
                fault("scope", url + " has a record, but nothing leads to it");
        check_requests();
        if (is_whole_) {
            check_circles();
            check_fragments();
        }
        check_max_pages();
        return std::move(faults_);
    }

  private:
    void fault(std::string_view kind, const std::string& what) {
        faults_.push_back(fmt::format("{} {}", kind, what));
    }
    const stage3::Record* record_of(const std::string& url) const {
        const auto found = records_.find(url);
        return found == records_.end() ? nullptr : found->second.front();
    }
    bool is_own(const std::string& url) const { return site_.is_own(host_in(url)); }

    void check_numbers() {
        for (const auto& [url, all] : records_)
            if (all.size() != 1)
                fault("twice", fmt::format("{} has {} records", url, all.size()));
    }

    // ---- Which URLs a crawl comes to ----

    /// First what it follows, from page to page; then what it only checks.
    void find_reached() {
        for (const std::string& root : site_.roots)
            reach(root, Reason::follow);
        if (crawl_.reads_sitemaps)
            for (const Request* const one : history_.all())
                take_sitemap(*one);
        lead_all_on();
        for (auto later = std::exchange(later_, {}); !later.empty();
             later = std::exchange(later_, {})) {
            for (const std::string& url : later)
                reach(url, is_own(url) ? Reason::check : Reason::foreign);
            lead_all_on();
        }
    }

    void lead_all_on() {
        while (!line_.empty()) {
            const std::string url = std::move(line_.back());
            line_.pop_back();
            lead_on(url, reached_.at(url));
        }
    }

    void reach(const std::string& url, Reason reason) {
        if (reached_.emplace(url, reason).second)
            line_.push_back(url);
    }
    /// If it may be asked for at all.
    void reach_later(const std::string& url) {
        if (is_own(url) || crawl_.checks_foreign)
            later_.push_back(url);
    }

    void take_sitemap(const Request& one) {
        const auto known = site_.resources.find(one.url);
        const bool is_sitemap = known != site_.resources.end()
                                && known->second.kind == Resource::Kind::sitemap;
        if (!is_sitemap || !has_head(one) || one.is_given_up || one.reply.status != 200
            || one.reply.fault != Fault::none || !is_own(one.url))
            return;
        for (const Link& link : known->second.links)
            if (is_own(link.url))
                reach(link.url, Reason::follow);
    }

    void lead_on(const std::string& url, Reason reason) {
        const stage3::Record* const record = record_of(url);
        if (record == nullptr)
            return;
        const Fate fate = fate_of(*record);
        if (fate.outcome == "redirect" && reason == Reason::follow && is_own(fate.next))
            reach(fate.next, Reason::follow);
        else if (fate.outcome == "redirect")
            reach_later(fate.next);
        const auto known = site_.resources.find(url);
        if (fate.outcome != "page" || known == site_.resources.end())
            return;
        const bool is_deepest =
            crawl_.max_depth
            && record->depth >= static_cast<std::size_t>(*crawl_.max_depth);
        for (const Link& link : known->second.links) {
            const bool counts = link.is_picture ? crawl_.checks_assets : !is_deepest;
            if (!counts)
                continue;
            if (!link.is_picture && is_own(link.url))
                reach(link.url, Reason::follow);
            else
                reach_later(link.url);
        }
    }

    // ---- What must become of one ----

    void check_one(const std::string& url, Reason reason) {
        const stage3::Record* const record = record_of(url);
        const Replayed replayed = history_.replay(url, reason);
        faults_.insert(faults_.end(), replayed.faults.begin(), replayed.faults.end());
        if (record == nullptr) {
            if (is_whole_)
                fault("lost", fmt::format("{} has no record", url));
            return;
        }
        if (const auto kept = kept_.find(url); kept != kept_.end()) {
            const bool is_asked = !history_.of(url).empty();
            // A place on it may be wanted that the answer to a HEAD can't show.
            const bool may_be_asked = history_.may_be_searched(url);
            if (is_asked && !may_be_asked)
                fault("state", url + " is asked for, but its answer is kept");
            Fate wanted = kept->second;
            if (reason != Reason::follow && wanted.outcome == "page")
                wanted.outcome = "file"; // whose links don't count now
            if (is_same(fate_of(*record), wanted))
                return;
            if (!is_asked || !may_be_asked) {
                fault("state",
                      fmt::format("{}: {}, but before: {}", url,
                                  fate_of(*record).describe(), kept->second.describe()));
                return;
            }
        }
        check_fate(url, *record, possible_fates(url, reason, replayed));
        check_depth(*record);
    }

    void check_fate(const std::string& url, const stage3::Record& record,
                    const std::vector<Fate>& possible) {
        const Fate fate = fate_of(record);
        if (std::ranges::any_of(possible,
                                [&](const Fate& one) { return is_same(one, fate); }))
            return;
        std::string wanted;
        for (const Fate& one : possible)
            wanted += (wanted.empty() ? "" : ", or ") + one.describe();
        if (wanted.empty())
            wanted = "to be asked again";
        fault("fate", fmt::format("{}: {} ({}); it should be {}", url, fate.describe(),
                                  record.error, wanted));
    }

    /// Several if it depends on the order of things.
    std::vector<Fate> possible_fates(const std::string& url, Reason reason,
                                     const Replayed& replayed) const {
        const std::string host = host_in(url);
        std::vector<Fate> possible;
        bool is_allowed = !crawl_.obeys_robots;
        for (const Rules& rules :
             history_.rules_of(host)) { // none, if it isn't asked for
            const std::optional<Fate> fate = forbidden_by(rules, url, reason);
            if (!fate)
                is_allowed = true;
            else if (!replayed.fate && crawl_.obeys_robots)
                possible.push_back(*fate);
        }
        if (replayed.fate && (is_allowed || process_.ending == Ending::max_pages))
            possible.push_back(*replayed.fate);
        if (!replayed.fate && history_.end_of(host)) // it's asked nothing more
            possible.push_back(Fate{.outcome = "unclear", .tries = replayed.tries});
        return possible;
    }

    std::optional<Fate> forbidden_by(const Rules& rules, const std::string& url,
                                     Reason reason) const {
        const bool is_foreign = reason == Reason::foreign;
        Fate refused{.outcome = is_foreign ? "unclear" : "disallowed"};
        const auto host = site_.hosts.find(host_in(url));
        switch (rules.kind) {
        case Rules::Kind::all_allowed: return {};
        case Rules::Kind::nothing_allowed: return refused;
        case Rules::Kind::failed:
            return Fate{.outcome = "failed",
                        .tries = is_foreign ? std::min(2, crawl_.max_tries)
                                            : crawl_.max_tries};
        case Rules::Kind::rules: break;
        }
        const bool is_forbidden = host != site_.hosts.end() && host->second.forbids_no
                                  && path_in(url).starts_with("/no/");
        return is_forbidden ? std::optional(refused) : std::nullopt;
    }

    void check_depth(const stage3::Record& record) {
        const std::string url(record.url.href());
        if (!record.parent) {
            if (std::ranges::count(site_.roots, url) == 0 || record.depth != 0)
                fault("depth", url + " is no root");
            return;
        }
        const std::string parent(record.parent->href());
        if (is_aside(site_, parent)) { // a sitemap
            if (record.depth != 0)
                fault("depth", url + " is listed in a sitemap");
            return;
        }
        const stage3::Record* const above = record_of(parent);
        const std::size_t more =
            above != nullptr && fate_of(*above).outcome == "page" && !is_asset(record)
                ? 1
                : 0;
        if (above == nullptr || record.depth != above->depth + more)
            fault("depth",
                  fmt::format("{} is {} links away, from {}", url, record.depth, parent));
    }
    static bool is_asset(const stage3::Record& record) {
        return record.role == common::LinkRole::image;
    }

    // ---- What else must be so ----

    /// Each request is for something that it comes to, and that isn't forbidden.
    void check_requests() {
        for (const Request* const one : history_.all()) {
            if (one->begin > process_.end)
                fault("end", one->url + " is asked for after the end");
            const std::string host = host_in(one->url);
            if (is_aside(site_, one->url)) {
                if (!site_.is_own(host) && !crawl_.checks_foreign)
                    fault("scope", one->url + " is asked for, out of scope");
                continue;
            }
            if (!reached_.contains(one->url))
                fault("scope", one->url + " is asked for, but nothing leads to it");
            else if (crawl_.obeys_robots && !was_allowed(*one, reached_.at(one->url)))
                fault("robots", one->url + " is asked for, but not allowed");
            const auto end = history_.end_of(host);
            if (end && one->begin > *end)
                fault("ended",
                      fmt::format("{} is asked for at {}, but its host is to be "
                                  "left alone from {} on",
                                  one->url, in_words(one->begin), in_words(*end)));
        }
    }

    bool was_allowed(const Request& request, Reason reason) const {
        return std::ranges::any_of(
            history_.rules_of(request.host), [&](const Rules& rules) {
                return rules.known <= request.begin
                       && !forbidden_by(rules, request.url, reason);
            });
    }

    /// Exactly one hop of each circle is said to close it.
    void check_circles() {
        std::set<std::string> closed;
        std::map<std::string, std::string> hops;
        for (const auto& [url, all] : records_) {
            if (fate_of(*all.front()).outcome == "redirect")
                hops[url] = all.front()->next_url;
            if (all.front()->error == closes_circle)
                closed.insert(url);
        }
        std::set<std::string> done;
        for (const auto& [start, next] : hops) {
            std::vector<std::string> way;
            std::string url = start;
            for (; hops.contains(url) && done.insert(url).second; url = hops.at(url))
                way.push_back(url);
            const auto begin = std::ranges::find(way, url); // the end: it's no circle
            const auto count = std::count_if(begin, way.end(), [&](const auto& hop) {
                return closed.erase(hop) == 1;
            });
            if (begin != way.end() && count != 1)
                fault("circle", fmt::format("{} hops close that of {}", count, url));
        }
        for (const std::string& url : closed)
            fault("circle", url + " closes none");
    }

    /// A link's fragment is missing if a page is at the end of its redirects, and is
    /// unclear if that is a foreign one.
    void check_fragments() {
        std::set<std::string> wanted;
        std::set<std::string> possible;
        for (const auto& [url, all] : records_) {
            const auto known = site_.resources.find(url);
            if (!crawl_.checks_fragments || known == site_.resources.end()
                || all.front()->outcome != stage3::Outcome::page)
                continue;
            for (const Link& link : known->second.links) {
                const stage3::Record* const end = end_of(link.url);
                if (link.fragment != "none" || end == nullptr)
                    continue;
                if (may_be_read(*end))
                    possible.insert(link.url);
                if (is_surely_read(*end))
                    wanted.insert(link.url);
            }
        }
        for (const auto& [url, all] : missing_) {
            wanted.erase(url);
            if (!possible.contains(url) || all.size() != 1)
                fault("fragment", fmt::format("{} is said to lack #{} ({} records)", url,
                                              all.front()->fragment, all.size()));
            const stage3::Record* const end = end_of(url);
            const bool is_foreign =
                end != nullptr && !is_own(std::string(end->url.href()));
            if (name_of(all.front()->outcome) != (is_foreign ? "unclear" : "error"))
                fault("fragment", url + " lacks it, but that is said to be "
                                      + std::string(name_of(all.front()->outcome)));
        }
        for (const std::string& url : wanted)
            fault("fragment", url + " isn't said to lack #none");
    }

    /// Null: redirects lead to nothing, or in a circle.
    const stage3::Record* end_of(std::string url) const {
        for (std::size_t hops = 0; hops <= records_.size(); ++hops) {
            const stage3::Record* const record = record_of(url);
            if (record == nullptr || fate_of(*record).outcome != "redirect")
                return record;
            url = fate_of(*record).next;
        }
        return nullptr;
    }

    /// A page that was followed, or one that was searched: with a GET, in this process or
    /// the one before, which may have come whole or not.
    bool may_be_read(const stage3::Record& record) const {
        const std::string url(record.url.href());
        const bool is_searched = record.outcome == stage3::Outcome::file
                                 && crawl_.checks_foreign
                                 && (count_gets(url, true) > 0 || kept_.contains(url));
        return record.outcome == stage3::Outcome::page || is_searched;
    }
    bool is_surely_read(const stage3::Record& record) const {
        const std::string url(record.url.href());
        if (record.outcome == stage3::Outcome::page)
            return true;
        const auto known = site_.resources.find(url);
        const bool is_page =
            known != site_.resources.end() && known->second.kind == Resource::Kind::page;
        // A host that has ended its answers, or died, can't be asked a second time.
        return record.outcome == stage3::Outcome::file && crawl_.checks_foreign && is_page
               && record.content_type == "text/html" && count_gets(url, false) == 0
               && !kept_.contains(url) && !history_.end_of(host_in(url));
    }
    /// Requests other than HEAD, with a whole page as their answer, or without one.
    std::ptrdiff_t count_gets(const std::string& url, bool is_whole) const {
        return std::ranges::count_if(history_.of(url), [&](const Request* one) {
            const bool has_page = has_head(*one) && one->reply.fault == Fault::none
                                  && is_whole_page(one->reply) && !one->is_given_up;
            return !one->is_head && has_page == is_whole;
        });
    }

    void check_max_pages() {
        if (crawl_.max_pages == 0)
            return;
        std::set<std::string> taken;
        for (const Request* const one : history_.all())
            if (!is_aside(site_, one->url))
                taken.insert(one->url);
        for (const auto& [url, all] : records_) // no answer from robots.txt counts, too
            if (all.front()->outcome == stage3::Outcome::failed || kept_.contains(url))
                taken.insert(url);
        const auto most = static_cast<std::size_t>(crawl_.max_pages);
        if (taken.size() > most)
            fault("limit", fmt::format("{} URLs are taken, but at most {} may be",
                                       taken.size(), most));
        if (process_.ending == Ending::max_pages && taken.size() < most)
            fault("limit",
                  fmt::format("it ends after {} URLs, not {}", taken.size(), most));
    }

    const Site& site_;
    const CrawlChoice& crawl_;
    const Process& process_;
    const History& history_;
    const Kept& kept_;
    const bool is_whole_;
    std::map<std::string, std::vector<const stage3::Record*>> records_; // by URL
    std::map<std::string, std::vector<const stage3::Record*>> missing_; // fragments
    std::map<std::string, Reason> reached_;                             // by URL
    std::vector<std::string> line_;  // reached; what they lead to isn't yet
    std::vector<std::string> later_; // to be checked
    std::vector<std::string> faults_;
};

/// What the next process need not ask for: all that had an answer.
void keep(const Process& process, const History& history, Kept& kept) {
    for (const Told& told : process.records) {
        const std::string url(told.record.url.href());
        const auto& asked = history.of(url);
        const bool is_failure = told.record.outcome == stage3::Outcome::failed
                                && told.record.error != closes_circle;
        if (!asked.empty() && !is_failure && told.record.status != 0)
            kept.emplace(url, fate_of(told.record));
    }
}

} // namespace

std::vector<std::string> judge(const Site& site, const Played& played) {
    std::vector<std::string> faults;
    const auto add = [&faults](std::vector<std::string> more) {
        faults.insert(faults.end(), more.begin(), more.end());
    };
    Kept kept;
    for (std::size_t i = 0; i < played.processes.size(); ++i) {
        const Process& process = played.processes[i];
        for (const std::string& one : process.faults)
            faults.push_back("crawl " + one);
        const History history(site, played, i);
        Records records(site, process, history, kept);
        add(records.judge());
        add(judge_manners(site, process, history));
        keep(process, history, kept);
    }
    return faults;
}

} // namespace tests::box
