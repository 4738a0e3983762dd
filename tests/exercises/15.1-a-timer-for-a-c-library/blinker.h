// A library in the style of C: it has no thread and no loop, and calls you back.
#pragma once

#include <cstddef>
#include <vector>

/// Switches a lamp on and off, in patterns. It has no clock either: a call of act() means
/// that the time is up, and the blinker believes it.
class Blinker {
  public:
    /// Called to ask for a timer. There is one timer at most, and each request replaces
    /// the one before:
    ///     100   call act(), once, when 100 ms have passed
    ///       0   call act(), once, as soon as possible, but not from inside this function
    ///      -1   don't call act(): cancel the timer, if one is set
    /// When a timer has fired and no other is wanted, this is not called. `data` is what
    /// was passed along with the function.
    using TimerFunction = void (*)(long milliseconds, void* data);

    /// Sets the function that is called from now on; nullptr means none.
    void set_timer_function(TimerFunction function, void* data);
    bool has_timer_function() const { return function_ != nullptr; }

    /// Begins a pattern: waits for the first number of milliseconds, switches the lamp,
    /// waits for the next number, and so on. Ends the pattern that was running, if any.
    void start(std::vector<long> pattern);
    /// Ends the pattern.
    void stop();

    /// The time is up: switches the lamp, and asks for the next timer, if the pattern
    /// has one. Must not be called from inside the timer function, because the blinker
    /// would interrupt itself halfway. Such a call does nothing, and is counted.
    void act();

    int switched() const { return switched_; } ///< how often the lamp was switched
    int refused() const {
        return refused_;
    } ///< how often act() was called inside the timer function

  private:
    void wish_for_next();
    void wish(long milliseconds);

    TimerFunction function_ = nullptr;
    void* data_ = nullptr;
    std::vector<long> pattern_;
    std::size_t next_ = 0; // in the pattern
    bool calling_back_ = false;
    int switched_ = 0;
    int refused_ = 0;
};
