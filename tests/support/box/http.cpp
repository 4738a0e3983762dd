#include "tests/support/box/http.h"

#include "stage3_queue_crawler/http/response_head.h"
#include "stage3_queue_crawler/http/transfer_error.h"
#include "stage3_queue_crawler/runtime/task/wait.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace tests::box {
namespace {

using stage3::FetchError;
using stage3::ResponseHead;

/// A body of so many bytes is received even if it isn't wanted, as a Session does.
constexpr std::size_t cheap = std::size_t{128} * 1024;

/// A request that is under way, until this is gone.
class UnderWay {
  public:
    UnderWay(const VirtualTime& time, Request& request)
        : time_(time), request_(&request) {}
    UnderWay(UnderWay&& other) noexcept
        : time_(other.time_), request_(std::exchange(other.request_, nullptr)) {}
    UnderWay(const UnderWay&) = delete;
    UnderWay& operator=(const UnderWay&) = delete;
    UnderWay& operator=(UnderWay&&) = delete;
    ~UnderWay() {
        if (request_ == nullptr || request_->end)
            return;
        request_->is_given_up = true;
        end();
    }

    Time now() const { return time_.now(); }
    const Request& request() const { return *request_; }
    void answer() { request_->answered = now(); }
    void end() {
        if (!request_->end)
            request_->end = now();
    }

  private:
    const VirtualTime& time_;
    Request* request_; // nullptr: another has it
};

FetchError failure(FetchError::Kind kind, const std::string& what,
                   std::size_t received = 0) {
    FetchError error(kind, what, received);
    error.was_sent = true;
    return error;
}

/// A fetch may take so long in all, and its server may be silent for so long.
struct Limits {
    Time fetch;
    Time stall;

    /// When a client gives up that began at `begin` and has heard something at `heard`.
    Time end(Time begin, Time heard) const {
        return std::min(begin + fetch, heard + stall);
    }
    FetchError error(Time begin, Time heard, std::size_t received) const {
        const bool is_all = begin + fetch <= heard + stall;
        const auto limit = std::chrono::floor<std::chrono::milliseconds>(fetch);
        const auto silence = std::chrono::floor<std::chrono::milliseconds>(stall);
        return failure(FetchError::Kind::timed_out,
                       is_all ? "timed out after " + stage3::in_seconds(limit)
                              : "nothing has come for " + stage3::in_seconds(silence),
                       received);
    }
};

/// The head of this reply, as if it had come in lines.
ResponseHead head_of(const Reply& reply, std::size_t most_bytes) {
    ResponseHead head(most_bytes);
    const auto take = [&head](const std::string& line) {
        if (!head.take(line))
            throw failure(FetchError::Kind::bad_response, head.refusal());
    };
    take(fmt::format("HTTP/1.1 {} Made up\r\n", reply.status));
    for (const std::string& header : reply.headers)
        take(header + "\r\n");
    if (reply.has_length)
        take(fmt::format("Content-Length: {}\r\n", reply.body.size()));
    take("\r\n");
    return head;
}

/// A response whose head is there. Its body comes piece by piece.
class Exchange final : public stage3::Exchange {
  public:
    Exchange(stage3::EventLoop& loop, UnderWay under_way, ResponseHead head,
             const stage3::GetOptions& options, Limits limits, std::size_t max_body)
        : loop_(loop), under_way_(std::move(under_way)), head_(std::move(head)),
          limits_(limits), max_body_(max_body), only_head_(options.only_head),
          is_wanted_(!options.wants_body || options.wants_body(head_)),
          heard_(*request().answered), complete_(loop) {
        if (!is_wanted_)
            do_without_body();
        if (only_head_)
            end();
        else
            go_on();
    }
    Exchange(const Exchange&) = delete;
    Exchange& operator=(const Exchange&) = delete;
    ~Exchange() override { timer_.cancel(); }

    const ResponseHead& head() const override { return head_; }
    bool is_wanted() const override { return is_wanted_; }
    const stage3::Future<>& complete() const override { return complete_; }
    const std::string& body() const override { return body_; }
    std::string take_body() override { return std::move(body_); }

    stage3::Future<> beginning(std::size_t bytes) override {
        if (complete_.done())
            return complete_;
        beginning_size_ = bytes;
        beginning_.emplace(loop_);
        if (body_.size() >= bytes)
            beginning_->set_result();
        return *beginning_;
    }

    bool do_without_body() override {
        const auto length = head_.body_length();
        most_unwanted_ = cheap;
        if (only_head_ || length.value_or(cheap + 1) <= cheap)
            return true;
        most_unwanted_ = length ? 0 : cheap;
        return body_.size() <= most_unwanted_ && !length;
    }

  private:
    const Request& request() const { return under_way_.request(); }
    const Reply& reply() const { return request().reply; }
    std::size_t pieces() const { return std::max<std::size_t>(reply().pieces, 1); }
    /// How much of the body ever comes.
    std::size_t size() const {
        const bool breaks = reply().fault == Fault::cut || reply().fault == Fault::stuck;
        return breaks ? reply().body.size() / 2 : reply().body.size();
    }

    /// Takes what is there, and waits for what comes next.
    void go_on() {
        while (!complete_.done()) {
            const auto next = static_cast<Time::rep>(taken_ + 1);
            const auto all = static_cast<Time::rep>(pieces());
            const Time comes = *request().answered + reply().until_body * next / all;
            const Time patience = limits_.end(request().begin, heard_);
            const bool is_stuck = taken_ == pieces() && reply().fault == Fault::stuck;
            if (is_stuck || (taken_ < pieces() && comes > patience)) {
                at(patience, [this] {
                    fail(limits_.error(request().begin, heard_, body_.size()));
                });
                return;
            }
            if (taken_ < pieces() && comes > under_way_.now()) {
                at(comes, [this] { go_on(); });
                return;
            }
            if (taken_ < pieces())
                take_piece();
            else if (reply().fault == Fault::cut)
                fail(failure(FetchError::Kind::network,
                             "the connection was closed in the middle of the body",
                             body_.size()));
            else
                end();
        }
    }

    void take_piece() {
        const std::size_t begin = size() * taken_ / pieces();
        const std::size_t end = size() * ++taken_ / pieces();
        const std::size_t room = max_body_ - body_.size();
        body_ += reply().body.substr(begin, std::min(end - begin, room));
        heard_ = under_way_.now();
        if (beginning_ && body_.size() >= beginning_size_)
            beginning_->set_result_unless_done();
        if (end - begin > room)
            fail(failure(FetchError::Kind::too_large,
                         "body larger than " + stage3::describe_size(max_body_),
                         body_.size()));
        else if (body_.size() > most_unwanted_)
            fail(failure(FetchError::Kind::network, "the body isn't wanted",
                         body_.size()));
    }

    template <class Function>
    void at(Time when, Function function) {
        timer_ = loop_.call_later(when - under_way_.now(), std::move(function));
    }

    void end() {
        under_way_.end();
        complete_.set_result_unless_done();
        if (beginning_)
            beginning_->set_result_unless_done();
    }

    void fail(const FetchError& error) {
        under_way_.end();
        const auto exception = std::make_exception_ptr(error);
        complete_.set_exception_quietly(exception);
        if (beginning_ && !beginning_->done())
            beginning_->set_exception_quietly(exception);
    }

    stage3::EventLoop& loop_;
    UnderWay under_way_;
    const ResponseHead head_;
    const Limits limits_;
    const std::size_t max_body_;
    const bool only_head_;
    bool is_wanted_ = true;
    std::size_t most_unwanted_ = std::numeric_limits<std::size_t>::max();
    Time heard_;            // when something came
    std::size_t taken_ = 0; // pieces
    std::string body_;
    stage3::Future<> complete_;
    std::optional<stage3::Future<>> beginning_;
    std::size_t beginning_size_ = 0;
    stage3::Handle timer_;
};

} // namespace

stage3::Coroutine<stage3::Response> Http::get(common::Url url,
                                              stage3::GetOptions options) {
    const Time now = web_.time().now();
    UnderWay under_way(web_.time(), web_.begin({.begin = now,
                                                .host = std::string(url.authority()),
                                                .url = std::string(url.href()),
                                                .is_head = options.only_head,
                                                .headers = options.more_headers}));
    const Reply& reply = under_way.request().reply;
    const Limits limits{.fetch = options_.fetch_timeout, .stall = options_.stall_timeout};
    const Time patience = limits.end({}, {});
    if (reply.fault == Fault::no_descriptor)
        throw FetchError(FetchError::Kind::no_descriptor,
                         "no descriptor is left for another socket", 0);
    if (reply.fault == Fault::silence || reply.until_head > patience) {
        co_await stage3::sleep(patience);
        under_way.end();
        throw limits.error(now, now, 0);
    }
    co_await stage3::sleep(reply.until_head);
    if (reply.fault == Fault::unreachable || reply.fault == Fault::reset
        || reply.fault == Fault::garbage)
        under_way.end();
    if (reply.fault == Fault::unreachable)
        throw FetchError(FetchError::Kind::network, "connection refused", 0);
    if (reply.fault == Fault::reset)
        throw failure(FetchError::Kind::network, "connection reset");
    if (reply.fault == Fault::garbage)
        throw failure(FetchError::Kind::bad_response, "this isn't HTTP");
    under_way.answer();
    ResponseHead head = head_of(reply, options_.max_headers);
    if (options.on_head)
        options.on_head(url, head);
    const std::size_t max_body =
        options.max_body != 0 ? options.max_body : options_.max_body;
    auto exchange = std::make_shared<Exchange>(
        loop_, std::move(under_way), std::move(head), options, limits, max_body);
    co_return stage3::Response(std::move(exchange));
}

} // namespace tests::box
