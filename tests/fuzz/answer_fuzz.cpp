// What must hold for whatever a server answers to stage 3. Here a server in the same loop
// sends the answer, and libcurl reads it. Whatever it is, there is a response or a
// FetchError, and Retry-After never makes us wait for a negative time or for too long.
// The input is a byte that says how often it was tried, and then the answer.
#include "stage3_queue_crawler/crawler/retry.h"
#include "stage3_queue_crawler/http/session.h"
#include "stage3_queue_crawler/runtime/net/listener.h"
#include "stage3_queue_crawler/runtime/task/run.h"
#include "stage3_queue_crawler/runtime/task/wait.h"
#include "tests/fuzz/fuzz.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace {

using namespace std::chrono_literals;
using stage3::Coroutine;
using stage3::RetryPolicy;
using tests::require;

constexpr int max_tries = 100;
constexpr std::size_t max_body = 20;
constexpr std::chrono::seconds longest_wait{60};

void check_wait(std::optional<RetryPolicy::Duration> wait, int tries) {
    require(!wait || tries < max_tries, "there are no more tries than allowed");
    require(!wait || *wait > 0s, "every wait is longer than zero");
    require(!wait || *wait <= longest_wait, "no wait is too long");
}

/// One for all inputs: the side that closes a connection keeps its port for a minute, so
/// with a new port each time there would soon be none left on the whole machine.
stage3::Listener& listener() {
    static stage3::Listener one(common::resolve("127.0.0.1", 0).front());
    return one;
}

/// Gives that answer to every client, endlessly.
Coroutine<> serve(std::string_view bytes) {
    for (;;) {
        common::Socket socket = co_await listener().accept();
        stage3::Stream stream(stage3::running_loop(), std::move(socket));
        try {
            co_await stream.read_until("\r\n\r\n");
            stream.write(std::string(bytes));
            co_await stream.flush();
        } catch (const stage3::EndOfStream&) {
            continue; // the client has gone: it has seen enough
        } catch (const std::system_error&) {
            continue;
        }
    }
}

/// Fetches the answer once and checks the outcome.
Coroutine<> fetch(stage3::Session& session, common::Url url, int tries) {
    RetryPolicy policy({.max_tries = max_tries, .longest_wait = longest_wait}, 1);
    try {
        stage3::Response response = co_await session.get(std::move(url));
        const int status = response.status();
        require(status >= 100 && status <= 999, "a status has three digits");
        const std::chrono::seconds asked = response.retry_after();
        require(asked >= 0s, "Retry-After is never negative");
        const bool refused = RetryPolicy::is_refusal(status, asked);
        const auto wait = policy.after(status, asked, {.tries = tries});
        check_wait(wait, refused ? 1 : tries);
        require(!wait || (RetryPolicy::may_pass(status) && *wait >= asked),
                "a server gets the pause that it asks for");
        require(wait || !RetryPolicy::may_pass(status) || (tries >= max_tries && !refused)
                    || asked > longest_wait,
                "a failure that may pass is tried again");
        const std::string body = co_await response.read();
        require(body.size() <= max_body, "no body is too large");
    } catch (const stage3::FetchError& error) {
        const std::string_view text = error.what();
        require(!text.empty(), "an error says something");
        require(error.kind != stage3::FetchError::Kind::timed_out, "no fetch times out");
        check_wait(policy.after(error, tries), tries);
    }
}

Coroutine<> serve_and_fetch(std::string_view bytes, int tries) {
    auto server = stage3::create_task(serve(bytes));
    const std::string url = fmt::format("http://127.0.0.1:{}/", listener().port());
    stage3::SessionOptions options;
    options.max_body = max_body;
    stage3::Session session(stage3::running_loop(), options);
    co_await fetch(session, *common::parse_url(url), tries);
    server.cancel();
}

} // namespace

void tests::fuzz(std::string_view input) {
    if (input.empty())
        return;
    const int tries = 1 + static_cast<unsigned char>(input[0]) % (2 * max_tries);
    stage3::run(serve_and_fetch(input.substr(1), tries));
}
