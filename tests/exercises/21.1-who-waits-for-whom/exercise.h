// What find_files must do.
#pragma once

#include "stage3_queue_crawler/runtime/task/task.h"

#include <functional>
#include <string>
#include <vector>

/// What a folder contains, by name.
struct Folder {
    std::vector<std::string> files;
    std::vector<std::string> folders;
};

/// Lists a folder, which takes a while. Throws std::runtime_error if it can't be read.
using List = std::function<stage3::Coroutine<Folder>(std::string path)>;

struct Found {
    std::vector<std::string> files;      ///< their paths, such as "/a/b.txt"
    std::vector<std::string> unreadable; ///< paths of folders
};

/// All files below the folder "", in any order. Lists at most four folders at the same
/// time, and four whenever there are that many. When this has ended, so have all tasks
/// that it made.
stage3::Coroutine<Found> find_files(List list);
