#include "common/system/selector.h"

#include "common/system/selector_backends.h"
#include "common/text/join.h"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <system_error>

#include <fcntl.h>

namespace common {

Selector::Registration& Selector::watched_registration(int fd, const char* operation) {
    const auto index = static_cast<std::size_t>(fd);
    if (fd < 0 || index >= registrations_.size() || !registrations_[index].watched)
        throw std::logic_error(
            fmt::format("{}: descriptor {} is not registered", operation, fd));
    return registrations_[index];
}

namespace {

void require_some(Events events, const char* operation) {
    if (events == Events::none)
        throw std::logic_error(fmt::format(
            "{}: no events to wait for; use unregister_fd to wait for none", operation));
}

} // namespace

void Selector::register_fd(int fd, Events events, std::uint64_t data) {
    if (fd < 0)
        throw std::logic_error(fmt::format("register_fd: {} is no descriptor", fd));
    require_some(events, "register_fd");
    const auto index = static_cast<std::size_t>(fd);
    if (index < registrations_.size() && registrations_[index].watched)
        throw std::logic_error(fmt::format(
            "register_fd: descriptor {} is registered already; use modify_fd", fd));
    // If one of these throws, nothing has changed.
    make_room_for(fd);
    add(fd, events);
    registrations_[index] = {events, data, true};
    ++watched_;
}

/// Takes all the memory that one more descriptor needs.
void Selector::make_room_for(int fd) {
    const auto index = static_cast<std::size_t>(fd);
    if (index >= registrations_.size()) {
        // A number of two billion that isn't a descriptor must not cost gigabytes.
        if (::fcntl(fd, F_GETFD) < 0)
            throw std::system_error(errno, std::generic_category(), "register_fd");
        registrations_.resize(std::max(index + 1, 2 * registrations_.size()));
    }
    if (watched_ >= std::max(ready_.capacity(), larger_.capacity()))
        larger_.reserve(std::max<std::size_t>(16, 2 * watched_));
}

bool Selector::modify_fd(int fd, Events events, std::uint64_t data) {
    Registration& registration = watched_registration(fd, "modify_fd");
    require_some(events, "modify_fd");
    is_another_ = false;
    change(fd, events); // even if they are the same: `fd` may be another socket by now
    registration.events = events;
    registration.data = data;
    return !is_another_;
}

bool Selector::unregister_fd(int fd) {
    Registration& registration = watched_registration(fd, "unregister_fd");
    const bool was_known = remove(fd);
    registration = {};
    --watched_;
    return was_known;
}

std::span<const Ready> Selector::select(std::optional<Milliseconds> timeout) {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    if (timeout) // longer ones make no difference, and the sum must not overflow
        timeout = std::clamp(*timeout, Milliseconds(0), Milliseconds(INT_MAX));
    if (larger_.capacity() > ready_.capacity())
        ready_.swap(larger_);
    ready_.clear();
    std::optional<Milliseconds> left = timeout;
    // A signal ends every system call that waits. That is not an answer, so wait again
    // for the time that is left.
    while (!wait(left ? static_cast<int>(left->count()) : -1, ready_)) {
        ready_.clear();
        if (timeout)
            // Rounded up, since a wait that ends a little early would only start again.
            left = std::max(Milliseconds(0), std::chrono::ceil<Milliseconds>(
                                                 start + *timeout - Clock::now()));
    }
    return ready_;
}

std::vector<std::string_view> selector_names() {
    std::vector<std::string_view> names;
    names.reserve(selector_backends.size());
    for (const SelectorBackend& backend : selector_backends)
        names.push_back(backend.name);
    return names;
}

std::unique_ptr<Selector> make_selector(std::string_view name) {
    if (name.empty())
        return selector_backends.front().make();
    const auto backend =
        std::ranges::find(selector_backends, name, &SelectorBackend::name);
    if (backend == selector_backends.end())
        throw std::invalid_argument(
            fmt::format("no selector named '{}': choose one of {}", name,
                        join(selector_names(), ", ")));
    return backend->make();
}

} // namespace common
