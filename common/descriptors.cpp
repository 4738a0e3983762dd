#include "common/descriptors.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <system_error>

#include <sys/resource.h>

namespace common {

std::size_t allow_descriptors(std::size_t most) {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) < 0)
        throw std::system_error(errno, std::generic_category(), "getrlimit");
    const rlim_t before = limit.rlim_cur;
    limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, most);
#ifdef __APPLE__
    limit.rlim_cur = std::min<rlim_t>(limit.rlim_cur, OPEN_MAX); // man 2 setrlimit
#endif
    const bool changed = ::setrlimit(RLIMIT_NOFILE, &limit) == 0;
    return static_cast<std::size_t>(changed ? limit.rlim_cur : before);
}

bool no_descriptor_left(const std::error_code& error) noexcept {
    return error == std::errc::too_many_files_open
           || error == std::errc::too_many_files_open_in_system;
}

} // namespace common
