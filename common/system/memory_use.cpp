#include "common/system/memory_use.h"

#include <fmt/core.h>

#include <fstream>
#include <sstream>

namespace common {
namespace {

/// The number of kilobytes in a line like "VmRSS:   123 kB" of a file in /proc.
std::optional<double> kilobytes(const char* path, const std::string& key) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        if (!line.starts_with(key + ":"))
            continue;
        std::istringstream words(line.substr(key.size() + 1));
        double value = 0;
        if (words >> value)
            return value;
    }
    return std::nullopt;
}

} // namespace

MemoryUse::MemoryUse()
    : virtual_(kilobytes("/proc/self/status", "VmSize")),
      resident(kilobytes("/proc/self/status", "VmRSS")),
      kernel_stacks(kilobytes("/proc/meminfo", "KernelStack")),
      kernel_objects(kilobytes("/proc/meminfo", "Slab")) {}

std::string describe_growth(const char* what, std::optional<double> before,
                            std::optional<double> after, std::size_t count) {
    if (!before || !after || count == 0)
        return fmt::format("  {:<32} not known on this system", what);
    const double difference = *after - *before;
    // Less than a page (4 kB) is noise; and a little less than before, which would be
    // printed as "-0.0", would only puzzle.
    const double grown = difference > -50 && difference < 4 ? 0 : difference;
    return fmt::format("  {:<32} {:>9.1f} MB {:>9.2f} kB each", what, grown / 1024,
                       grown / static_cast<double>(count));
}

} // namespace common
