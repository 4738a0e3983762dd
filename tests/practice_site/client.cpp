#include "tests/practice_site/client.h"

#include <fmt/core.h>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <vector>

#include <poll.h>

namespace practice_site {
namespace {

void wait_for(const common::Socket& socket, short events) {
    pollfd entry{socket.fd(), events, 0};
    if (::poll(&entry, 1, 20'000) <= 0)
        throw std::runtime_error("client: nothing happened for 20 seconds");
}

/// The length, with its headers, of the response that begins with `bytes`: if they are
/// all there, and if their Content-Length, or the status, says it.
std::optional<std::size_t> length_of(std::string_view bytes) {
    constexpr std::string_view end = "\r\n\r\n";
    const auto found = bytes.find(end);
    if (found == std::string_view::npos)
        return std::nullopt;
    const std::size_t head = found + end.size();
    const auto response = common::split_http_response(bytes.substr(0, head));
    if (response.status == 204 || response.status == 304)
        return head;
    if (!response.header("Transfer-Encoding").empty())
        return std::nullopt; // chunks have no length in advance
    const std::string_view length = response.header("Content-Length");
    std::size_t body = 0;
    const std::errc error =
        std::from_chars(length.data(), length.data() + length.size(), body).ec;
    return error == std::errc{} ? std::optional(head + body) : std::nullopt;
}

} // namespace

Client::Client(std::string_view origin) {
    const std::string_view authority = origin.substr(origin.find("//") + 2);
    const auto colon = authority.rfind(':');
    std::uint16_t port = 0;
    std::from_chars(authority.data() + colon + 1, authority.data() + authority.size(),
                    port);
    const auto addresses = common::resolve(std::string(authority.substr(0, colon)), port);
    std::error_code error;
    socket_ = common::Socket::open(addresses.front().family(), error);
    if (!error)
        error = socket_.connect(addresses.front());
    if (error == std::errc::operation_in_progress) {
        wait_for(socket_, POLLOUT);
        error = socket_.error();
    }
    if (error)
        throw std::system_error(error, "client: connect");
}

void Client::send(std::string_view bytes) {
    while (!bytes.empty()) {
        const std::size_t sent = send_some(bytes);
        bytes.remove_prefix(sent);
        if (sent == 0)
            wait_for(socket_, POLLOUT);
    }
}

std::size_t Client::send_some(std::string_view bytes) {
    std::error_code error;
    const std::size_t sent = socket_.send(bytes, error);
    if (error && error != std::errc::operation_would_block)
        throw std::system_error(error, "client: send");
    return sent;
}

bool Client::has_room() const {
    pollfd entry{socket_.fd(), POLLOUT, 0};
    return ::poll(&entry, 1, 250) > 0;
}

void Client::finish_sending() { ::shutdown(socket_.fd(), SHUT_WR); }

bool Client::fill() {
    std::string chunk(std::size_t{64} * 1024, '\0');
    std::error_code error;
    wait_for(socket_, POLLIN);
    chunk.resize(socket_.receive(chunk, error));
    if (error)
        throw std::system_error(error, "client: receive");
    received_ += chunk;
    return !chunk.empty();
}

common::HttpResponse Client::receive() {
    auto length = length_of(received_);
    while (!length || received_.size() < *length) {
        if (!fill())
            break;
        length = length_of(received_);
    }
    const std::size_t size =
        std::min(length.value_or(received_.size()), received_.size());
    std::string response = received_.substr(0, size);
    received_.erase(0, size);
    return common::split_http_response(std::move(response));
}

std::string Client::receive_all() {
    while (fill()) {
    }
    return std::exchange(received_, {});
}

std::string Client::receive_headers() {
    while (received_.find("\r\n\r\n") == std::string::npos && fill()) {
    }
    const auto end = std::min(received_.find("\r\n\r\n"), received_.size() - 4) + 4;
    std::string headers = received_.substr(0, end);
    received_.erase(0, end);
    return headers;
}

std::string Client::receive_some(std::size_t most) {
    if (received_.empty())
        fill();
    std::string some = received_.substr(0, most);
    received_.erase(0, some.size());
    return some;
}

std::string get(std::string_view target, std::string_view headers) {
    return fmt::format("GET {} HTTP/1.1\r\nHost: test\r\n{}\r\n", target, headers);
}

} // namespace practice_site
