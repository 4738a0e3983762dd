// HTTP and TLS on curl multi: what libcurl wants to wait for becomes calls to our loop.
//
// The real one is http/session.h. Page 15 of the book.
#pragma once

#include "common/system/selector.h"
#include "common/text/ascii.h"
#include "common/web/http_response.h"
#include "common/web/url.h"
#include "stage3_queue_crawler/small/coroutine.h"
#include "stage3_queue_crawler/small/future.h"
#include "stage3_queue_crawler/small/loop.h"

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

namespace stage3::small {

/// Fetches pages, many at a time, over connections that it keeps. Must outlive the tasks
/// that wait in `get`.
class Session {
  public:
    explicit Session(Loop& loop)
        : loop_(loop), multi_(curl_multi_init(), &curl_multi_cleanup) {
        // [register]
        curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETFUNCTION, &Session::on_socket);
        curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETDATA, this);
        curl_multi_setopt(multi_.get(), CURLMOPT_TIMERFUNCTION, &Session::on_timer);
        curl_multi_setopt(multi_.get(), CURLMOPT_TIMERDATA, this);
        // [/register]
    }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    ~Session() { multi_.reset(); } // first, because it may still call back

    // [get]
    /// The response to a request for `url`. If it can't be fetched, its `error` says why.
    Coroutine<common::HttpResponse> get(common::Url url) {
        Transfer transfer(*this, url);
        co_await transfer.is_complete;
        co_return std::move(transfer.response);
    }
    // [/get]

  private:
    // [transfer]
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
            curl_multi_add_handle(session.multi_.get(), one);
        }
        Transfer(const Transfer&) = delete;
        Transfer& operator=(const Transfer&) = delete;
        ~Transfer() { curl_multi_remove_handle(session.multi_.get(), easy.get()); }

        Session& session;
        common::HttpResponse response;
        Future is_complete;
        std::unique_ptr<CURL, void (*)(CURL*)> easy{curl_easy_init(), &curl_easy_cleanup};
    };
    // [/transfer]

    // [notes]
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

    static std::size_t on_body(char* bytes, std::size_t /*1*/, std::size_t count,
                               void* transfer) noexcept {
        std::string& body = static_cast<Transfer*>(transfer)->response.body;
        if (body.size() + count > most_bytes)
            return 0; // which ends the transfer
        body.append(bytes, count);
        return count;
    }
    // [/notes]

    // [on-socket]
    static int on_socket(CURL* /*easy*/, curl_socket_t fd, int what, void* session,
                         void* /*known*/) noexcept {
        static_cast<Session*>(session)->watch(fd, what);
        return 0;
    }

    void watch(int fd, int what) {
        using common::Events;
        if (watched_.erase(fd) != 0)
            loop_.unwatch(fd);
        if (what == CURL_POLL_REMOVE)
            return;
        const Events read = (what & CURL_POLL_IN) != 0 ? Events::read : Events::none;
        const Events write = (what & CURL_POLL_OUT) != 0 ? Events::write : Events::none;
        loop_.watch(fd, read | write, [this, fd] { act(fd); });
        watched_.insert(fd);
    }
    // [/on-socket]

    // [on-timer]
    static int on_timer(CURLM* /*multi*/, long milliseconds, void* session) noexcept {
        auto* const self = static_cast<Session*>(session);
        self->timer_.reset();
        if (milliseconds >= 0) // else: no longer
            self->timer_.emplace(self->loop_, std::chrono::milliseconds(milliseconds),
                                 [self] { self->act(CURL_SOCKET_TIMEOUT); });
        return 0;
    }
    // [/on-timer]

    // [act]
    /// Lets libcurl do what can be done now, then takes note of what is finished.
    void act(curl_socket_t fd) {
        int left = 0;
        const auto code = curl_multi_socket_action(multi_.get(), fd, 0, &left);
        if (code != CURLM_OK)
            throw std::runtime_error(curl_multi_strerror(code));
        while (const CURLMsg* const message = curl_multi_info_read(multi_.get(), &left)) {
            Transfer* transfer = nullptr;
            long status = 0;
            curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
            curl_easy_getinfo(message->easy_handle, CURLINFO_RESPONSE_CODE, &status);
            transfer->response.status = static_cast<int>(status);
            if (message->data.result != CURLE_OK)
                transfer->response.error = curl_easy_strerror(message->data.result);
            transfer->is_complete.set_result();
        }
    }
    // [/act]

    static constexpr std::size_t most_bytes = 10'000'000; // of a page
    Loop& loop_;
    std::set<int> watched_;      // descriptors
    std::optional<Timer> timer_; // libcurl wants only one
    std::unique_ptr<CURLM, CURLMcode (*)(CURLM*)> multi_;
};

} // namespace stage3::small
