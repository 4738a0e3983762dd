// HTTP and TLS on curl multi: what libcurl wants to wait for becomes calls to our loop.
//
// Fill in Session. What only says what to fetch, and how, is given.
#pragma once

#include "common/system/selector.h"
#include "common/text/ascii.h"
#include "common/web/http_response.h"
#include "common/web/url.h"
#include "coroutine.h"
#include "future.h"
#include "loop.h"

#include <curl/curl.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace yours {

/// Fetches pages, many at a time, over connections that it keeps. Must outlive the tasks
/// that wait in `get`.
class Session {
  public:
    explicit Session(Loop& loop)
        : loop_(loop), multi_(curl_multi_init(), &curl_multi_cleanup) {
        // Yours: have libcurl call on_socket and on_timer.
    }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    ~Session() { multi_.reset(); } // first, because it may still call back

    /// The response to a request for `url`. If it can't be fetched, nothing is thrown:
    /// its `error` says why. But if the caller is asked to end, Cancelled is thrown,
    /// because that is not a failed page; and libcurl no longer works on the request.
    Coroutine<common::HttpResponse> get(common::Url url) {
        Transfer transfer(*this, url);
        co_return common::HttpResponse(); // yours: wait for the transfer
    }

  private:
    /// One request. libcurl works on it for as long as it lives.
    struct Transfer {
        Transfer(Session& owner, const common::Url& url)
            : session(owner), is_complete(owner.loop_) {
            CURL* const one = easy.get();
            curl_easy_setopt(one, CURLOPT_URL, url.c_str());
            curl_easy_setopt(one, CURLOPT_HTTP_VERSION, long{CURL_HTTP_VERSION_1_1});
            curl_easy_setopt(one, CURLOPT_ACCEPT_ENCODING, ""); // all it knows
            curl_easy_setopt(one, CURLOPT_NOSIGNAL, 1L);        // signals are ours
            if (const char* const file = std::getenv("CURL_CA_BUNDLE"))
                curl_easy_setopt(one, CURLOPT_CAINFO, file); // else the system's
            curl_easy_setopt(one, CURLOPT_HEADERFUNCTION, &Session::on_header);
            curl_easy_setopt(one, CURLOPT_HEADERDATA, this);
            curl_easy_setopt(one, CURLOPT_WRITEFUNCTION, &Session::on_body);
            curl_easy_setopt(one, CURLOPT_WRITEDATA, this);
            curl_easy_setopt(one, CURLOPT_PRIVATE, this);
            // Yours: let libcurl begin.
        }
        Transfer(const Transfer&) = delete;
        Transfer& operator=(const Transfer&) = delete;
        ~Transfer() {
            // Yours: libcurl must know nothing of it any more.
        }

        Session& session;
        common::HttpResponse response;
        Future is_complete;
        std::unique_ptr<CURL, void (*)(CURL*)> easy{curl_easy_init(), &curl_easy_cleanup};
    };

    // Callbacks only take notes: none of them may call libcurl, which is in the middle of
    // something, and no exception may leave them.

    /// libcurl has a line of the header.
    static std::size_t on_header(char* bytes, std::size_t /*1*/, std::size_t count,
                                 void* transfer) noexcept {
        auto& headers = static_cast<Transfer*>(transfer)->response.headers;
        const std::string_view line(bytes, count);
        const std::size_t colon = line.find(':');
        if (line.starts_with("HTTP/")) // of the response, after one that was preliminary
            headers.clear();
        else if (colon != std::string_view::npos)
            headers.emplace_back(line.substr(0, colon),
                                 common::trim(line.substr(colon + 1)));
        return count;
    }

    /// libcurl has a piece of the body. Returns how much of it was taken; if that is less
    /// than all, libcurl ends the transfer with an error. That happens to a body of more
    /// than `most_bytes`.
    static std::size_t on_body(char* bytes, std::size_t /*1*/, std::size_t count,
                               void* transfer) noexcept {
        (void)bytes; // yours
        (void)transfer;
        return count;
    }

    /// libcurl wants to hear when `fd` is ready, and `what` says for what:
    /// CURL_POLL_IN, CURL_POLL_OUT, both, or CURL_POLL_REMOVE, which means no longer. A
    /// new wish for a descriptor takes the place of the one before.
    static int on_socket(CURL* /*easy*/, curl_socket_t fd, int what, void* session,
                         void* /*known*/) noexcept {
        (void)fd; // yours
        (void)what;
        (void)session;
        return 0;
    }

    /// libcurl wants to be called after this time, and no longer after the time that it
    /// said before. If it's negative, there is nothing to wait for.
    static int on_timer(CURLM* /*multi*/, long milliseconds, void* session) noexcept {
        (void)milliseconds; // yours
        (void)session;
        return 0;
    }

    /// The loop calls this when `fd` is ready, or, with CURL_SOCKET_TIMEOUT, when
    /// libcurl's time has come. Lets libcurl do what can be done now, then takes note of
    /// what is finished.
    void act(curl_socket_t fd) {
        (void)fd; // yours
    }

    static constexpr std::size_t most_bytes = 10'000'000; // of a page
    Loop& loop_;
    // What else do you keep: which descriptors are watched, and libcurl's one timer?
    std::unique_ptr<CURLM, CURLMcode (*)(CURLM*)> multi_;
};

} // namespace yours
