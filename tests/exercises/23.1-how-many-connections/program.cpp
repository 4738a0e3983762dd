#include "questions.h"
#include "stage3_queue_crawler/http/session.h"
#include "stage3_queue_crawler/runtime/task/run.h"
#include "stage3_queue_crawler/runtime/task/wait.h"
#include "tests/support/scripted_server.h"

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace std::chrono_literals;
using stage3::Coroutine;
using stage3::create_task;
using stage3::Future;
using stage3::Response;
using stage3::Session;
using stage3::Task;
using tests::Hold;
using tests::KeepOpen;
using tests::Pause;
using tests::ScriptedServer;
using tests::Send;

namespace {

/// What the server answers.
void write_script(ScriptedServer& server) {
    server.on("/page",
              {Send{"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\na page"}, KeepOpen{}});
    server.on("/slow",
              {Pause{20ms}, Send{"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\na page"},
               KeepOpen{}});
    server.on("/old", {Send{"HTTP/1.1 302 Found\r\nLocation: /page\r\n"
                            "Content-Length: 0\r\n\r\n"},
                       KeepOpen{}});
    server.on("/endless",
              {Send{"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\na pa"}, Hold{}});
    server.on("/silent", {Hold{}});
    server.on("/closes", {Send{"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n"
                               "Connection: close\r\n\r\na page"}});
}

/// Gets a page, and reads it.
Coroutine<> fetch(Session& session, common::Url url) {
    Response response = co_await session.get(url);
    co_await response.read();
}

common::Url url_of(const ScriptedServer& server, const std::string& target) {
    return common::parse_url(server.url(target)).value();
}

// ---- The scenes ----

Coroutine<> in_turn(ScriptedServer& server, Session& session) {
    for (int i = 0; i < 3; ++i)
        co_await fetch(session, url_of(server, "/page"));
}

Coroutine<> at_once(ScriptedServer& server, Session& session) {
    for (int round = 0; round < 2; ++round) {
        std::vector<Future<>> both;
        for (int i = 0; i < 2; ++i)
            both.push_back(create_task(fetch(session, url_of(server, "/slow"))));
        co_await stage3::gather(std::move(both));
    }
}

Coroutine<> redirected(ScriptedServer& server, Session& session) {
    const common::Url old = url_of(server, "/old");
    Response response = co_await session.get(old);
    co_await response.read(); // it is empty
    const auto target = common::resolve_url(response.header("Location"), old);
    co_await fetch(session, target.value());
}

Coroutine<> unread(ScriptedServer& server, Session& session) {
    {
        const Response response = co_await session.get(url_of(server, "/page"));
    } // its body came together with its headers, and is dropped here unread
    co_await fetch(session, url_of(server, "/page"));
}

Coroutine<> unfinished(ScriptedServer& server, Session& session) {
    {
        const Response response = co_await session.get(url_of(server, "/endless"));
    } // its body is still on the way
    co_await fetch(session, url_of(server, "/page"));
}

Coroutine<> cancelled(ScriptedServer& server, Session& session) {
    Task<> silent = create_task(fetch(session, url_of(server, "/silent")));
    while (server.times_asked("/silent") == 0)
        co_await stage3::sleep(1ms);
    silent.cancel(); // the server has the request, and has not answered
    co_await stage3::next_turn();
    co_await fetch(session, url_of(server, "/page"));
}

Coroutine<> closed(ScriptedServer& server, Session& session) {
    for (int i = 0; i < 3; ++i)
        co_await fetch(session, url_of(server, "/closes"));
}

Coroutine<> sessions(ScriptedServer& server, Session& session) {
    co_await fetch(session, url_of(server, "/page"));
    Session another(stage3::running_loop());
    co_await fetch(another, url_of(server, "/page"));
}

// ---- Playing them ----

using Scene = Coroutine<> (*)(ScriptedServer& server, Session& session);

Coroutine<> play(Scene scene, ScriptedServer& server) {
    Session session(stage3::running_loop());
    co_await scene(server, session);
}

/// Each scene has a server and a session of its own.
int connections_in(Scene scene) {
    ScriptedServer server;
    write_script(server);
    stage3::run(play(scene, server));
    return static_cast<int>(server.connections());
}

} // namespace

Answers run_program() {
    return {.in_turn = connections_in(in_turn),
            .at_once = connections_in(at_once),
            .redirected = connections_in(redirected),
            .unread = connections_in(unread),
            .unfinished = connections_in(unfinished),
            .cancelled = connections_in(cancelled),
            .closed = connections_in(closed),
            .sessions = connections_in(sessions)};
}
