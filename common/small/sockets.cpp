#include "common/small/sockets.h"

#include "common/web/http_response.h"

#include <array>
#include <system_error>

namespace small {
namespace {

void check(const std::error_code& error, const char* what) {
    if (error)
        throw std::system_error(error, what);
}

} // namespace

common::Socket begin_to_connect(const common::Url& url) {
    const auto address = common::resolve(std::string(url.host()), url.port()).front();
    std::error_code error;
    common::Socket socket = common::Socket::open(address.family(), error);
    check(error, "socket");
    socket.limit_silence();
    error = socket.connect(address);
    if (error != std::errc::operation_in_progress) // which means that all is well
        check(error, "connect");
    return socket;
}

void send_request(common::Socket& socket, const common::Url& url) {
    check(socket.error(), "connect");
    const std::string request = common::http_get_request(url.authority(), url.target());
    std::error_code error;
    if (socket.send(request, error) < request.size() && !error)
        error = std::make_error_code(std::errc::operation_would_block);
    check(error, "send");
}

std::optional<std::string> receive(common::Socket& socket) {
    std::array<char, 4096> chunk;
    std::error_code error;
    const std::size_t count = socket.receive(chunk, error);
    if (error == std::errc::operation_would_block)
        return std::nullopt;
    check(error, "receive");
    return std::string(chunk.data(), count);
}

} // namespace small
