#include "stage3_queue_crawler/crawler/host_times.h"

#include <cmath>

namespace stage3 {

Failure failure_of(const FetchError& error) {
    using Kind = FetchError::Kind;
    switch (error.kind) {
    case Kind::timed_out: return Failure::timed_out;
    case Kind::too_large: return Failure::too_large;
    case Kind::no_descriptor: return Failure::no_descriptor;
    case Kind::forbidden: return Failure::forbidden;
    case Kind::unreadable: return Failure::unreadable;
    case Kind::untrusted:
    case Kind::bad_option: return Failure::tls;
    case Kind::network:
    case Kind::bad_response: break;
    }
    if (error.was_sent)
        return error.kind == Kind::network ? Failure::broken : Failure::not_http;
    switch (error.step) {
    case FetchError::Step::address: return Failure::no_address;
    case FetchError::Step::tls: return Failure::tls;
    case FetchError::Step::connection: break;
    }
    return error.kind == Kind::network ? Failure::no_connection : Failure::not_http;
}

namespace {

/// Shorter waits count as this long.
constexpr Waits::Seconds shortest(50e-6);

} // namespace

void Waits::add(EventLoop::Duration wait) {
    const Seconds seconds = std::max<Seconds>(wait, shortest);
    const auto step = static_cast<std::size_t>(steps * std::log2(seconds / shortest));
    if (step >= counts_.size())
        counts_.resize(step + 1);
    ++counts_[step];
    worst_ = std::max<Seconds>(worst_, wait);
}

void Waits::add(const Waits& others) {
    counts_.resize(std::max(counts_.size(), others.counts_.size()));
    for (std::size_t step = 0; step < others.counts_.size(); ++step)
        counts_[step] += others.counts_[step];
    worst_ = std::max(worst_, others.worst_);
}

Waits::Seconds Waits::median() const {
    const std::size_t all =
        std::accumulate(counts_.begin(), counts_.end(), std::size_t{0});
    std::size_t before = 0;
    for (std::size_t step = 0; step < counts_.size(); ++step) {
        before += counts_[step];
        if (before * 2 < all || before == 0)
            continue;
        const double middle = (static_cast<double>(step) + 0.5) / steps;
        return std::min<Seconds>(shortest * std::exp2(middle), worst_);
    }
    return {};
}

void HostTimes::add(const HostTimes& other) {
    requests += other.requests;
    bytes += other.bytes;
    refusals += other.refusals;
    for (std::size_t i = 0; i < failures.size(); ++i)
        failures[i] += other.failures[i];
    waits.add(other.waits);
    for (std::size_t i = 0; i < limited.size(); ++i)
        limited[i] += other.limited[i];
}

} // namespace stage3
