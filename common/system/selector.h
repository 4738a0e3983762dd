// Which sockets are ready?
//
// A program that waits for many sockets must not wait *in* any one of them. It hands them
// all to a selector, sleeps once, and learns which can be read or written without
// waiting. The kernel offers three ways to ask, and each is a back end here, behind one
// interface: `select` (the oldest, for at most FD_SETSIZE descriptors), `poll` (no such
// limit, but the whole list is handed over on every call) and `epoll` (the list stays in
// the kernel; Linux only). Page 02 of the book.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace common {

/// What to wait for on a descriptor, or what it is ready for. A set: `read | write`.
enum class Events : std::uint8_t { none = 0, read = 1, write = 2 };

constexpr Events operator|(Events a, Events b) {
    return static_cast<Events>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
constexpr Events operator&(Events a, Events b) {
    return static_cast<Events>(static_cast<unsigned>(a) & static_cast<unsigned>(b));
}

// [ready]
/// A descriptor that is ready.
struct Ready {
    int fd;
    Events events;      ///< which of the registered events
    std::uint64_t data; ///< the caller's number, unchanged
};
// [/ready]

/// Thrown by `register_fd` when this back end can't watch the descriptor, although
/// nothing is wrong with it: `select` has no bit for a descriptor of FD_SETSIZE or more.
/// A caller that can make do with fewer descriptors asks `can_watch` first.
struct SelectorFull : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// [selector]
/// Watches descriptors. Level-triggered: what you don't read is reported again.
class Selector {
  public:
    using Milliseconds = std::chrono::milliseconds;

    /// Starts watching `fd` for `events`, and reports `data` with it. Called `register`
    /// in Python, but that is a reserved word in C++.
    void register_fd(int fd, Events events, std::uint64_t data);

    /// Changes what a watched descriptor is watched for, and the data reported with it.
    /// False: another descriptor has this number now, and that one is watched.
    bool modify_fd(int fd, Events events, std::uint64_t data);

    /// Stops watching. Call it before closing `fd`: the kernel always gives out the
    /// lowest free number, so the next socket may get this one. False: it was too late.
    bool unregister_fd(int fd);

    /// Waits until a watched descriptor is ready. The list is empty if the timeout comes
    /// first (without one, it waits forever), and it is valid until the next call.
    std::span<const Ready> select(std::optional<Milliseconds> timeout);
    // [/selector]

    // What goes wrong:
    //
    // - std::logic_error is thrown for a caller's mistakes: watching a descriptor that is
    //   already watched, changing or removing one that isn't, and waiting for no events
    //   at all, because a kernel reports a hang-up even then, so that each wait would end
    //   at once and report nothing.
    // - `register_fd` throws SelectorFull if this back end has no room for the
    //   descriptor, and std::system_error if the kernel refuses.
    // - A descriptor with an error counts as ready for everything it is watched for, and
    //   the read or write that follows says what is wrong.
    // - A descriptor that was closed before it was unregistered counts as one with an
    //   error in poll and select; epoll forgets it, and `unregister_fd` returns false. If
    //   another socket has its number by then, `modify_fd` watches that one, even if the
    //   events stay the same.
    // - A signal does not end the wait.
    //
    // Without memory, `register_fd` throws std::bad_alloc and has changed nothing. It
    // takes all that the descriptor will ever need, so the other functions never lack
    // any. (If the kernel does, they throw std::system_error.) Without a free descriptor,
    // everything works, but epoll wakes up for nothing if a socket was closed too early
    // while a duplicate of it is open.

    /// False if this descriptor's number is too high for the back end.
    virtual bool can_watch(int /*fd*/) const { return true; }

    /// How many descriptors are watched now.
    std::size_t size() const { return watched_; }

    /// What `make_selector` knows it by.
    virtual std::string_view name() const = 0;

    Selector() = default;
    Selector(const Selector&) = delete;
    Selector& operator=(const Selector&) = delete;
    virtual ~Selector() = default;

  protected:
    struct Registration {
        Events events = Events::none;
        std::uint64_t data = 0;
        bool watched = false;
    };

    /// For back ends: what a watched descriptor was registered with.
    const Registration& registration(int fd) const {
        return registrations_[static_cast<std::size_t>(fd)];
    }

    /// For back ends, within `change`: the number belongs to another descriptor now.
    void note_another_descriptor() { is_another_ = true; }

    // What each back end does in its own way. `remove` returns false if the kernel has
    // forgotten the descriptor already. `wait` takes a timeout in milliseconds, -1 for
    // none, and appends what is ready, for which there is room: it may be as many as are
    // watched. It returns false if it was cut short, by a signal for example.
    virtual void add(int fd, Events events) = 0;
    virtual void change(int fd, Events events) = 0;
    virtual bool remove(int fd) = 0;
    virtual bool wait(int timeout_ms, std::vector<Ready>& ready) = 0;

  private:
    Registration& watched_registration(int fd, const char* operation);
    void make_room_for(int fd);

    // Indexed by descriptor. The kernel always gives out the lowest free number, so this
    // is at most twice as long as the largest number of descriptors open at once.
    std::vector<Registration> registrations_;
    std::size_t watched_ = 0;
    bool is_another_ = false;
    std::vector<Ready> ready_;  // the last answer; the caller may still read it
    std::vector<Ready> larger_; // for the next one, if more descriptors are watched now
};

/// The names that `make_selector` knows on this system, best first.
std::vector<std::string_view> selector_names();

/// Makes the back end with that name, or the best one if the name is empty. Throws
/// std::invalid_argument, listing the choices, if the name is unknown.
std::unique_ptr<Selector> make_selector(std::string_view name = {});

} // namespace common
