// A folder of the test's own, for programs that look into the current one.
#pragma once

#include <fmt/core.h>

#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

namespace tests {

namespace fs = std::filesystem;

/// A folder that is the current one until the test ends.
class Folder {
  public:
    Folder() {
        fs::create_directories(path_);
        fs::current_path(path_);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() {
        fs::current_path(before_);
        fs::remove_all(path_);
    }

    static void write(const std::string& name, const std::string& text) {
        if (const fs::path folder = fs::path(name).parent_path(); !folder.empty())
            fs::create_directories(folder);
        std::ofstream(name) << text;
    }

  private:
    const fs::path before_ = fs::current_path();
    const fs::path path_ =
        fs::temp_directory_path() / fmt::format("stage3_test_{}", ::getpid());
};

} // namespace tests
