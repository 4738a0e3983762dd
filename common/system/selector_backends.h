// The back ends of common/system/selector.h, each in its own file. Only selector.cpp and
// those files include this; all other code calls `make_selector`.
//
// This table is the only list of them: the names to choose from, the messages and the
// programs' help come from here. So another back end takes three things: a file for it,
// two lines here, and its file's name in common/meson.build. Page 02 of the book.
#pragma once

#include "common/system/selector.h"

#include <array>
#include <memory>
#include <string_view>

namespace common {

std::unique_ptr<Selector> make_select_selector();
std::unique_ptr<Selector> make_poll_selector();
#ifdef __linux__
std::unique_ptr<Selector> make_epoll_selector();
#endif

/// A back end: its name, and how to make one.
struct SelectorBackend {
    std::string_view name;
    std::unique_ptr<Selector> (*make)();
};

/// Those that this system has, best first.
inline constexpr auto selector_backends = std::to_array<SelectorBackend>({
#ifdef __linux__
    {"epoll", &make_epoll_selector},
#endif
    {"poll", &make_poll_selector},
    {"select", &make_select_selector},
});

} // namespace common
