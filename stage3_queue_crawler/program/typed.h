// What was typed, where Options has something else: what must wait until all is read, or
// be compared with what else was typed. Nearly all options write straight into their
// settings.
#pragma once

#include "stage3_queue_crawler/program/formats/format.h"

#include <optional>
#include <string>
#include <vector>

namespace stage3 {

struct Typed {
    std::vector<std::string> roots;
    std::vector<std::string> lists;
    std::vector<std::string> baselines;
    std::vector<std::string> ignore_files;
    std::string output; ///< "-": standard output, even for --quiet
    std::string html;
    std::string config;
    bool no_config = false;
    bool assets = false;
    bool no_assets = false;
    bool no_robots = false;
    bool no_private = false;
    bool no_cookies = false;
    bool times_of_frontier = false; ///< --lease or --wait-for-frontier
    bool state = false;             ///< there is one, if only an empty text
    bool max_age = false;
    std::optional<Show> show;     ///< none: as suits standard output
    std::optional<bool> progress; ///< none: on a terminal, unless --quiet
};

} // namespace stage3
