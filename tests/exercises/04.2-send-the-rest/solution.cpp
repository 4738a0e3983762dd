// Sends from where the last call stopped, until everything is sent or the socket takes no
// more. "Would block" is not a failure: it means that there is no room now.
#include "exercise.h"

#include <string_view>
#include <system_error>

Next on_writable(common::Socket& socket, Sending& sending) {
    std::error_code error;
    while (sending.sent < sending.request.size() && !error) {
        const auto rest = std::string_view(sending.request).substr(sending.sent);
        sending.sent += socket.send(rest, error);
    }
    if (error == std::errc::operation_would_block)
        return Next::call_again;
    return error ? Next::failed : Next::done;
}
