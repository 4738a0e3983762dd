#include "stage3_queue_crawler/small/fetch.h"

#include "common/system/socket.h"
#include "stage3_queue_crawler/small/socket_io.h"

#include <exception>
#include <string>

namespace stage3::small {
namespace {

// [fetch-bytes]
Coroutine<std::string> fetch_bytes(EventLoop& loop, const common::Url& url) {
    common::Socket socket = co_await connect(loop, url);
    co_await send(loop, socket, common::http_get_request(url.authority(), url.target()));
    std::string response;
    while (true) {
        const std::string chunk = co_await receive(loop, socket);
        if (chunk.empty()) // the server has closed: that's all
            co_return response;
        response += chunk;
    }
}
// [/fetch-bytes]

} // namespace

// [fetch]
Coroutine<common::HttpResponse> fetch(EventLoop& loop, common::Url url) {
    common::HttpResponse response;
    try {
        const std::string bytes = co_await fetch_bytes(loop, url);
        response = common::split_http_response(bytes);
    } catch (const std::exception& error) {
        response.error = error.what();
    }
    co_return response;
}
// [/fetch]

} // namespace stage3::small
