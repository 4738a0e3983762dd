#include "stage3_queue_crawler/crawler/output.h"

#include <cerrno>

#include <fcntl.h>
#include <poll.h>

namespace stage3 {

Output::Output(const std::string& path) {
    if (path.empty())
        return;
    file_ = common::Socket(
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    if (!file_)
        throw std::system_error(errno, std::generic_category(),
                                "can't write to '" + path + "'");
    fd_ = file_.fd();
}

void Output::write(std::string_view text) {
    while (!text.empty()) {
        const ssize_t count = ::write(fd_, text.data(), text.size());
        if (count >= 0) {
            text.remove_prefix(static_cast<std::size_t>(count));
        } else if (errno == EAGAIN) {
            // Somebody has made it non-blocking, perhaps the terminal's other user.
            pollfd full{fd_, POLLOUT, 0};
            ::poll(&full, 1, -1);
        } else if (errno != EINTR) {
            throw std::system_error(errno, std::generic_category(),
                                    "can't write results");
        }
    }
}

} // namespace stage3
