#include "stage3_queue_crawler/runtime/executor/executor.h"

#include <utility>

namespace stage3 {

Coroutine<std::vector<common::Address>> getaddrinfo(std::string host,
                                                    std::uint16_t port) {
    auto addresses = run_in_executor(running_loop(), [host = std::move(host), port] {
        return common::resolve(host, port);
    });
    co_return co_await std::move(addresses);
}

} // namespace stage3
