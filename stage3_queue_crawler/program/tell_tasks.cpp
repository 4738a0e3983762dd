#include "stage3_queue_crawler/program/tell_tasks.h"

#include "stage3_queue_crawler/program/formats/escape.h"
#include "stage3_queue_crawler/runtime/task/describe_tasks.h"

#include <csignal>
#include <string>
#include <string_view>

namespace stage3 {
namespace {

/// Keeps line ends: they are ours, since no name has one here.
std::string escaped(std::string_view text) {
    std::string lines;
    while (!text.empty()) {
        const auto end = text.find('\n');
        lines += for_terminal(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        lines += text.empty() ? "" : "\n";
    }
    return lines;
}

} // namespace

// [tell-tasks]
TellTasksOnQuit::TellTasksOnQuit(EventLoop& loop, Console& console) : loop_(loop) {
    loop.add_signal_handler(SIGQUIT, [&loop, &console] {
        console.answer("stage3: " + escaped(describe_tasks(loop)));
    });
}

TellTasksOnQuit::~TellTasksOnQuit() { loop_.remove_signal_handler(SIGQUIT); }
// [/tell-tasks]

} // namespace stage3
