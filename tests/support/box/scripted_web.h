// A web in a box whose servers do as they are told: what tests::ScriptedServer is with
// sockets and in real time.
#pragma once

#include "tests/support/box/web.h"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tests::box {

/// A whole response. `headers` are further ones, "Name: value".
Reply respond(int status, std::string_view content_type, std::string_view body,
              std::vector<std::string> headers = {});

/// A robots.txt with this text.
inline Reply robots(std::string_view text) { return respond(200, "text/plain", text); }
/// 200, a page of HTML.
Reply html(std::string_view body);
/// 200, a page with these links.
Reply page(const std::vector<std::string>& links);
/// A redirect to `location`, which is sent as it is.
Reply redirect_to(std::string_view location, int status = 302);
/// A failure, after some milliseconds.
Reply fail(Fault fault);

class Server;

using Times = std::vector<Time>;

/// Servers, by their hosts. All others are unreachable.
class ScriptedWeb final : public Web {
  public:
    Reply answer(const Request& request) override;

  private:
    friend class Server;
    std::map<std::string, Server*, std::less<>> servers_; // by host
};

/// One server. It must outlive the crawl.
class Server {
  public:
    /// Its name is "server1.test", "server2.test" and so on; or `host`, perhaps with a
    /// port.
    explicit Server(ScriptedWeb& web, std::string host = "");
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;
    ~Server();

    /// Requests for `target` get these replies in turn, the last one again and again. Any
    /// other request gets 404.
    void on(const std::string& target, std::vector<Reply> replies);
    void on(const std::string& target, Reply reply) {
        on(target, std::vector<Reply>{std::move(reply)});
    }
    /// The same reply for each of these.
    void on_each(const std::vector<std::string>& targets, const Reply& reply);
    /// The same for HEAD. Without this, a HEAD takes the next of the replies to a GET.
    void on_head(const std::string& target, std::vector<Reply> replies);

    const std::string& host() const { return host_; }
    /// The absolute URL of a target.
    std::string url(std::string_view target = "/") const;

    /// The requests to this server so far, in their order.
    std::vector<Request> requests() const;
    /// When they began: all, or those for this target.
    Times begins() const;
    Times begins(std::string_view target) const;
    std::size_t times_asked(std::string_view target) const;
    /// The most requests that were under way at the same moment.
    std::size_t most_at_once() const;
    /// The shortest time from the begin of a request to the begin of the next; without
    /// two requests, `VirtualTime::longest`.
    Time shortest_pause() const;

  private:
    friend class ScriptedWeb;
    struct Script {
        std::vector<Reply> replies;
        std::size_t next = 0;
    };
    Reply answer(const Request& request);

    ScriptedWeb& web_;
    const std::string host_;
    std::map<std::string, Script, std::less<>> scripts_; // by target
    std::map<std::string, Script, std::less<>> head_scripts_;
};

} // namespace tests::box
