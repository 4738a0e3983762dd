#include "stage2_coroutines/socket_io.h"

#include <array>
#include <memory>
#include <string_view>
#include <utility>

namespace stage2 {

using common::Events;

std::string receive(common::Socket& socket, std::error_code& error) {
    std::array<char, std::size_t{64} * 1024> buffer; // not initialised: written first
    const std::size_t count = socket.receive(buffer, error);
    return {buffer.data(), count};
}

Coroutine<> connect(common::EventLoop& loop, common::Socket& socket,
                    common::Address address) {
    std::error_code error = socket.connect(address);
    if (error == std::errc::operation_in_progress) {
        const auto connected = std::make_shared<Future>();
        const Watch watch(loop, socket.fd(), Events::write, "on writable",
                          [connected] { connected->set_result({}); });
        co_await connected;
        error = socket.error();
    }
    if (error)
        throw std::system_error(error);
}

Coroutine<> send_all(common::EventLoop& loop, common::Socket& socket, std::string bytes) {
    std::size_t sent = 0;
    while (sent < bytes.size()) {
        std::error_code error;
        sent += socket.send(std::string_view(bytes).substr(sent), error);
        if (error == std::errc::operation_would_block) {
            const auto writable = std::make_shared<Future>();
            const Watch watch(loop, socket.fd(), Events::write, "on writable",
                              [writable] { writable->set_result({}); });
            co_await writable;
        } else if (error) {
            throw ConnectionBroke(error, 0);
        }
    }
}

Coroutine<std::string> read(common::EventLoop& loop, common::Socket& socket) {
    const auto received = std::make_shared<Future>();
    std::error_code error;
    const Watch watch(loop, socket.fd(), Events::read, "on readable", [&, received] {
        std::string chunk = receive(socket, error);
        if (error != std::errc::operation_would_block) // else a false alarm
            received->set_result(std::move(chunk));
    });
    std::string chunk = co_await received;
    if (error)
        throw std::system_error(error);
    co_return chunk;
}

Coroutine<std::string> read_all(common::EventLoop& loop, common::Socket& socket,
                                Enough enough) {
    std::string all;
    try {
        while (!enough(all)) {
            std::string chunk = co_await read(loop, socket);
            if (chunk.empty())
                break; // the peer has finished
            if (all.empty())
                all = std::move(chunk); // usually the only one
            else
                all += chunk;
        }
    } catch (const std::system_error& error) {
        throw ConnectionBroke(error.code(), all.size());
    }
    co_return all;
}

} // namespace stage2
