// Which sockets are ready?
//
// A program that waits for many sockets must not wait *in* any one of them. It hands
// all of them to a selector, sleeps once, and is told which can be read or written
// without waiting. The kernel offers three ways to ask; each is a back end here, behind
// one interface: `select` (oldest, at most FD_SETSIZE descriptors), `poll` (no such
// limit, but the whole list is handed over on every call) and `epoll` (the list stays in
// the kernel; Linux only). Told in book/02 (sockets that don't wait).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
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
/// One descriptor that need not be waited for any more.
struct Ready {
    int fd;
    Events events;      ///< those of the registered events that have come
    std::uint64_t data; ///< the caller's number, untouched
};
// [/ready]

/// Thrown by `register_fd` when this back end can't watch the descriptor, though there is
/// nothing wrong with it: `select` has no bit for a descriptor of FD_SETSIZE or more.
/// Whoever can do with fewer descriptors asks `can_watch` first.
struct SelectorFull : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// [selector]
/// Watches descriptors. Level-triggered: what is not read is reported again.
class Selector {
  public:
    using Milliseconds = std::chrono::milliseconds;

    /// Starts watching `fd` for `events`; `data` comes back with each of them.
    /// (Python calls this `register`, which is a reserved word in C++.)
    void register_fd(int fd, Events events, std::uint64_t data);

    /// Waits for other events on a watched descriptor, and returns other data with them.
    void modify_fd(int fd, Events events, std::uint64_t data);

    /// Stops watching. Call it before closing `fd`: a closed descriptor's number is the
    /// next one that the kernel gives out.
    void unregister_fd(int fd);

    /// Waits until at least one watched descriptor is ready, or until the timeout is
    /// over: then the list is empty. No timeout waits for ever.
    std::vector<Ready> select(std::optional<Milliseconds> timeout);
    // [/selector]

    // What goes wrong:
    //
    // - std::logic_error is thrown for what a caller should know: to watch a descriptor
    //   that is watched already, to change or forget one that isn't, and to wait for no
    //   events at all. (A kernel reports a hang-up also to who waits for nothing. Each
    //   wait would end at once, and nobody would hear why.)
    // - `register_fd` throws SelectorFull if this back end has no room for the
    //   descriptor, and std::system_error if the kernel refuses.
    // - A descriptor with an error counts as ready for all that it is watched for: the
    //   read or write that follows tells what is wrong.
    // - A signal does not end the wait.

    /// False if this descriptor's number is too high for the back end.
    virtual bool can_watch(int /*fd*/) const { return true; }

    /// How many descriptors are watched now.
    std::size_t size() const { return watched_; }

    /// "epoll", "poll" or "select".
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

    /// For a back end: what is known of a watched descriptor.
    const Registration& registration(int fd) const {
        return registrations_[static_cast<std::size_t>(fd)];
    }

    // What each back end does in its own way. `wait` takes a timeout in milliseconds
    // (-1: for ever), appends what is ready, and returns false if a signal cut it short.
    virtual void add(int fd, Events events) = 0;
    virtual void change(int fd, Events events) = 0;
    virtual void remove(int fd) = 0;
    virtual bool wait(int timeout_ms, std::vector<Ready>& ready) = 0;

  private:
    Registration& watched_registration(int fd, const char* operation);

    // Indexed by descriptor: the kernel always gives out the lowest free number, so this
    // stays as short as the most descriptors that were ever open at once.
    std::vector<Registration> registrations_;
    std::size_t watched_ = 0;
};

/// The names that `make_selector` knows on this system, the best first.
std::vector<std::string_view> selector_names();

/// Makes the back end of that name; an empty name takes the best there is.
/// Throws std::invalid_argument, naming the choices, for any other.
std::unique_ptr<Selector> make_selector(std::string_view name = {});

} // namespace common
