#include "tests/support/box/history.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

namespace tests::box {
namespace {

using namespace std::chrono_literals;

constexpr int most_refusals = 20;

bool is_success(int status) { return status >= 200 && status < 300; }
bool is_redirect(int status) { return status >= 300 && status < 400; }
/// It may work at another time, and the server doesn't speak of our pace.
bool is_trouble(int status) { return status == 502 || status == 503 || status == 504; }

std::string_view header(const Reply& reply, std::string_view name) {
    for (const std::string& one : reply.headers)
        if (one.starts_with(name) && one.substr(name.size(), 2) == ": ")
            return std::string_view(one).substr(name.size() + 2);
    return {};
}

/// With which statuses a foreign server says nothing about the URL.
bool is_unclear(int status) {
    return status == 401 || status == 403 || status == 407 || status == 429
           || status == 451 || (status >= 500 && status <= 599);
}

/// True if the body is needed, and didn't come.
bool lacks_body(const Reply& reply) {
    return reply.fault == Fault::cut || reply.fault == Fault::stuck;
}

/// The wait after the `number`-th failure is at least that.
Time growing(int number, Time longest) {
    Time wait = 500ms;
    for (int i = 1; i < number && wait < longest; ++i)
        wait *= 2;
    return std::min(wait, longest);
}

/// Plays the requests for one URL again.
class Replay {
  public:
    Replay(const CrawlChoice& crawl, Reason reason, const History& history)
        : crawl_(crawl), reason_(reason), history_(history) {}

    Replayed play(const std::string& url, const std::vector<const Request*>& requests) {
        const bool may_be_searched = history_.may_be_searched(url);
        for (std::size_t i = 0; i < requests.size(); ++i) {
            const Request& one = *requests[i];
            is_last_ = i + 1 == requests.size();
            if (may_be_searched && is_told_by_head_ && !one.is_head) {
                look_again(one);
                continue;
            }
            if (done_.fate)
                fault(fmt::format("{}: asked {} times, but the answer no. {} was final",
                                  url, requests.size(), i));
            if (done_.fate)
                break;
            const bool is_first = reason_ != Reason::follow && tries_ == 0;
            if (one.is_head != is_first && !(is_first && may_be_searched))
                fault(fmt::format("{}: request no. {} is a {}", url, i + 1,
                                  one.is_head ? "HEAD" : "GET"));
            take(one);
        }
        done_.tries = tries_;
        return std::move(done_);
    }

  private:
    /// The second question has no more to do with the verdict.
    void look_again(const Request& one) {
        if (has_head(one) && is_refusal(one.reply)
            && retry_after(one.reply) <= crawl_.max_retry_after)
            hold(one, retry_after(one.reply));
    }
    void fault(const std::string& what) { done_.faults.push_back("answers " + what); }
    /// This is try number ...
    int number() const { return tries_ + 1; }
    bool may_try_again() const {
        const bool is_enough = reason_ == Reason::foreign && number() >= 2;
        return number() < crawl_.max_tries && !is_enough;
    }
    /// Does this answer to HEAD ask for a pause, and then for the same again?
    bool is_believed(int status) const {
        return status == 503 && (reason_ == Reason::foreign || may_try_again());
    }
    void end(std::string outcome, int status, std::string next = {}) {
        done_.fate = Fate{.outcome = std::move(outcome),
                          .status = status,
                          .tries = number(),
                          .next = std::move(next)};
    }
    void hold(const Request& one, Time wait) {
        if (wait > Time())
            done_.holds.push_back(
                {.begin = *one.answered, .end = *one.answered + wait, .url = one.url});
    }

    void take(const Request& one) {
        if (!has_head(one)) {
            take_silence(one);
            return;
        }
        const int status = one.reply.status;
        if (reason_ == Reason::foreign && history_.turn_of(one).is_excused && !is_last_) {
            hold(one, retry_after(one.reply));
        } else if (is_refusal(one.reply)) {
            take_refusal(one);
        } else if (one.is_head && !is_success(status) && !is_believed(status)) {
            ++tries_; // HEAD isn't to be believed: GET
        } else if (is_trouble(status)) {
            take_trouble(one);
        } else if (is_success(status) && reason_ == Reason::follow) {
            take_page(one);
        } else if (is_success(status)) {
            is_told_by_head_ =
                one.is_head && header(one.reply, "Content-Type") == "text/html";
            end("file", status);
        } else if (is_redirect(status)) {
            end("redirect", status, std::string(header(one.reply, "Location")));
        } else if (reason_ == Reason::foreign && is_unclear(status)) {
            end("unclear", status);
        } else {
            end("error", status);
        }
    }

    /// No answer, or nobody waited for it.
    void take_silence(const Request& one) {
        if (one.is_given_up) {
            done_.is_cut_short = true;
            return;
        }
        const bool was_sent = one.reply.fault != Fault::unreachable;
        if (may_try_again() || (one.is_head && was_sent))
            ++tries_;
        else
            end("failed", 0);
    }

    void take_refusal(const Request& one) {
        const int status = one.reply.status;
        const Time wanted = retry_after(one.reply);
        ++refusals_;
        const bool is_too_long = wanted > crawl_.max_retry_after;
        if (is_too_long || reason_ == Reason::foreign) {
            hold(one, is_too_long ? Time() : wanted);
            end("unclear", status);
        } else if (refusals_ >= most_refusals) {
            hold(one, wanted);
            end(status == 429 ? "unclear" : "error", status);
        } else {
            constexpr int most_doubled = 4; // since the whole host waits
            const int number = std::min(refusals_, most_doubled);
            hold(one, std::max(wanted, growing(number, crawl_.max_retry_after)));
        }
    }

    void take_trouble(const Request& one) {
        const int status = one.reply.status;
        if (reason_ == Reason::foreign) {
            end("unclear", status);
        } else if (may_try_again()) {
            if (status == 503)
                hold(one, growing(number(), crawl_.max_retry_after));
            ++tries_;
        } else {
            end("error", status);
        }
    }

    void take_page(const Request& one) {
        const bool is_html = header(one.reply, "Content-Type") == "text/html";
        if (is_html && one.is_given_up)
            done_.is_cut_short = true;
        else if (is_html && lacks_body(one.reply) && may_try_again())
            ++tries_;
        else if (is_html && lacks_body(one.reply))
            end("failed", one.reply.status);
        else
            end(is_html ? "page" : "file", one.reply.status);
    }

    const CrawlChoice& crawl_;
    const Reason reason_;
    const History& history_;
    int tries_ = 0; // that have failed
    int refusals_ = 0;
    bool is_last_ = false; // of the requests for it
    bool is_told_by_head_ = false;
    Replayed done_;
};

} // namespace

std::string Fate::describe() const {
    return fmt::format("{}, status {}, {} tries{}{}", outcome, status, tries,
                       next.empty() ? "" : ", to ", next);
}

std::chrono::seconds retry_after(const Reply& reply) {
    const std::string_view text = header(reply, "Retry-After");
    return std::chrono::seconds(text.empty() ? 0 : std::stoi(std::string(text)));
}

bool has_head(const Request& request) { return request.answered.has_value(); }

bool is_refusal(const Reply& reply) {
    return reply.status == 429 || (reply.status == 503 && retry_after(reply) > 0s);
}

bool is_unclear(const Reply& reply) { return is_unclear(reply.status); }

bool is_whole_page(const Reply& reply) {
    return is_success(reply.status) && header(reply, "Content-Type") == "text/html"
           && !lacks_body(reply);
}

bool is_aside(const Site& site, const std::string& url) {
    const std::string path = path_in(url);
    if (path == "/robots.txt" || path == "/robots2.txt" || path == "/sitemap.xml")
        return true;
    const auto known = site.resources.find(url);
    return known != site.resources.end() && known->second.kind == Resource::Kind::sitemap;
}

History::History(const Site& site, const Played& played, std::size_t process)
    : site_(site), crawl_(site.crawl), requests_(played.requests_of(process)) {
    for (const Request* const one : requests_) {
        by_url_[one->url].push_back(one);
        by_host_[one->host].push_back(one);
    }
    for (const auto& [host, all] : by_host_) {
        read_rules(host);
        find_end(host);
        if (!site.is_own(host))
            find_turns(host);
    }
    if (crawl_.checks_foreign && crawl_.checks_fragments)
        find_searched();
}

const std::vector<const Request*>& History::of(const std::string& url) const {
    static const std::vector<const Request*> none;
    const auto found = by_url_.find(url);
    return found == by_url_.end() ? none : found->second;
}

Replayed History::replay(const std::string& url, Reason reason) const {
    return Replay(crawl_, reason, *this).play(url, of(url));
}

const std::vector<Rules>& History::rules_of(const std::string& host) const {
    static const std::vector<Rules> none;
    const auto found = rules_.find(host);
    return found == rules_.end() ? none : found->second;
}

std::optional<Time> History::end_of(const std::string& host) const {
    const auto found = ends_.find(host);
    return found == ends_.end() ? std::nullopt : std::optional(found->second);
}

/// One task asks for it, one request after the other, and follows redirects. So the
/// requests for it, in their order, tell it all.
void History::read_rules(const std::string& host) {
    std::vector<const Request*> asked;
    for (const Request* const one : by_host_.at(host))
        if (path_in(one->url).starts_with("/robots"))
            asked.push_back(one);
    std::vector<Rules>& all = rules_[host];
    const int most_tries =
        site_.is_own(host) ? crawl_.max_tries : std::min(crawl_.max_tries, 2);
    int tries = 0;
    int refusals = 0;
    const auto settle = [&](Rules::Kind kind, const Request& one) {
        all.push_back({.kind = kind, .known = *one.end});
        tries = refusals = 0;
    };
    for (const Request* const one : asked) {
        const Reply& reply = one->reply;
        const bool is_broken =
            !has_head(*one) || (reply.status == 200 && lacks_body(reply));
        if (one->is_given_up && (!has_head(*one) || reply.status == 200)) {
            tries = refusals = 0; // the question was withdrawn, or the crawl has ended
        } else if (is_broken) {
            if (++tries >= most_tries)
                settle(Rules::Kind::failed, *one);
        } else if (is_refusal(reply)) {
            if (++refusals >= most_refusals
                || retry_after(reply) > crawl_.max_retry_after)
                settle(Rules::Kind::nothing_allowed, *one);
        } else if (is_trouble(reply.status)) {
            if (++tries >= crawl_.max_tries)
                settle(Rules::Kind::nothing_allowed, *one);
        } else if (is_success(reply.status)) {
            settle(Rules::Kind::rules, *one);
        } else if (reply.status >= 500) {
            settle(Rules::Kind::nothing_allowed, *one);
        } else if (!is_redirect(reply.status)) {
            settle(Rules::Kind::all_allowed, *one);
        }
    }
}

/// When it asked for too long a pause, or had refused everything for too long. An answer
/// counts once its body is there, too.
void History::find_end(const std::string& host) {
    const std::vector<const Request*>& all = by_host_.at(host);
    std::vector<std::pair<Time, std::size_t>> told; // numbers in `all`
    std::optional<Time> since; // the first refusal after the last answer from a page
    for (std::size_t i = 0; i < all.size(); ++i) {
        const Request& one = *all[i];
        if (has_head(one))
            told.emplace_back(is_refusal(one.reply) ? *one.answered : *one.end, i);
    }
    std::ranges::sort(told);
    for (const auto& [time, i] : told) {
        const Request& one = *all[i];
        const bool is_page = !is_aside(site_, one.url);
        if (!is_refusal(one.reply)) {
            if (is_page)
                since.reset();
            continue;
        }
        if (is_page)
            since = since.value_or(time);
        const bool only_refuses =
            is_page && site_.is_own(host) && time - *since >= crawl_.refused_timeout;
        if (retry_after(one.reply) > crawl_.max_retry_after || only_refuses) {
            ends_[host] = time;
            return;
        }
    }
}

/// The first one that isn't answered, or with a complaint, ends all haste.
void History::find_turns(const std::string& host) {
    constexpr Time longest = 1s;
    constexpr Time shortest = 100ms;
    Time pause = longest;
    bool is_told = false;
    for (const Request* const one : by_host_.at(host)) {
        if (is_aside(site_, one->url))
            continue;
        Turn& turn = turns_[one];
        turn.pause = pause;
        const int status = one->reply.status;
        const bool is_unknown = one->is_head && status == 501; // HEAD itself
        if (has_head(*one) && (is_unknown || !is_unclear(status))) {
            const Time took = one->end.value_or(one->begin) - one->begin;
            if (!is_told)
                pause = std::clamp(std::max(pause * 4 / 5, took), shortest, longest);
            continue;
        }
        const bool is_believed = !one->is_head || status == 429 || status == 503;
        turn.is_excused = has_head(*one) && is_believed && pause < longest
                          && retry_after(one->reply) <= crawl_.max_retry_after;
        is_told = true;
        pause = longest;
    }
}

void History::find_searched() {
    std::vector<std::string> line;
    for (const auto& [url, one] : site_.resources)
        for (const Link& link : one.links)
            if (!link.fragment.empty())
                line.push_back(link.url);
    while (!line.empty()) {
        const std::string url = std::move(line.back());
        line.pop_back();
        const auto known = site_.resources.find(url);
        if (searched_.insert(url).second && known != site_.resources.end()
            && !known->second.location.empty())
            line.push_back(known->second.location);
    }
}

} // namespace tests::box
