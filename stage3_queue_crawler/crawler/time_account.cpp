#include "stage3_queue_crawler/crawler/time_account.h"

#include <algorithm>
#include <chrono>
#include <tuple>

namespace stage3 {

using namespace std::chrono_literals;

namespace {

/// A thread that computes for as much of the time has no room for more.
constexpr double nearly_always = 0.9;
/// How long a look at the processor holds.
constexpr EventLoop::Duration between_looks = 100ms;

double in_seconds(EventLoop::Duration time) {
    return std::chrono::duration<double>(time).count();
}

template <class Enum>
std::size_t index(Enum one) {
    return static_cast<std::size_t>(one);
}

} // namespace

TimeAccount::TimeAccount(Settings settings)
    : settings_(std::move(settings)), begun_(settings_.clock()), advanced_(begun_),
      looked_(begun_), processor_(settings_.processor()) {}

TimeAccount::~TimeAccount() = default;

TimeAccount::Host& TimeAccount::host(const std::string& name) {
    const auto known = hosts_.find(name);
    if (known != hosts_.end())
        return known->second;
    const bool has_room = hosts_.size() < settings_.most_hosts;
    const auto [at, is_new] = hosts_.try_emplace(has_room ? name : "");
    Host& host = at->second;
    if (is_new) {
        host.account_ = this;
        host.times_.host = at->first;
        host.settled_ = settings_.clock();
        advance(host.settled_);
        host.shares_ = shares_;
    }
    return host;
}

// ---- What happens ----

void TimeAccount::move(Host& host, Place place, int by, Numbers& all) {
    if (has_ended_)
        return;
    settle(host);
    const auto change = [by](auto& number) { by > 0 ? ++number : --number; };
    change(host.numbers_[index(place)]);
    change(all[index(place)]);
}

void TimeAccount::set_gate(Host& host, std::optional<Limit> limit) {
    if (has_ended_ || host.gate_ == limit)
        return;
    settle(host);
    host.gate_ = limit;
}

void TimeAccount::wait_for_output(bool waits) {
    if (has_ended_)
        return;
    advance(settings_.clock());
    waits ? ++waiting_for_output_ : --waiting_for_output_;
}

void TimeAccount::count_request(Host& host) { ++host.times_.requests; }

void TimeAccount::count_answer(Host& host, EventLoop::Duration wait, bool is_refusal) {
    host.times_.waits.add(wait);
    host.last_ = is_refusal ? Host::Last::refused : Host::Last::other;
    if (is_refusal)
        ++host.times_.refusals;
}

void TimeAccount::count_bytes(Host& host, std::size_t bytes) {
    host.times_.bytes += bytes;
}

void TimeAccount::count_failure(Host& host, const FetchError& error) {
    ++host.times_.failures[index(failure_of(error))];
    host.last_ = Host::Last::failed;
}

void TimeAccount::end() {
    if (has_ended_)
        return;
    for (auto& [name, host] : hosts_)
        settle(host);
    has_ended_ = true;
}

CrawlTimes TimeAccount::times(std::size_t most) {
    std::vector<const HostTimes*> all;
    all.reserve(hosts_.size());
    for (auto& [name, host] : hosts_) {
        if (!has_ended_)
            settle(host);
        if (host.times_.requests > 0 || host.times_.seconds() > 0)
            all.push_back(&host.times_);
    }
    // The account without a name is the sum of many hosts, and belongs to the others.
    std::ranges::sort(all, [](const HostTimes* one, const HostTimes* other) {
        return std::tuple(one->host.empty(), other->seconds(), one->host)
               < std::tuple(other->host.empty(), one->seconds(), other->host);
    });
    CrawlTimes times;
    times.seconds = in_seconds(advanced_ - begun_);
    times.is_read_by_loop = settings_.parse_threads == 0;
    for (const HostTimes* const one : all)
        if (times.worst.size() < most && !one->host.empty()) {
            times.worst.push_back(*one);
        } else {
            times.others.add(*one);
            ++times.other_hosts;
        }
    return times;
}

// ---- Who is charged ----

/// Charges the time since the last call to what has held the host up.
void TimeAccount::settle(Host& host) {
    const EventLoop::TimePoint now = settings_.clock();
    advance(now);
    charge(host, in_seconds(now - host.settled_));
    host.settled_ = now;
    host.shares_ = shares_;
}

void TimeAccount::charge(Host& host, double seconds) {
    TimesByLimit& limited = host.times_.limited;
    const auto since = [&](std::size_t i) { return shares_[i] - host.shares_[i]; };
    if (host.number_at(Place::ready) > 0) {
        for (std::size_t i = 0; i < shares_.size(); ++i)
            limited[i] += since(i);
        return;
    }
    if (const auto limit = host.limit_if_idle()) {
        limited[index(*limit)] += seconds;
        return;
    }
    // All its URLs are under way.
    const std::size_t asking = host.number_at(Place::asking);
    const std::size_t receiving = host.number_at(Place::receiving);
    const std::size_t reading =
        host.number_at(Place::reading) + host.number_at(Place::reading_outside);
    const std::size_t all = asking + receiving + reading;
    if (all == 0)
        return; // it has none left
    for (const Limit limit :
         {Limit::loop_thread, Limit::parse_threads, Limit::processors}) {
        limited[index(limit)] += since(index(limit));
        seconds -= since(index(limit));
    }
    const double each = seconds / static_cast<double>(all);
    limited[index(Limit::answers)] += each * static_cast<double>(asking);
    limited[index(Limit::bodies)] += each * static_cast<double>(receiving);
    limited[index(Limit::reading)] += each * static_cast<double>(reading);
}

/// What keeps its URLs waiting, if some wait and no worker could have them; nothing if
/// none waits, or if one is under way that may bring others.
std::optional<Limit> TimeAccount::Host::limit_if_idle() const {
    const bool is_under_way = number_at(Place::asking) + number_at(Place::receiving)
                                  + number_at(Place::reading)
                                  + number_at(Place::reading_outside)
                              > 0;
    if (number_at(Place::robots_line) > 0)
        return is_under_way ? Limit::robots : limit_of_robots();
    if (gate_)
        return gate_;
    if (number_at(Place::foreign_line) > 0)
        return Limit::foreign_hosts;
    if (is_under_way)
        return std::nullopt;
    if (number_at(Place::parked_as_refused) > 0)
        return Limit::refusals;
    if (number_at(Place::parked_without_descriptor) > 0)
        return Limit::descriptors;
    if (number_at(Place::parked_to_retry) > 0)
        return Limit::retries;
    return std::nullopt;
}

/// Why robots.txt, which is wanted, is not being asked for: mostly, it was.
Limit TimeAccount::Host::limit_of_robots() const {
    switch (last_) {
    case Last::refused: return Limit::refusals;
    case Last::failed: return Limit::retries;
    case Last::other: break;
    }
    return Limit::robots;
}

// ---- What is the same for all hosts ----

void TimeAccount::advance(EventLoop::TimePoint now) {
    if (now <= advanced_)
        return;
    const double seconds = in_seconds(now - advanced_);
    in_threads_ += seconds * busy_threads();
    if (now - looked_ >= between_looks)
        look_at_processor(now);
    share_out(seconds);
    advanced_ = now;
}

/// Charges this time to what would have held up a URL that was ready.
void TimeAccount::share_out(double seconds) {
    if (busy_ != Busy::no) {
        constexpr std::array limits{Limit::loop_thread, Limit::parse_threads,
                                    Limit::processors};
        shares_[index(limits[index(busy_) - 1])] += seconds;
        return;
    }
    // What are the workers doing?
    const auto number = [](std::size_t n) { return static_cast<double>(n); };
    const double output = number(waiting_for_output_);
    const double receiving = number(number_at(Place::receiving));
    const double all = output + receiving + number(number_at(Place::asking))
                       + number(number_at(Place::reading))
                       + number(number_at(Place::reading_outside));
    const double each = all > 0 ? seconds / all : 0;
    shares_[index(Limit::output)] += each * output;
    shares_[index(Limit::bodies)] += each * receiving;
    shares_[index(Limit::workers)] += seconds - each * (output + receiving);
}

/// Was it busy since the last look? It's taken to be until the next one.
void TimeAccount::look_at_processor(EventLoop::TimePoint now) {
    const double seconds = in_seconds(now - looked_);
    const common::ProcessorTime time = settings_.processor();
    const auto share = [seconds](std::chrono::nanoseconds busy, double of) {
        return std::chrono::duration<double>(busy).count() / (seconds * of);
    };
    const auto threads = static_cast<double>(settings_.parse_threads);
    const auto processors = static_cast<double>(settings_.processors);
    busy_ = Busy::no;
    if (settings_.parse_threads > 0 && in_threads_ >= nearly_always * seconds * threads) {
        const bool is_all =
            settings_.parse_threads >= settings_.processors
            || share(time.process - processor_.process, processors) >= nearly_always;
        busy_ = is_all ? Busy::processors : Busy::parse_threads;
    }
    if (share(time.thread - processor_.thread, 1) >= nearly_always)
        busy_ = Busy::loop_thread;
    looked_ = now;
    processor_ = time;
    in_threads_ = 0;
}

/// Those that wait for a thread keep none busy.
double TimeAccount::busy_threads() const {
    return static_cast<double>(
        std::min(number_at(Place::reading_outside), settings_.parse_threads));
}

} // namespace stage3
