// One transfer: what libcurl has said about it so far.
#pragma once

#include "stage3_queue_crawler/http/content_decoder.h"
#include "stage3_queue_crawler/http/response_head.h"
#include "stage3_queue_crawler/http/session.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace stage3 {

/// What to request, and since when it's wanted: the time limits count from then.
struct Request {
    common::Url url;
    GetOptions options;
    std::string addresses = {}; ///< of the host, for libcurl; empty: it finds them itself
    EventLoop::TimePoint begun;
};

/// "30 s".
std::string in_seconds(std::chrono::milliseconds time);

/// Ends when it's destroyed, whatever state it's in.
class Transfer final : public Exchange {
  public:
    /// Which connection may it use?
    enum class Connection : std::uint8_t {
        any,
        another, ///< not one that was kept; with HTTP/2, it may share one
        fresh,   ///< only one of its own, made now
    };

    /// Begins. `session` must outlive it, or abandon it first.
    Transfer(Session& session, const Request& request, Connection connection);
    Transfer(const Transfer&) = delete;
    Transfer& operator=(const Transfer&) = delete;
    ~Transfer() override;

    const ResponseHead& head() const override { return head_; }
    /// True if it failed because its connection, kept from an earlier transfer, was no
    /// longer usable.
    bool spoiled() const { return spoiled_; }
    std::string take_body() override { return std::move(body_); }
    const std::string& body() const override { return body_; }
    bool is_wanted() const override { return is_wanted_; }
    bool do_without_body() override;
    /// True if it has a connection, or is about to have one.
    bool has_connection() const { return reused_ || (opened_ && open_error_ == 0); }

    /// Resolved when the headers are there; fails if they never will be.
    const Future<>& headers_complete() const { return headers_complete_; }
    const Future<>& complete() const override { return complete_; }
    Future<> beginning(std::size_t bytes) override;

    /// For the session, when libcurl is done with it.
    void end(CURLcode result);
    /// For the session, when it ends.
    void abandon();

  private:
    static Easy make_easy(const SessionOptions& options);
    static std::size_t on_header(char* bytes, std::size_t size, std::size_t count,
                                 void* transfer) noexcept;
    static std::size_t on_body(char* bytes, std::size_t size, std::size_t count,
                               void* transfer) noexcept;
    static curl_socket_t on_open(void* transfer, curlsocktype purpose,
                                 curl_sockaddr* address) noexcept;
    static int on_request(void* transfer, char* their_address, char* our_address,
                          int their_port, int our_port) noexcept;
    std::size_t promised_body() const;
    bool may_connect(const sockaddr& address) noexcept;
    bool take_header(std::string_view line);
    bool unpack(std::string_view part);
    bool take_body_part(std::string_view part);
    void fail(const std::exception_ptr& failure);
    std::string words(CURLcode result) const;
    FetchError error(CURLcode result) const;
    FetchError error_anywhere(CURLcode result) const;
    std::string fault_of_proxy(CURLcode result) const;
    bool has_handshake() const;
    bool is_fault_of_our_certificate(CURLcode result) const;
    bool uses_proxy() const;
    void note_version();

    Session* session_;
    StringList addresses_;
    StringList headers_; // if this request has some of its own
    Easy easy_;
    std::array<char, CURL_ERROR_SIZE> message_{};
    const std::function<bool(const ResponseHead&)> wants_body_;
    const std::size_t max_body_;
    const common::Url url_;
    const bool encrypted_;
    const bool shows_certificate_;
    const bool only_head_;
    const bool only_public_;
    const std::optional<Proxy> proxy_; // unless no_proxy exempts the host
    ResponseHead head_;
    const std::chrono::milliseconds time_left_; // for the whole fetch
    bool opened_ = false;                       // a socket of its own
    int opened_port_ = 0;                       // where that leads
    bool connected_ = false;                    // the request may go out
    bool reused_ = false;  // the connection was kept from an earlier one
    bool spoiled_ = false; // see above
    bool in_body_ = false;
    bool body_too_large_ = false;
    bool body_broken_ = false;
    bool is_wanted_ = true;
    std::size_t enough_ = std::string::npos; // of the body
    bool no_memory_ = false;                 // for what arrived
    bool is_refused_by_proxy_ = false;
    int open_error_ = 0;    // an errno: why there is no socket
    std::string objection_; // to an address
    ContentDecoder decoder_;
    std::string body_;
    Future<> headers_complete_;
    Future<> complete_;
    std::optional<Future<>> beginning_;
    std::size_t beginning_size_ = 0;
};

} // namespace stage3
