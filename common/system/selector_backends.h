// The three back ends of common/system/selector.h, each in its own file. Only
// selector.cpp includes this; all other code calls `make_selector`.
#pragma once

#include "common/system/selector.h"

#include <memory>

namespace common {

std::unique_ptr<Selector> make_select_selector();
std::unique_ptr<Selector> make_poll_selector();
#ifdef __linux__
std::unique_ptr<Selector> make_epoll_selector();
#endif

} // namespace common
