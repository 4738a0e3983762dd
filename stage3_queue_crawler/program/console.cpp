#include "stage3_queue_crawler/program/console.h"

#include "common/text/counted.h"
#include "stage3_queue_crawler/runtime/loop/at_exit.h"
#include "stage3_queue_crawler/runtime/task/task_group.h"
#include "stage3_queue_crawler/runtime/task/wait.h"

#include <fmt/core.h>

#include <system_error>
#include <utility>

#include <sys/ioctl.h>
#include <unistd.h>

namespace stage3 {
namespace {

using namespace std::chrono_literals;

constexpr const char* clear_line = "\r\x1b[K";

Coroutine<> tell_progress(std::function<Progress()> progress, Console& console) {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    while (true) {
        co_await sleep(200ms);
        console.show_progress(describe(
            progress(), std::chrono::floor<std::chrono::seconds>(Clock::now() - start)));
    }
}

Coroutine<Ending> tell_until_it_ends(TaskGroup& group, Task<Ending> crawl,
                                     std::function<Progress()> progress,
                                     Console& console) {
    group.start(tell_progress(std::move(progress), console), "progress");
    const Ending ending = co_await crawl;
    group.cancel();
    co_return ending;
}

} // namespace

std::size_t columns_of_terminal(int fd) {
    winsize size{};
    if (::ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col < 2)
        return 80;
    return size.ws_col;
}

std::string describe(const Progress& progress, std::chrono::seconds so_far) {
    return fmt::format("{} fetched, {}, {} dead; {} under way, {} waiting; {} s",
                       progress.fetched, common::counted(progress.redirects, "redirect"),
                       progress.dead, progress.in_flight, progress.waiting,
                       so_far.count());
}

std::string_view describe(Ending ending) {
    switch (ending) {
    case Ending::interrupted: return "interrupted";
    case Ending::timed_out: return "the time is over (--timeout)";
    case Ending::max_pages: return "enough has been fetched (--max-pages)";
    case Ending::no_memory:
        return "no memory is left (see ulimit -v, or use fewer --workers)";
    case Ending::complete: break;
    }
    return "complete";
}

std::string describe(Ending ending, std::size_t not_fetched) {
    return fmt::format("{}: {} URLs that are known were not fetched", describe(ending),
                       not_fetched);
}

Console::Console(EventLoop& loop, bool quiet, int fd)
    : loop_(loop), quiet_(quiet), end_(fd),
      may_wait_(end_.has_reader() && loop.can_watch(end_.fd())) {}

// NOLINTNEXTLINE(bugprone-exception-escape): if other code closed our descriptor
Console::~Console() {
    show_progress({});
    write(take_left_out());
    watch(false);
    write_patiently(end_, unwritten_);
}

void Console::note(const std::string& text) {
    if (!quiet_)
        answer(text);
}

void Console::answer(const std::string& text) {
    if (unwritten_.size() > most_unwritten) {
        ++left_out_;
        return;
    }
    const std::string progress = std::exchange(progress_, {});
    write((progress.empty() ? "" : clear_line) + take_left_out() + text + '\n');
    show_progress(progress);
}

/// A line that says how many notes are missing at this point; empty if none are.
std::string Console::take_left_out() {
    const std::size_t number = std::exchange(left_out_, 0);
    return number == 0 ? ""
                       : fmt::format("stage3: {} notes left out here: the ones "
                                     "before weren't being read\n",
                                     number);
}

void Console::show_progress(const std::string& text) {
    if (text == progress_ || (!text.empty() && !unwritten_.empty()))
        return;
    progress_ = text.substr(0, columns_of_terminal(STDERR_FILENO) - 1);
    write(clear_line + progress_);
}

void Console::write(std::string_view text) {
    unwritten_ += text;
    if (!watched_) // otherwise the loop will call hand_on
        hand_on();
}

/// Writes what is unwritten, as far as there is room.
void Console::hand_on() {
    try {
        if (may_wait_)
            unwritten_.erase(0, write_ready(end_, unwritten_));
        else
            write_all(end_, std::exchange(unwritten_, {}));
        watch(!unwritten_.empty());
    } catch (const std::system_error&) {
        unwritten_.clear(); // there is nowhere to report that nothing can be reported
        watch(false);
    }
}

void Console::watch(bool on) {
    if (on && !watched_)
        loop_.add_writer(end_.fd(), [this] { hand_on(); });
    else if (!on && watched_)
        loop_.remove_writer(end_.fd());
    watched_ = on;
}

Coroutine<Ending> await_and_tell(Task<Ending> crawl, std::function<Progress()> progress,
                                 Console& console, bool wanted) {
    if (!wanted)
        co_return co_await crawl;
    const AtExit clear([&console] { console.show_progress({}); });
    TaskGroup group;
    co_return co_await group.run(
        tell_until_it_ends(group, std::move(crawl), std::move(progress), console));
}

} // namespace stage3
