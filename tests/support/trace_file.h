// The file of a trace, for as long as a test needs it.
#pragma once

#include "common/trace/trace.h"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

#include <unistd.h>

namespace tests {

class TraceFile {
  public:
    TraceFile() = default;
    TraceFile(const TraceFile&) = delete;
    TraceFile& operator=(const TraceFile&) = delete;
    ~TraceFile() {
        std::error_code ignored;
        std::filesystem::remove(path_, ignored);
    }

    const std::string& path() const { return path_; }
    common::Tracer tracer(const std::string& program = "test") const {
        return {path_, program};
    }
    /// What has been written so far. All of it, once the tracer is gone.
    std::vector<std::string> lines() const {
        std::vector<std::string> lines;
        std::ifstream file(path_);
        for (std::string line; std::getline(file, line);)
            lines.push_back(line);
        return lines;
    }

  private:
    inline static std::atomic<int> made = 0;
    const std::string path_ =
        std::filesystem::temp_directory_path()
        / ("trace." + std::to_string(::getpid()) + "." + std::to_string(++made));
};

} // namespace tests
