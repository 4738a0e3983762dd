// A client for the tests: it sends exactly what a test wants to send and waits for the
// answer, but not forever.
#pragma once

#include "common/system/socket.h"
#include "common/web/http_response.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace practice_site {

class Client {
  public:
    /// Connects. `origin` as in Request. This and all below throw std::runtime_error if
    /// nothing happens for 20 seconds, std::system_error if the connection fails.
    explicit Client(std::string_view origin);

    void send(std::string_view bytes);
    /// Sends what there is room for, and returns how much.
    std::size_t send_some(std::string_view bytes);
    /// False if no room to send comes free within a quarter of a second.
    bool has_room() const;
    /// Announces that nothing more will be sent.
    void finish_sending();

    /// The next whole response, or as much of it as comes before the server hangs up.
    common::HttpResponse receive();
    /// All that comes before the server hangs up.
    std::string receive_all();
    /// The headers of the next response, with the empty line; for a HEAD, that is all.
    std::string receive_headers();
    /// At most this many bytes of what comes next; none if the server has hung up.
    std::string receive_some(std::size_t most);

  private:
    bool fill(); // false at the end

    common::Socket socket_;
    std::string received_;
};

/// A GET in HTTP/1.1.
std::string get(std::string_view target, std::string_view headers = {});

} // namespace practice_site
