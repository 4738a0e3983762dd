// A future that can also fail.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

/// Thrown when a future is asked too early, or resolved twice.
struct InvalidState : std::logic_error {
    using std::logic_error::logic_error;
};

class FailingFuture {
  public:
    using Callback = std::function<void(const FailingFuture&)>;

    FailingFuture() = default;
    FailingFuture(const FailingFuture&) = delete;
    FailingFuture& operator=(const FailingFuture&) = delete;
    virtual ~FailingFuture() = default;

    /// True once it has a result or an exception.
    virtual bool done() const = 0;

    /// The result. Throws the exception if that is how it ended, and InvalidState while
    /// it is pending.
    virtual const std::string& result() const = 0;

    /// The exception, without throwing it; null if there is a result. Throws InvalidState
    /// while it is pending.
    virtual std::exception_ptr exception() const = 0;

    /// `callback` will be called when it is done, however that ends.
    virtual void add_done_callback(Callback callback) = 0;

    /// Both throw InvalidState if it is done already; the first outcome stands.
    virtual void set_result(std::string result) = 0;
    virtual void set_exception(std::exception_ptr exception) = 0;
};

/// Your future. Defined in yours.cpp.
std::unique_ptr<FailingFuture> make_your_future();
