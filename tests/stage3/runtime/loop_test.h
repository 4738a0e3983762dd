// For tests of the runtime: the prelude, and a loop with a virtual clock.
#pragma once

#include "tests/stage3/runtime/virtual_loop.h"
#include "tests/support/prelude.h"
