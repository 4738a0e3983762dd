// A line of what shall run, and a future that uses it.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

/// What is put in here runs in the next turn.
class Line {
  public:
    using Function = std::function<void()>;

    void call_soon(Function function) { functions_.push_back(std::move(function)); }

    /// Runs what stands in the line now.
    void turn() {
        for (auto now = std::exchange(functions_, {}); !now.empty(); now.pop_front())
            now.front()();
    }

  private:
    std::deque<Function> functions_;
};

/// A future that keeps F4, F10, F11 and F13: what it must do.
class PatientFuture {
  public:
    using Callback = std::function<void(const std::string& result)>;

    PatientFuture() = default;
    PatientFuture(const PatientFuture&) = delete;
    PatientFuture& operator=(const PatientFuture&) = delete;
    virtual ~PatientFuture() = default;

    virtual bool done() const = 0;

    /// `callback` will be called with the result, in the turn after it is there. If it's
    /// there already, in the next turn.
    virtual void add_done_callback(Callback callback) = 0;

    /// Throws std::logic_error if there is a result already; the first one stands. Calls
    /// nobody itself.
    virtual void set_result(std::string result) = 0;
};

/// Makes your future. `line` outlives it. Defined in yours.cpp.
std::unique_ptr<PatientFuture> make_your_future(Line& line);
