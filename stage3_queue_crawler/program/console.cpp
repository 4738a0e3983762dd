#include "stage3_queue_crawler/program/console.h"

#include "stage3_queue_crawler/runtime/loop/at_exit.h"
#include "stage3_queue_crawler/runtime/task/task_group.h"
#include "stage3_queue_crawler/runtime/task/wait.h"

#include <fmt/core.h>

#include <cstdio>
#include <utility>

#include <sys/ioctl.h>
#include <unistd.h>

namespace stage3 {
namespace {

using namespace std::chrono_literals;

std::size_t columns_of_terminal() {
    winsize size{};
    if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 2)
        return 80;
    return size.ws_col;
}

/// Not checked: where should it be said that nothing can be said?
void write_to_user(const std::string& text) {
    static_cast<void>(std::fputs(text.c_str(), stderr));
    static_cast<void>(std::fflush(stderr));
}

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

std::string describe(const Progress& progress, std::chrono::seconds so_far) {
    return fmt::format(
        "{} fetched, {} redirects, {} dead; {} under way, {} waiting; {} s",
        progress.fetched, progress.redirects, progress.dead, progress.in_flight,
        progress.waiting, so_far.count());
}

std::string_view describe(Ending ending) {
    switch (ending) {
    case Ending::interrupted: return "interrupted";
    case Ending::timed_out: return "the time is over (--timeout)";
    case Ending::max_pages: return "enough has been fetched (--max-pages)";
    case Ending::complete: break;
    }
    return "complete";
}

void Console::note(const std::string& text) {
    if (!quiet_)
        answer(text);
}

void Console::answer(const std::string& text) {
    const std::string progress = std::exchange(progress_, {});
    write_to_user((progress.empty() ? "" : clear_line) + text + '\n');
    show_progress(progress);
}

void Console::show_progress(const std::string& text) {
    if (text == progress_)
        return;
    progress_ = text.substr(0, columns_of_terminal() - 1);
    write_to_user(clear_line + progress_);
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
