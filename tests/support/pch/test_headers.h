// For tests, the same as common/pch/headers.h for the programs.
#include "common/pch/headers.h"

#include <doctest/doctest.h>
