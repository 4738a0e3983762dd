// For exercises of the kind "find in the trace why": reads a trace that was recorded.
//
// Programs write one JSON object per line, without blanks, and only the chain of a task
// contains objects. So looking for "name": in a line is enough here.
#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <source_location>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace tests {

/// One event: a line of a trace.
class RecordedEvent {
  public:
    explicit RecordedEvent(std::string line) : line_(std::move(line)) {}

    /// The value, without quotes, of the first field that has this name; empty if there
    /// is none.
    std::string text(const std::string& field) const {
        const std::string name = '"' + field + "\":";
        std::size_t begin = line_.find(name);
        if (begin == std::string::npos)
            return "";
        begin += name.size();
        if (line_[begin] == '"')
            return line_.substr(begin + 1, line_.find('"', begin + 1) - begin - 1);
        return line_.substr(begin, line_.find_first_of(",}", begin) - begin);
    }
    /// The same, as a number. Throws std::invalid_argument if it is none.
    int number(const std::string& field) const { return std::stoi(text(field)); }
    /// The line in a field such as "at", which is "program.cpp:42".
    int line(const std::string& field) const {
        const std::string place = text(field);
        return std::stoi(place.substr(place.rfind(':') + 1));
    }
    /// Whether it is, for example, a "callback" in its phase "begin".
    bool is(const std::string& event, const std::string& phase = "") const {
        return text("event") == event && text("phase") == phase;
    }

  private:
    std::string line_;
};

/// The events of run.trace, which is in the same folder as the caller's source file.
/// Throws std::runtime_error if it isn't there.
inline std::vector<RecordedEvent>
recorded_trace(std::source_location place = std::source_location::current()) {
    const auto path =
        std::filesystem::path(place.file_name()).parent_path() / "run.trace";
    std::ifstream file(path);
    if (!file)
        throw std::runtime_error("cannot read " + path.string());
    std::vector<RecordedEvent> events;
    for (std::string line; std::getline(file, line);)
        events.emplace_back(line);
    return events;
}

} // namespace tests
