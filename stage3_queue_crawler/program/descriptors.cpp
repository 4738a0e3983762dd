#include "stage3_queue_crawler/program/descriptors.h"

#include <fmt/core.h>

#include <algorithm>

namespace stage3 {

std::string fit_to_descriptors(CrawlSettings& settings, std::size_t descriptors) {
    constexpr std::size_t others = 32; // files, pipes, name servers
    const std::size_t room = descriptors > others + 1 ? descriptors - others : 1;
    // If room is short, a quarter is for robots.txt: one that comes late shouldn't delay
    // the others.
    const std::size_t for_robots =
        settings.robots.obey ? std::min<std::size_t>((room + 3) / 4, 100) : 0;
    const std::size_t workers =
        std::min(settings.workers, std::max<std::size_t>(room - for_robots, 1));
    std::string note;
    if (workers < settings.workers)
        note = fmt::format(
            "there is room for {} connections{}: so there are {} workers and not {} "
            "(see ulimit -n)",
            room,
            for_robots > 0 ? fmt::format(", of which {} are for robots.txt", for_robots)
                           : "",
            workers, settings.workers);
    settings.workers = workers;
    settings.session.max_idle_connections = static_cast<long>(workers);
    // What is left is for robots.txt, and for name lookups: up to three for each.
    const std::size_t left = room - workers;
    settings.robots.most_at_once = std::clamp<std::size_t>(left, 1, 100);
    settings.session.max_connections =
        static_cast<long>(std::min(workers + settings.robots.most_at_once, room));
    settings.session.max_lookups = std::clamp<std::size_t>((left + 20) / 3, 1, 64);
    return note;
}

} // namespace stage3
