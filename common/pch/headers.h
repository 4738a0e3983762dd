// The headers that nearly every file includes, compiled once for each library and not
// once for each of its files: that is half the time of a build. A file still includes all
// that it uses. (The build with -Db_pch=false, one of CI's, fails if it doesn't.)
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
