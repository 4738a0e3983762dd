// The interface between yours.cpp and test.cpp.
#pragma once

#include "common/system/selector.h"

#include <memory>

/// Makes your selector. Defined in yours.cpp.
std::unique_ptr<common::Selector> make_your_selector();
