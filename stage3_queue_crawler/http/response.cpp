#include "stage3_queue_crawler/http/response_head.h"
#include "stage3_queue_crawler/http/session.h"
#include "stage3_queue_crawler/runtime/task/wait.h"

#include <vector>

namespace stage3 {
namespace {

/// The end of a body that isn't wanted isn't waited for any longer.
constexpr std::chrono::seconds patience(1);

} // namespace

int Response::status() const { return exchange_->head().status(); }

bool Response::is_wanted() const { return exchange_->is_wanted(); }

std::string_view Response::header(std::string_view name) const {
    return exchange_->head().header(name);
}

std::chrono::seconds Response::retry_after() const {
    return exchange_->head().retry_after(std::chrono::system_clock::now());
}

Coroutine<std::string> Response::read() {
    const std::shared_ptr<Exchange> exchange = exchange_; // may outlive the response
    co_await exchange->complete();
    co_return exchange->take_body();
}

Coroutine<std::string> Response::read_beginning() {
    const std::shared_ptr<Exchange> exchange = exchange_;
    try {
        co_await exchange->complete();
    } catch (const FetchError& error) {
        if (error.kind != FetchError::Kind::too_large)
            throw;
    }
    co_return exchange->take_body();
}

Coroutine<std::string_view> Response::beginning(std::size_t bytes) {
    const std::shared_ptr<Exchange> exchange = exchange_;
    if (exchange->body().size() < bytes)
        co_await exchange->beginning(bytes);
    co_return exchange->body();
}

Coroutine<std::size_t> Response::skip() {
    const std::shared_ptr<Exchange> exchange = exchange_;
    if (exchange->do_without_body() && !exchange->complete().done()) {
        const std::vector<Future<>> end(1, exchange->complete());
        co_await wait(end, patience);
    }
    co_return exchange->body().size();
}

} // namespace stage3
