#include "common/system/descriptors.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <system_error>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

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

void occupy_standard_descriptors() noexcept {
    // Each `open` gets the lowest number that is free.
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (::fcntl(fd, F_GETFD) < 0)
            static_cast<void>(
                ::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY));
}

bool no_descriptor_left(const std::error_code& error) noexcept {
    return error == std::errc::too_many_files_open
           || error == std::errc::too_many_files_open_in_system;
}

} // namespace common
