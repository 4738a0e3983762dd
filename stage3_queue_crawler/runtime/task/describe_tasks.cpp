#include "stage3_queue_crawler/runtime/task/describe_tasks.h"

#include <fmt/core.h>

#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace stage3 {
namespace {

enum class Doing : std::uint8_t { not_begun, running, ready, waiting };

// [doing]
Doing doing(const TaskBase& task) {
    if (&task == current_task())
        return Doing::running;
    if (!task.has_begun())
        return Doing::not_begun;
    // A task that waits only for the next turn is in the ready queue; so is one whose
    // future is done by now.
    const FutureBase* const awaited = task.awaited();
    return awaited == nullptr || awaited->done() ? Doing::ready : Doing::waiting;
}
// [/doing]

/// Tasks that are at the same place.
struct Group {
    Doing doing;
    bool asked_to_end;
    bool for_tasks;    // they wait for tasks
    std::string chain; // in words
    std::vector<std::string> names;
    std::vector<std::string> awaited; // the names of those tasks; none twice in a row
};

/// A name made safe to print within a line: it could come from anywhere.
std::string in_a_line(std::string name) {
    if (name.empty())
        return "(no name)";
    for (char& c : name)
        if (static_cast<unsigned char>(c) < ' ' || c == '\x7f')
            c = '?';
    return name;
}

/// "worker 3" follows "worker 2".
bool follows(std::string_view name, std::string_view before) {
    const std::size_t digits =
        before.find_last_not_of("0123456789") + 1; // none: npos + 1
    std::uint64_t number = 0;
    const auto read =
        std::from_chars(before.data() + digits, before.data() + before.size(), number);
    return read.ec == std::errc()
           && name == fmt::format("{}{}", before.substr(0, digits), number + 1);
}

/// "worker 1 to worker 9, worker 12, anna".
std::string in_short(const std::vector<std::string>& names) {
    constexpr std::size_t shown = 10;
    std::string text;
    std::size_t parts = 0;
    for (std::size_t i = 0; i < names.size(); ++parts) {
        if (parts == shown)
            return text + fmt::format(", and {} more", names.size() - i);
        std::size_t last = i;
        while (last + 1 < names.size() && follows(names[last + 1], names[last]))
            ++last;
        if (last < i + 2)
            last = i;
        text += (i > 0 ? ", " : "") + in_a_line(names[i]);
        if (last > i)
            text += " to " + in_a_line(names[last]);
        i = last + 1;
    }
    return text;
}

std::string_view in_words(Doing doing, bool several) {
    switch (doing) {
    case Doing::not_begun: return several ? "have not begun" : "has not begun";
    case Doing::running: return "runs";
    case Doing::ready: return several ? "are ready" : "is ready";
    case Doing::waiting: break;
    }
    return several ? "wait" : "waits";
}

std::string describe(const Group& group) {
    const bool several = group.names.size() > 1;
    std::string text =
        fmt::format("{} {}", group.names.size(), in_words(group.doing, several));
    if (group.asked_to_end)
        text += several ? ", and were asked to end" : ", and was asked to end";
    text += fmt::format(": {}\n{}", in_short(group.names), group.chain);
    if (group.doing != Doing::waiting)
        return text;
    if (!group.for_tasks)
        return text + "  for a future\n";
    return text
           + fmt::format("  for the task{} {}\n", group.awaited.size() > 1 ? "s" : "",
                         in_short(group.awaited));
}

std::vector<Group> groups_of(const std::vector<Ref<FutureBase>>& tasks) {
    std::vector<Group> groups;
    std::map<std::string, std::size_t> index;
    for (const auto& future : tasks) {
        const TaskBase& task = *future->as_task();
        const Doing does = doing(task);
        TaskBase* const awaited =
            does == Doing::waiting ? task.awaited()->as_task() : nullptr;
        Group group{.doing = does,
                    .asked_to_end = task.cancelling() > 0,
                    .for_tasks = awaited != nullptr,
                    .chain = common::describe(
                        task.chain(), does == Doing::running ? common::Last::has_gone_on
                                                             : common::Last::waits),
                    .names = {},
                    .awaited = {}};
        const auto key = fmt::format("{} {} {} {}", static_cast<int>(does),
                                     group.asked_to_end, group.for_tasks, group.chain);
        const auto at = index.emplace(key, groups.size()).first->second;
        if (at == groups.size())
            groups.push_back(std::move(group));
        groups[at].names.push_back(task.name());
        auto& names = groups[at].awaited;
        if (awaited != nullptr && (names.empty() || names.back() != awaited->name()))
            names.push_back(awaited->name());
    }
    return groups;
}

/// What can still happen.
std::string describe_what_comes(EventLoop& loop, bool somebody_can_run) {
    const std::size_t watched = loop.watched();
    const auto timer = loop.until_next_timer();
    const bool thread = loop.has_busy_thread();
    if (!somebody_can_run && !loop.has_ready() && watched == 0 && !timer && !thread)
        return "Nothing will wake them: no task is ready, no descriptor is watched, no "
               "timer is set.\n(Only a signal still could, or a thread that the loop "
               "doesn't know.)\n";
    std::string text = "The loop: no descriptor is watched";
    if (watched == 1)
        text = "The loop: 1 descriptor is watched";
    else if (watched > 1)
        text = fmt::format("The loop: {} descriptors are watched", watched);
    text += timer ? fmt::format(", the next timer is due in {:.3f} s",
                                std::chrono::duration<double>(*timer).count())
                  : ", no timer is set";
    return text + (thread ? ", a thread works.\n" : ".\n");
}

} // namespace

std::string describe_tasks(EventLoop& loop) {
    const auto tasks = all_tasks(loop);
    if (tasks.empty())
        return "All tasks are done.\n";
    const std::vector<Group> groups = groups_of(tasks);
    std::string text =
        tasks.size() == 1
            ? "1 task is not done. Its coroutines, the last one at the bottom:\n"
            : fmt::format("{} tasks are not done. The coroutines of each, the last one "
                          "at the bottom:\n",
                          tasks.size());
    bool somebody_can_run = false;
    for (const Group& group : groups) {
        text += describe(group);
        somebody_can_run = somebody_can_run || group.doing != Doing::waiting;
    }
    return text + describe_what_comes(loop, somebody_can_run);
}

} // namespace stage3
