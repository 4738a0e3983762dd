#include "stage3_queue_crawler/program/output.h"

#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace stage3 {
namespace {

WriteEnd open_end(const std::string& path) {
    if (path.empty())
        return WriteEnd(STDOUT_FILENO);
    common::Socket file(
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    if (!file)
        throw std::system_error(errno, std::generic_category(),
                                "can't write to '" + path + "'");
    return WriteEnd(std::move(file));
}

} // namespace

Output::Output(EventLoop& loop, const std::string& path)
    : loop_(loop), end_(open_end(path)),
      may_wait_(end_.has_reader() && loop.can_watch(end_.fd())) {}

// NOLINTNEXTLINE(bugprone-exception-escape): if other code closed our descriptor
Output::~Output() { watch(false); }

void Output::write(std::string_view text) {
    check();
    unwritten_ += text;
    if (watched_ || text.empty())
        return; // the loop will call hand_on; or nothing is new
    if (!may_wait_ || unwritten_.size() >= block) {
        hand_on();
        check();
    } else if (!later_) {
        later_.emplace(loop_.call_later(longest_wait, [this] { hand_on(); }));
    }
}

/// Writes what has been collected, as far as there is room.
void Output::hand_on() {
    later_.reset();
    try {
        if (may_wait_)
            write_what_fits();
        else
            write_all(end_, std::exchange(unwritten_, {}));
    } catch (const std::system_error&) {
        failure_ = std::current_exception();
        watch(false);
        has_room_.set(); // those who wait should learn of it
    }
}

// [write-what-fits]
void Output::write_what_fits() {
    unwritten_.erase(0, write_ready(end_, unwritten_));
    watch(!unwritten_.empty());
    if (unwritten_.size() <= most_unwritten)
        has_room_.set();
    else
        has_room_.clear();
}
// [/write-what-fits]

void Output::watch(bool on) {
    if (on && !watched_)
        loop_.add_writer(end_.fd(), [this] { hand_on(); });
    else if (!on && watched_)
        loop_.remove_writer(end_.fd());
    watched_ = on;
}

Coroutine<> Output::drain() {
    check();
    while (unwritten_.size() > most_unwritten) {
        has_room_.clear();
        co_await has_room_.wait();
        check();
    }
}

void Output::flush() {
    check();
    later_.reset();
    watch(false);
    const std::string rest = std::exchange(unwritten_, {});
    if (may_wait_)
        write_lines(end_, rest);
    else
        write_all(end_, rest);
}

void Output::check() const {
    if (failure_)
        std::rethrow_exception(failure_);
}

void print_on_stdout(std::string_view text) { write_all(WriteEnd(STDOUT_FILENO), text); }

} // namespace stage3
