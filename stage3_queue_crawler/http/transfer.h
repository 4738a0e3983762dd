// One transfer: what libcurl has said about it so far.
//
// libcurl calls back in the middle of its work, so the callbacks only take notes: how far
// it has come, on which connection, what is wrong. When it ends, transfer_error says what
// the notes mean. Pages 15 and 23 of the book.
#pragma once

#include "stage3_queue_crawler/http/content_decoder.h"
#include "stage3_queue_crawler/http/request.h"
#include "stage3_queue_crawler/http/response_head.h"
#include "stage3_queue_crawler/http/session.h"
#include "stage3_queue_crawler/http/transfer_error.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace stage3 {

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
    bool spoiled() const { return reuse_ == Reuse::spoiled; }
    std::string take_body() override { return std::move(body_); }
    const std::string& body() const override { return body_; }
    bool is_wanted() const override { return is_wanted_; }
    bool do_without_body() override;
    /// True if it has a connection, or is about to have one.
    bool has_connection() const {
        return reuse_ != Reuse::none || (opened_port_ && open_error_ == 0);
    }

    /// Resolved when the headers are there; fails if they never will be.
    const Future<>& headers_complete() const { return headers_complete_; }
    const Future<>& complete() const override { return complete_; }
    Future<> beginning(std::size_t bytes) override;

    /// For the session, when libcurl is done with it.
    void end(CURLcode result);
    /// For the session, when it ends.
    void abandon();

  private:
    using Stage = TransferStage;
    /// Was its connection kept from an earlier transfer?
    enum class Reuse : std::uint8_t {
        none,
        kept,
        spoiled, ///< it was, and was no longer usable
    };

    void set_url();
    void choose_connection(Connection connection);
    void set_callbacks();
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
    FailedTransfer failed(CURLcode result) const;
    bool has_handshake() const;
    bool uses_proxy() const;
    void note_version();

    Session* session_;
    RequestLists lists_;
    Easy easy_;
    std::array<char, CURL_ERROR_SIZE> message_{};
    const std::function<bool(const ResponseHead&)> wants_body_;
    const std::function<void(const common::Url&, const ResponseHead&)> on_head_;
    const std::size_t max_body_;
    const common::Url url_;
    const bool encrypted_;
    const bool shows_certificate_;
    const bool only_head_;
    const bool only_public_;
    const std::optional<Proxy> proxy_;          // unless no_proxy exempts the host
    const std::chrono::milliseconds time_left_; // for the whole fetch

    // What libcurl has said.
    Stage stage_ = Stage::connecting;
    Reuse reuse_ = Reuse::none;
    std::optional<int> opened_port_; // where a socket of its own leads
    int open_error_ = 0;             // an errno: why there is no socket
    std::string objection_;          // to an address
    ResponseHead head_;
    ContentDecoder decoder_;
    ContentDecoder::Verdict verdict_ = ContentDecoder::Verdict::fine; // on the body
    std::string body_;
    bool no_memory_ = false; // for what arrived

    // What is wanted of the body.
    bool is_wanted_ = true;
    std::size_t enough_ = std::string::npos;
    Future<> headers_complete_;
    Future<> complete_;
    std::optional<Future<>> beginning_;
    std::size_t beginning_size_ = 0;
};

} // namespace stage3
