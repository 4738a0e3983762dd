// A server sends more than it announced. What becomes of the rest?
//
//     liar
//
// Two pages are fetched from such a server: by libcurl alone, and by our session. Page 23
// of the book.
#include "stage3_queue_crawler/http/session.h"
#include "stage3_queue_crawler/runtime/task/run.h"
#include "stage3_queue_crawler/runtime/task/wait.h"
#include "tests/support/scripted_server.h"

#include <curl/curl.h>
#include <fmt/core.h>

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <thread>

using namespace std::chrono_literals;
using stage3::Coroutine;
using tests::KeepOpen;
using tests::Pause;
using tests::ScriptedServer;
using tests::Send;

namespace {

constexpr auto a_moment = 300ms; // until the rest has arrived, even on a busy machine

// [lie]
std::string response(std::string_view body) {
    return fmt::format("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{}", body.size(),
                       body);
}

void write_script(ScriptedServer& server) {
    server.on("/lie", {Send{response("the first page")}, Pause{100ms},
                       Send{response("a page without a request")}, KeepOpen{}});
    server.on("/next", {Send{response("the next page")}, KeepOpen{}});
}
// [/lie]

void say(std::string_view path, const std::string& body, const ScriptedServer& server) {
    fmt::print("  GET {:<5}  {:<34} on connection {}\n", path, '"' + body + '"',
               server.connections());
}

std::size_t take(char* bytes, std::size_t size, std::size_t count, void* body) {
    static_cast<std::string*>(body)->append(bytes, size * count);
    return size * count;
}

void with_libcurl() {
    ScriptedServer server;
    write_script(server);
    CURL* const easy = curl_easy_init();
    for (const char* const path : {"/lie", "/next"}) {
        std::string body;
        curl_easy_setopt(easy, CURLOPT_URL, server.url(path).c_str());
        curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &take);
        curl_easy_setopt(easy, CURLOPT_WRITEDATA, &body);
        curl_easy_perform(easy);
        say(path, body, server);
        std::this_thread::sleep_for(a_moment);
    }
    curl_easy_cleanup(easy);
}

Coroutine<> with_session() {
    ScriptedServer server;
    write_script(server);
    stage3::Session session(stage3::running_loop());
    for (const char* const path : {"/lie", "/next"}) {
        const common::Url url = common::parse_url(server.url(path)).value();
        stage3::Response response = co_await session.get(url);
        const std::string body = co_await response.read();
        say(path, body, server);
        co_await stage3::sleep(a_moment);
    }
}

} // namespace

int main() {
    try {
        fmt::print("libcurl alone:\n");
        with_libcurl();
        fmt::print("our session:\n");
        stage3::run(with_session());
        return 0;
    } catch (const std::exception& error) {
        fmt::print(stderr, "liar: {}\n", error.what());
        return 1;
    }
}
