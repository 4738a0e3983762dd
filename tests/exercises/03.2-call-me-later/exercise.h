// Timers for an event loop.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

using Milliseconds = std::chrono::milliseconds;

class Timers {
  public:
    using Callback = std::function<void()>;
    using Id = std::uint64_t;

    Timers() = default;
    Timers(const Timers&) = delete;
    Timers& operator=(const Timers&) = delete;
    virtual ~Timers() = default;

    /// Arranges for `callback` to be called at `when`, a time since some beginning.
    virtual Id call_at(Milliseconds when, Callback callback) = 0;

    /// Takes a timer back. One that has been called already, or taken back, is ignored.
    virtual void cancel(Id id) = 0;

    /// How long select may sleep: the time from `now` to the next timer, 0 if one is due.
    /// Nothing if there is no timer: select may sleep for ever.
    virtual std::optional<Milliseconds> timeout(Milliseconds now) const = 0;

    /// Calls what is due: every timer whose time is `now` or earlier. Earlier times go
    /// first, and among equal times those that were made first. A timer that a callback
    /// makes meanwhile waits for the next `run_due`, even if its time has come.
    virtual void run_due(Milliseconds now) = 0;
};

/// Your timers. Defined in yours.cpp.
std::unique_ptr<Timers> make_your_timers();
