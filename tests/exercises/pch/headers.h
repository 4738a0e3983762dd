// The headers that nearly every exercise includes, compiled once, because an answer is
// compiled again whenever its author saves. An exercise still includes everything it
// uses.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>
