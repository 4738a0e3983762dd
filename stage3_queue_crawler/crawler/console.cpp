#include "stage3_queue_crawler/crawler/console.h"

#include <fmt/core.h>

#include <cstdio>
#include <utility>

#include <sys/ioctl.h>
#include <unistd.h>

namespace stage3 {
namespace {

std::size_t columns_of_terminal() {
    winsize size{};
    if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 2)
        return 80;
    return size.ws_col;
}

/// Not checked: where should it be said that nothing can be said?
void print(const std::string& text) {
    static_cast<void>(std::fputs(text.c_str(), stderr));
    static_cast<void>(std::fflush(stderr));
}

constexpr const char* clear_line = "\r\x1b[K";

} // namespace

std::string describe(const Progress& progress, std::chrono::seconds so_far) {
    return fmt::format(
        "{} fetched, {} redirects, {} dead; {} under way, {} waiting; {} s",
        progress.fetched, progress.redirects, progress.dead, progress.in_flight,
        progress.waiting, so_far.count());
}

void Console::note(const std::string& text) {
    if (quiet_)
        return;
    const std::string progress = std::exchange(progress_, {});
    print((progress.empty() ? "" : clear_line) + text + '\n');
    show_progress(progress);
}

void Console::show_progress(const std::string& text) {
    if (text == progress_)
        return;
    progress_ = text.substr(0, columns_of_terminal() - 1);
    print(clear_line + progress_);
}

} // namespace stage3
