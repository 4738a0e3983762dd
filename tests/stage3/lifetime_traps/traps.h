// The traps of page 20 of the book: each as a coroutine that is wrong on purpose, and a
// mended one.
#pragma once

#include "stage3_queue_crawler/runtime/task/coroutine.h"

#include <fmt/core.h>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace traps {

using Play = stage3::Coroutine<> (*)();

inline constexpr std::size_t count = 8;

inline void say(std::string_view words, std::string_view name) {
    fmt::print("{} {}\n", words, name);
}

} // namespace traps

namespace wrong {
/// These use memory that is gone. Without a sanitizer, anything may happen.
extern const std::array<traps::Play, traps::count> plays;
/// This is right as long as others only add at the end. clang-tidy would rewrite it.
stage3::Coroutine<> visit_by_index(std::vector<std::string>& urls);
} // namespace wrong

namespace mended {
/// The same without the fault.
extern const std::array<traps::Play, traps::count> plays;
/// These look like the first trap, but aren't.
stage3::Coroutine<> awaited_at_once();
stage3::Coroutine<> awaited_as_a_task();
} // namespace mended
