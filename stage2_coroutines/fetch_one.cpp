#include "stage2_coroutines/fetch_one.h"

#include "stage2_coroutines/socket_io.h"

#include <memory>
#include <system_error>
#include <utility>

namespace stage2 {

using common::Events;
using common::Socket;

Coroutine<> fetch_one(common::EventLoop& loop, common::Address address,
                      std::string request, std::string& response) {
    std::error_code error;
    Socket socket = Socket::open(address.family(), error);
    socket.limit_silence();
    if (!error)
        error = socket.connect(address);

    if (error == std::errc::operation_in_progress) {
        const auto connected = std::make_shared<Future>();
        const Watch watch(loop, socket.fd(), Events::write, "on writable",
                          [connected] { connected->set_result({}); });
        co_yield connected;
        error = socket.error();
    }
    // A request as short as ours is sent in one piece or not at all.
    if (!error)
        socket.send(request, error);

    bool server_has_closed = false;
    while (!server_has_closed && !error) {
        const auto received = std::make_shared<Future>();
        const Watch watch(loop, socket.fd(), Events::read, "on readable", [&, received] {
            std::string chunk = receive(socket, error);
            if (error != std::errc::operation_would_block) // else a false alarm
                received->set_result(std::move(chunk));
        });
        const std::string chunk = co_yield received;
        response += chunk;
        server_has_closed = chunk.empty();
    }
    if (error)
        throw std::system_error(error);
}

} // namespace stage2
