#include "stage3_queue_crawler/crawler/accounted_http.h"

#include "stage3_queue_crawler/crawler/host.h"
#include "stage3_queue_crawler/crawler/retry.h"

#include <optional>
#include <string>
#include <utility>

namespace stage3 {
namespace {

using Place = TimeAccount::Place;

/// A request that is under way, at one place after the other.
class UnderWay {
  public:
    UnderWay(TimeAccount& account, TimeAccount::Host& host, bool is_foreign)
        : account_(account), host_(host), is_foreign_(is_foreign) {
        enter();
    }
    UnderWay(const UnderWay&) = delete;
    UnderWay& operator=(const UnderWay&) = delete;
    ~UnderWay() { leave(); }

    TimeAccount& account() const { return account_; }
    TimeAccount::Host& host() const { return host_; }
    void receive() {
        leave();
        place_ = Place::receiving;
        enter();
    }

  private:
    void enter() {
        is_foreign_ ? account_.enter_foreign(host_, place_)
                    : account_.enter(host_, place_);
    }
    void leave() {
        is_foreign_ ? account_.leave_foreign(host_, place_)
                    : account_.leave(host_, place_);
    }

    TimeAccount& account_;
    TimeAccount::Host& host_;
    const bool is_foreign_;
    Place place_ = Place::asking;
};

/// Another exchange, whose body is counted when this ends.
class AccountedExchange final : public Exchange {
  public:
    AccountedExchange(std::shared_ptr<Exchange> exchange, std::unique_ptr<UnderWay> way)
        : exchange_(std::move(exchange)), way_(std::move(way)),
          is_wanted_(exchange_->is_wanted()) {}
    AccountedExchange(const AccountedExchange&) = delete;
    AccountedExchange& operator=(const AccountedExchange&) = delete;
    ~AccountedExchange() override { // NOLINT(bugprone-exception-escape): counts only
        TimeAccount& account = way_->account();
        account.count_bytes(way_->host(), taken_ + exchange_->body().size());
        if (const auto error = failure())
            account.count_failure(way_->host(), *error);
    }

    const ResponseHead& head() const override { return exchange_->head(); }
    bool is_wanted() const override { return exchange_->is_wanted(); }
    const Future<>& complete() const override { return exchange_->complete(); }
    Future<> beginning(std::size_t bytes) override { return exchange_->beginning(bytes); }
    const std::string& body() const override { return exchange_->body(); }
    std::string take_body() override {
        std::string body = exchange_->take_body();
        taken_ += body.size();
        return body;
    }
    bool do_without_body() override {
        is_wanted_ = false;
        return exchange_->do_without_body();
    }

  private:
    /// Why a body isn't whole; nothing if it is, or if that doesn't matter.
    std::optional<FetchError> failure() const {
        const Future<>& complete = exchange_->complete();
        if (!is_wanted_ || !complete.done() || complete.cancelled()
            || !complete.has_failed())
            return std::nullopt;
        try {
            std::rethrow_exception(complete.exception());
        } catch (const FetchError& error) {
            return error;
        } catch (...) { // it's no failure of the transport
            return std::nullopt;
        }
    }

    const std::shared_ptr<Exchange> exchange_;
    const std::unique_ptr<UnderWay> way_;
    std::size_t taken_ = 0;
    bool is_wanted_;
};

class AccountedHttp final : public Http {
  public:
    AccountedHttp(EventLoop& loop, std::unique_ptr<Http> behind, TimeAccount& account)
        : loop_(loop), behind_(std::move(behind)), account_(account) {}

    bool is_busy() const override { return behind_->is_busy(); }

    Coroutine<Response> get(common::Url url, GetOptions options) override {
        TimeAccount::Host& host = account_.host(host_of(url));
        account_.count_request(host);
        auto way = std::make_unique<UnderWay>(account_, host, options.only_public);
        const EventLoop::TimePoint begun = loop_.time();
        share_privacy();
        try {
            const Response response =
                co_await behind_->get(std::move(url), std::move(options));
            share_privacy();
            account_.count_answer(
                host, loop_.time() - begun,
                RetryPolicy::is_refusal(response.status(), response.retry_after()));
            way->receive();
            auto exchange =
                std::make_shared<AccountedExchange>(response.exchange(), std::move(way));
            co_return Response(std::move(exchange));
        } catch (const FetchError& error) {
            account_.count_failure(host, error);
            throw;
        }
    }

  private:
    /// What one of them has found out, both know.
    void share_privacy() {
        if (may_be_private())
            behind_->allow_private();
        else if (behind_->may_be_private())
            allow_private();
    }

    EventLoop& loop_;
    const std::unique_ptr<Http> behind_;
    TimeAccount& account_;
};

} // namespace

OpenHttp with_account(OpenHttp open, TimeAccount& account) {
    return [open = std::move(open), &account](EventLoop& loop,
                                              const SessionOptions& options) {
        return std::make_unique<AccountedHttp>(loop, open(loop, options), account);
    };
}

} // namespace stage3
