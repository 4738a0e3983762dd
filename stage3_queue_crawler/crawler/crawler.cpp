#include "stage3_queue_crawler/crawler/crawler.h"

#include "common/ascii.h"
#include "common/charset.h"
#include "common/http_response.h"
#include "common/links.h"
#include "common/place.h"
#include "common/trace.h"
#include "stage3_queue_crawler/runtime/at_exit.h"
#include "stage3_queue_crawler/runtime/executor.h"
#include "stage3_queue_crawler/runtime/wait.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>

namespace stage3 {
namespace {

using namespace std::chrono_literals;
using common::Url;

/// "mailto:a@b": an absolute URL, but none that can be crawled.
bool has_other_scheme(std::string_view reference) {
    const auto colon = reference.find_first_of(":/?#");
    if (colon == std::string_view::npos || colon == 0 || reference[colon] != ':')
        return false;
    const std::string_view scheme = reference.substr(0, colon);
    return !common::equal_ignoring_case(scheme, "http")
           && !common::equal_ignoring_case(scheme, "https");
}

} // namespace

Crawler::Crawler(EventLoop& loop, std::vector<Url> roots, Scope scope,
                 CrawlSettings settings, CrawlEvents events)
    : loop_(loop), roots_(std::move(roots)),
      scope_(std::make_shared<const Scope>(std::move(scope))),
      settings_(std::move(settings)), events_(std::move(events)),
      queue_(0, Order(settings_.order)),
      parked_(loop, [this](Item item) { unpark(std::move(item)); }),
      gate_(loop, settings_.politeness, [this](const Item& item) { call(item); }),
      retries_(settings_.max_tries), fail_parsing_(settings_.fail_parsing),
      is_over_(std::make_shared<std::atomic<bool>>(false)),
      session_(loop, settings_.session),
      robots_(loop, session_,
              {.product_token = settings_.session.user_agent,
               .max_tries = settings_.max_tries,
               .most_at_once = settings_.robots_at_once,
               .options_for = [this](const Url& url) { return options_for(url); },
               .on_request = [this](const Url& url) { gate_.has_asked(host_of(url)); }}) {
}

// ---- The crawl ----

// [crawl]
Coroutine<Ending> Crawler::crawl() {
    for (const Url& root : roots_)
        if (scope_->excludes(root))
            events_.on_note(root.href() + " is excluded");
        else
            enqueue(urls_[root], nullptr, 0, settings_.max_redirects);

    std::vector<Task<>> workers;
    for (std::size_t i = 1; i <= settings_.workers; ++i) {
        const std::string name = fmt::format("worker {}", i);
        workers.push_back(create_task(work(name), name));
        workers.back().add_done_callback(
            [this](const Future<>& worker) { stop_if_failed(worker); });
    }

    // [/crawl]
    // [crawl-ends]
    Ending ending = Ending::complete;
    main_ = current_task();
    try {
        co_await queue_.join(settings_.timeout); // here the whole crawl takes place
        if (max_pages_reached_)
            ending = Ending::max_pages;
    } catch (const Timeout&) {
        ending = Ending::timed_out;
    } catch (const Cancelled&) {
        ending = Ending::interrupted;
    }
    main_ = nullptr;
    *is_over_ = true;

    // Most wait for an item now, and some perhaps for a server.
    std::vector<FuturePtr> left;
    for (Task<>& worker : workers) {
        worker.cancel();
        left.push_back(worker.ref());
    }
    for (const auto& robots : robots_.cancel_all())
        left.push_back(robots.ref());
    const auto is_done = [](const FuturePtr& one) { return one->done(); };
    while (!std::ranges::all_of(left, is_done)) {
        try {
            co_await wait(left);
        } catch (const Cancelled&) {
            ending = Ending::interrupted; // they use this crawler: no way round waiting
        }
    }

    for (const Task<>& worker : workers)
        if (!worker.cancelled())
            worker.result(); // it has failed, and that is thrown here
    if (ending == Ending::complete)
        urls_.check_that_none_is_lost();
    co_return ending;
}
// [/crawl-ends]

// [work]
Coroutine<> Crawler::work(std::string name) {
    while (true) {
        co_await events_.until_ready();
        Item item = co_await queue_.get();
        Fate fate = Fate::done;
        if (may_start(item))
            fate = ask_robots(item);
        if (fate == Fate::go_on)
            fate = pass_gate(item);
        if (fate == Fate::go_on) {
            events_.on_start(name, *item.url);
            fate = co_await fetch(item);
        }
        if (fate == Fate::done)
            queue_.task_done();
    }
}
// [/work]

/// False if this would be one fetch too many.
bool Crawler::may_start(const Item& item) {
    if (item.begun || started_ < settings_.max_pages)
        return true;
    max_pages_reached_ = true;
    if (item.was_called)
        gate_.has_left(host_of(item));
    return false;
}

// [ask-robots]
/// May it be fetched at all? If not, that is its record.
Crawler::Fate Crawler::ask_robots(Item& item) {
    // Who was called by its gate has been asked before.
    if (!settings_.obey_robots || item.was_called)
        return Fate::go_on;
    VerdictPtr verdict = std::exchange(item.robots, {}); // that it has waited for
    if (!verdict) {
        const auto answer = robots_.ask(*item.url->url);
        if (!answer.done()) {
            ++waiting_for_robots_;
            answer.add_done_callback([this, item = item](const auto& known) mutable {
                --waiting_for_robots_;
                if (!known.cancelled()) // if so, the question was withdrawn, see `begin`
                    item.robots = judge(item, known);
                unpark(std::move(item));
            });
            // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDeleteLeaks): the future owns it
            return Fate::comes_back;
        }
        verdict = judge(item, answer);
    }
    return obey_robots(item, *verdict);
}
// [/ask-robots]

/// Only this is kept for the item, and not all the rules: many items may stand in the
/// queue with one.
Crawler::VerdictPtr Crawler::judge(const Item& item,
                                   const Future<RobotsCache::Answer>& answer) {
    Verdict verdict;
    if (answer.has_failed()) {
        verdict.failure = answer.exception();
    } else {
        const RobotsAnswer& says = *answer.result();
        if (!says.rules.allows(item.url->url->target()))
            verdict.reason = says.reason;
        else if (const auto delay = says.rules.crawl_delay())
            gate_.set_delay(host_of(item),
                            std::chrono::ceil<EventLoop::Duration>(*delay));
    }
    return std::make_shared<const Verdict>(std::move(verdict));
}

Crawler::Fate Crawler::obey_robots(Item& item, const Verdict& verdict) {
    Record record(*item.url);
    try {
        if (verdict.failure)
            std::rethrow_exception(verdict.failure);
        if (verdict.reason.empty())
            return Fate::go_on;
        record.outcome = Outcome::disallowed;
        record.error = verdict.reason;
        if (item.url->parent == nullptr)
            events_.on_note(item.url->url->href() + ": " + verdict.reason);
    } catch (const FetchError& error) { // as the page's own would be
        begin(item);
        if (error.kind == FetchError::Kind::no_descriptor) {
            park(item, wait_for_descriptor(item, error));
            return Fate::comes_back;
        }
        while (retries_.after(error, item.tries)) // as many as robots.txt has had
            ++item.tries;
        fail(record, error.what());
    } catch (const std::exception& error) {
        begin(item);
        fail(record, error.what());
    }
    finish(item, record);
    return Fate::done;
}

/// May it be fetched now? If not, it stands in its host's line.
Crawler::Fate Crawler::pass_gate(Item& item) {
    // It comes to the gate once for each call: another try is as any newcomer.
    const bool was_called = std::exchange(item.was_called, false);
    return gate_.pass(host_of(item), item, was_called) ? Fate::go_on : Fate::comes_back;
}

/// Workers never end, unless they are told to. If one does, the fault is ours, and the
/// crawl must not wait for what nobody fetches any more.
void Crawler::stop_if_failed(const Future<>& worker) {
    if (main_ != nullptr && !worker.cancelled())
        main_->request_cancel("a worker has failed");
}

// ---- One fetch ----

/// The user's own headers and passwords go to the origins that the user has named, and to
/// nobody else, wherever links and redirects lead.
GetOptions Crawler::options_for(const Url& url) const {
    GetOptions options;
    options.with_headers = std::ranges::any_of(
        roots_, [&](const Url& root) { return root.origin() == url.origin(); });
    if (const auto login = settings_.logins.find(url.origin());
        login != settings_.logins.end())
        options.login = login->second;
    return options;
}

// [fetch]
/// Fetches the item's URL once.
Coroutine<Crawler::Fate> Crawler::fetch(Item item) {
    begin(item);
    Record record(*item.url);
    const std::optional<Wait> wait = co_await try_to_fetch(item, record);
    if (wait) { // there will be another try
        park(item, *wait);
        co_return Fate::comes_back;
    }
    finish(item, record);
    co_return Fate::done;
}

/// One try, and what came of it. If another should follow: when.
// The caller waits for it, so that both live as long.
// NOLINTBEGIN(cppcoreguidelines-avoid-reference-coroutine-parameters)
Coroutine<std::optional<Crawler::Wait>> Crawler::try_to_fetch(Item& item,
                                                              Record& record) {
    // NOLINTEND(cppcoreguidelines-avoid-reference-coroutine-parameters)
    const std::string& href = item.url->url->href();
    const std::uint64_t id = ++last_fetch_;
    ++progress_.in_flight;
    loop_.tracer().fetch_start(id, href);
    const AtExit ended([&] { // also if it is cancelled
        loop_.tracer().fetch_end(id, href, record.status, record.bytes);
        --progress_.in_flight;
        gate_.end(host_of(item));
    });
    try {
        const GetOptions options = options_for(*item.url->url);
        Response response = co_await session_.get(*item.url->url, options);
        const auto wait =
            retries_.after(response.status(), response.retry_after(), item.tries);
        if (wait) {
            if (response.status() == 429 || response.status() == 503)
                hold_host(item, *wait); // it's the server that is busy, not the page
            co_return wait;
        }
        read_headers(item, response, record);
        co_await read_body(item, response, record);
    } catch (const FetchError& error) {
        co_return read_error(item, error, record);
    } catch (const common::TracedError& error) {
        tell_way(item, error);
        fail(record, error.what());
    } catch (const std::exception& error) {
        fail(record, error.what());
    }
    co_return std::nullopt;
}
// [/fetch]

/// All that can be said before the body is there.
void Crawler::read_headers(const Item& item, const Response& response, Record& record) {
    const std::string_view type = response.header("Content-Type");
    record.content_type = common::trim(type.substr(0, type.find(';')));
    record.charset = common::header_parameter(type, "charset");
    record.status = response.status();
    if (common::is_redirect(record.status)) {
        follow_redirect(item, common::trim(response.header("Location")), record);
    } else if (record.status != 200) {
        record.outcome = Outcome::error;
        record.error = fmt::format("HTTP status {}", record.status);
        if (RetryPolicy::may_pass(record.status)
            && response.retry_after() > RetryPolicy::longest_wait)
            record.error +=
                fmt::format(", come back in {} s", response.retry_after().count());
    }
}

// [read-body]
// NOLINTNEXTLINE(cppcoreguidelines-avoid-reference-coroutine-parameters): as above
Coroutine<> Crawler::read_body(const Item& item, Response& response, Record& record) {
    std::string body = co_await response.read();
    record.bytes = body.size();
    if (record.status != 200)
        co_return;
    const std::string type(response.header("Content-Type"));
    if (!common::may_hold_links(type, body)) {
        record.outcome = Outcome::file;
        co_return;
    }
    const common::Links found = co_await read_page(*item.url->url, type, std::move(body));
    take_links(item, found, record);
    record.outcome = Outcome::page;
}
// [/read-body]

/// There was no whole response.
std::optional<Crawler::Wait> Crawler::read_error(Item& item, const FetchError& error,
                                                 Record& record) {
    record.bytes = error.bytes;
    if (record.status != 0 && record.status != 200)
        return {}; // a redirect's body, or an error's: nobody needs it
    if (error.kind == FetchError::Kind::no_descriptor)
        return wait_for_descriptor(item, error);
    record.error = error.what();
    return retries_.after(error, item.tries);
}

void Crawler::fail(Record& record, std::string why) {
    record.outcome = Outcome::failed;
    record.error = std::move(why);
}

// ---- Links ----

// [read-page]
/// Finds a page's links, in another thread if that is wanted, and worth the way there.
Coroutine<common::Links> Crawler::read_page(Url url, std::string content_type,
                                            std::string body) {
    using Seconds = std::chrono::duration<double>;
    struct Reading {
        common::Links links;
        Seconds time;
    };
    fail_parsing_.count();
    const auto size = static_cast<double>(body.size());
    // Whatever it needs is its own, or can't change, but for one flag: the crawl may end
    // while it runs.
    auto read = [url = std::move(url), content_type = std::move(content_type),
                 body = std::move(body), scope = scope_, is_over = is_over_] {
        const auto begin = std::chrono::steady_clock::now();
        common::LinkLimits limits;
        limits.wanted = [&](const Url& link) {
            if (*is_over)
                throw std::runtime_error("nobody needs it any more");
            return scope->contains(link);
        };
        Reading reading{.links = common::find_links(body, content_type, url, limits),
                        .time = std::chrono::steady_clock::now() - begin};
        return reading;
    };
    // A site's pages resemble each other, so those before tell how long this one takes.
    constexpr Seconds worth_the_way = 50us;
    Reading reading;
    if (settings_.parse_in_threads && size * seconds_per_byte_ > worth_the_way.count()
        && loop_.thread_pool().has_thread()) {
        Future<Reading> elsewhere = run_in_executor(loop_, std::move(read));
        reading = co_await std::move(elsewhere);
    } else {
        reading = read();
    }
    // If it took far longer, something else came between.
    const double now =
        std::min(reading.time.count() / std::max(size, 1.0), 2 * seconds_per_byte_);
    seconds_per_byte_ = 0.9 * seconds_per_byte_ + 0.1 * now;
    co_return std::move(reading.links);
}
// [/read-page]

// [take-links]
void Crawler::take_links(const Item& item, const common::Links& found, Record& record) {
    record.links = found.urls.size();
    events_.on_links(*item.url, found.urls);
    for (const Url& link : found.urls) {
        KnownUrl& known = urls_[link];
        if (known.is_new())
            ++record.new_links;
        known.meet_on(*item.url);
        if (item.url->depth < settings_.max_depth)
            enqueue(known, item.url, item.url->depth + 1, settings_.max_redirects);
    }
    leave_out(found.left_out, "beyond the limit for a page", item);
    leave_out(found.too_long, "too long for URLs", item);
}
// [/take-links]

/// Links of a page that won't be followed, though they might be in scope.
void Crawler::leave_out(std::size_t links, std::string_view why, const Item& item) {
    if (links == 0)
        return;
    left_out_ += links;
    events_.on_note(fmt::format("{}: {} links are left out, being {}",
                                item.url->url->href(), links, why));
}

// [follow-redirect]
void Crawler::follow_redirect(const Item& item, std::string_view location,
                              Record& record) {
    record.outcome = Outcome::redirect;
    const std::optional<Url> target =
        location.empty() ? std::nullopt : common::resolve_url(location, *item.url->url);
    if (!target && has_other_scheme(location)) {
        record.next_url = location;
        return;
    }
    if (!target) {
        record.outcome = Outcome::error;
        record.error = location.empty() ? "redirect without a target"
                                        : fmt::format("redirect to what is no URL: {}",
                                                      location.substr(0, 200));
        return;
    }
    record.next_url = target->href();
    if (!scope_->contains(*target))
        return;
    if (item.redirects_left == 0)
        fail(record, "redirect limit reached");
    else // the same depth: a redirect is no link
        enqueue(urls_[*target], item.url, item.url->depth, item.redirects_left - 1);
}
// [/follow-redirect]

// [enqueue]
/// Makes a URL an item of work, unless it is one already, or was.
void Crawler::enqueue(KnownUrl& url, const KnownUrl* parent, std::size_t depth,
                      int redirects_left) {
    if (url.state != KnownUrl::State::met)
        return;
    url.state = KnownUrl::State::queued;
    url.parent = parent;
    url.depth = static_cast<std::uint32_t>(depth);
    queue_.put_nowait({.url = &url, .redirects_left = redirects_left});
}
// [/enqueue]

// ---- Trying again ----

/// Puts the item off. It stays unfinished, so that `join` waits for it.
void Crawler::park(const Item& item, Wait wait) {
    parked_.park(item, loop_.time() + std::chrono::ceil<EventLoop::Duration>(wait));
}

/// A server is a name and a port to us: what stands behind another port may be another
/// machine.
std::string Crawler::host_of(const Url& url) {
    return fmt::format("{}:{}", url.host(), url.port());
}

void Crawler::hold_host(const Item& item, Wait wait) {
    gate_.hold(host_of(item),
               loop_.time() + std::chrono::ceil<EventLoop::Duration>(wait));
}

/// It's the item's turn at its host's gate.
void Crawler::call(Item item) {
    item.was_called = true;
    unpark(item);
}

// [unpark]
/// The time has come: it is put into the queue once more, and that it was taken out
/// before is done with.
void Crawler::unpark(Item item) {
    item.comes_back = true; // so it's the next to be taken out
    queue_.put_nowait(std::move(item));
    queue_.task_done();
}
// [/unpark]

/// It's not the server that has failed, so this was no try.
Crawler::Wait Crawler::wait_for_descriptor(Item& item, const FetchError& error) {
    // Others give theirs back when they are done. If there are none, nobody will.
    if (session_.is_busy())
        alone_since_.reset();
    else if (!alone_since_)
        alone_since_ = loop_.time();
    if (alone_since_ && loop_.time() - *alone_since_ > 3s)
        throw std::runtime_error("there is no descriptor for even one connection (see "
                                 "ulimit -n)");
    --item.tries; // which `begin` has counted
    if (!said_descriptors_)
        events_.on_note(fmt::format("{}: fetches wait until there is one (see ulimit "
                                    "-n, or use fewer --workers)",
                                    error.what()));
    said_descriptors_ = true;
    return 100ms;
}

// ---- The beginning and the end of a fetch ----

/// One more try.
void Crawler::begin(Item& item) {
    if (!item.begun) {
        item.begun = loop_.time();
        if (++started_ == settings_.max_pages) {
            // Nobody else will begin, so let them come and be sent home.
            gate_.call_all();
            robots_.cancel_all();
        }
    }
    ++item.tries;
}

void Crawler::finish(const Item& item, Record& record) {
    alone_since_.reset();
    record.tries = item.tries;
    const auto now = loop_.time();
    record.seconds = Wait(now - item.begun.value_or(now)).count();
    const bool dead = is_dead(record.outcome);
    item.url->state = dead ? KnownUrl::State::dead : KnownUrl::State::fetched;
    if (dead)
        ++progress_.dead;
    else if (record.outcome == Outcome::redirect)
        ++progress_.redirects;
    else if (record.outcome != Outcome::disallowed)
        ++progress_.fetched;
    events_.on_record(record);
}

/// Tells the way of an error: the coroutines from this task's first one to the one that
/// has thrown it. It has ended some of them already.
void Crawler::tell_way(const Item& item, const common::TracedError& error) {
    const TaskBase& worker = *current_task();
    std::vector<common::Place> coroutines = worker.chain();
    const std::vector<common::Place> ended = worker.traceback();
    coroutines.insert(coroutines.end(), ended.begin(), ended.end());
    events_.on_note(
        fmt::format("{} can't be read.\nThe coroutines of {}, the last one at "
                    "the bottom:\n{}{}: {}",
                    item.url->url->href(), worker.name(), common::describe(coroutines),
                    common::file_and_line(error.where), error.what()));
}

Progress Crawler::progress() const {
    Progress result = progress_;
    result.waiting = queue_.size() + parked_.size() + gate_.size() + waiting_for_robots_;
    return result;
}

} // namespace stage3
