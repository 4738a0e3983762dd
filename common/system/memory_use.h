// How much memory does this program use?
//
// The kernel knows, and /proc shows it. For the programs that measure what waiting costs:
// in threads, in sockets, in coroutines.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace common {

/// What is in use now, in kilobytes; nothing if the system doesn't say.
/// Source: man 5 proc.
struct MemoryUse {
    MemoryUse();

    std::optional<double> virtual_; ///< addresses that this process has reserved
    std::optional<double> resident; ///< memory that it uses
    // These two are the whole machine's; other programs blur them a little.
    std::optional<double> kernel_stacks;
    std::optional<double> kernel_objects;
};

/// A line for a person, without a line end: `what`, by how many megabytes a number of
/// kilobytes has grown, and how much that is for each of `count` things.
std::string describe_growth(const char* what, std::optional<double> before,
                            std::optional<double> after, std::size_t count);

} // namespace common
