// A fetch as the tests of sessions see it: a body, or the reason why there is none.
#pragma once

#include "stage3_queue_crawler/http/session.h"
#include "stage3_queue_crawler/runtime/task/run.h"
#include "tests/support/prelude.h"
#include "tests/support/url.h"

namespace tests {

using Kind = stage3::FetchError::Kind;

// A coroutine owns what it takes by value.
// NOLINTBEGIN(performance-unnecessary-value-param)

struct Fetched {
    /// The body, or the reason why there is none.
    std::string words() const { return error ? error->what() : body; }
    std::optional<Kind> kind() const {
        return error ? std::optional(error->kind) : std::nullopt;
    }

    int status = 0;
    std::string body;
    std::optional<stage3::FetchError> error;
};

inline stage3::Coroutine<Fetched> fetch(stage3::Session& session, std::string url,
                                        stage3::GetOptions options) {
    Fetched outcome;
    try {
        stage3::Response response = co_await session.get(url_of(url), options);
        outcome.status = response.status();
        outcome.body = co_await response.read();
    } catch (const stage3::FetchError& error) {
        outcome.error = error;
    }
    co_return outcome;
}

/// Without options. (A default argument would be made in the expression that waits.)
inline stage3::Coroutine<Fetched> fetch(stage3::Session& session, std::string url) {
    return fetch(session, std::move(url), {});
}

inline stage3::Coroutine<std::string> words_of(stage3::Session& session,
                                               std::string url) {
    const Fetched outcome = co_await fetch(session, std::move(url));
    co_return outcome.words();
}

/// A fetch in a session and a loop of its own.
inline Fetched fetch_once(const std::string& url, stage3::SessionOptions options = {}) {
    return stage3::run(
        [](std::string from, stage3::SessionOptions with) -> stage3::Coroutine<Fetched> {
            stage3::Session session(stage3::running_loop(), std::move(with));
            Fetched outcome = co_await fetch(session, std::move(from));
            CHECK(session.in_flight() == 0);
            co_return outcome;
        }(url, std::move(options)));
}

// NOLINTEND(performance-unnecessary-value-param)

} // namespace tests
