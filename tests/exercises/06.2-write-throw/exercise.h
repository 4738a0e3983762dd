// A generator into which an exception can be thrown.
#pragma once

#include <exception>
#include <optional>

/// What a generator says when it is resumed: a number, or nothing if it has ended.
using Said = std::optional<int>;

/// A conversation with a generator of your class.
class Conversation {
  public:
    Conversation() = default;
    Conversation(const Conversation&) = delete;
    Conversation& operator=(const Conversation&) = delete;
    virtual ~Conversation() = default;

    virtual Said next() = 0;
    virtual Said send(int value) = 0;

    /// The co_yield at which the generator is paused throws `error`. If the generator
    /// catches `error`, this returns the number that the generator yields next; if not,
    /// `error` comes out here, and the generator has ended. A generator that has not
    /// begun never runs, and `error` comes straight back. The same happens if the
    /// generator has ended.
    virtual Said throw_(std::exception_ptr error) = 0;
};

/// What the generator notes while it runs.
struct Story {
    int begun = 0;  ///< how often its body has begun
    int caught = 0; ///< how many errors it has caught
    int sum = 0;    ///< the sum of what it was sent
};

/// A conversation with a generator that yields 1, 2, 3 and so on, adds up what it is
/// sent, and catches std::runtime_error, as often as `patience` allows. Uses your class.
Conversation* new_conversation(Story& story, int patience);
