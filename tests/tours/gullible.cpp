// How far should a client believe a server?
//
//     gullible
//
// Three answers that are not what they seem: how many bytes arrive, what libcurl alone
// makes of them (with a limit of 16 MiB), and what our session makes of them. Page 19 of
// the book.
#include "stage3_queue_crawler/http/session.h"
#include "stage3_queue_crawler/runtime/task/run.h"
#include "stage3_queue_crawler/runtime/task/wait.h"
#include "tests/support/pack.h"
#include "tests/support/scripted_server.h"

#include <curl/curl.h>
#include <fmt/core.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

using stage3::Coroutine;
using tests::pack;
using tests::Reply;
using tests::ScriptedServer;
using tests::Send;

namespace {

constexpr std::size_t mebi = std::size_t{1024} * 1024;
constexpr std::size_t max_body = 16 * mebi;

/// A text of 10,000 bytes.
std::string story() {
    std::string text;
    for (int night = 1; text.size() < 10'000; ++night)
        text += fmt::format("<p>Night {}. He told her {} lies.\n", night, night * night);
    text.resize(10'000);
    return text;
}

Reply packed_html(std::string_view packed) {
    return tests::respond(200, "text/html", packed, "Content-Encoding: gzip\r\n");
}

// [answers]
void write_script(ScriptedServer& server) {
    const std::string packed = pack(story());
    server.on("/half", packed_html(packed.substr(0, packed.size() / 2)));
    server.on("/two", {Send{"HTTP/1.1 200 OK\r\n"
                            "Content-Length: 19\r\n"
                            "Content-Length: 5\r\n\r\n"
                            "<p>Once upon a time"}});
    server.on("/zeros", packed_html(pack(std::string(64 * mebi, '\0'))));
}
// [/answers]

constexpr std::array paths{"/half", "/two", "/zeros"};

std::size_t take(char* /*bytes*/, std::size_t size, std::size_t count, void* sum) {
    *static_cast<std::size_t*>(sum) += size * count;
    return size * count;
}

std::string whole(std::size_t bytes) { return fmt::format("a page of {} bytes", bytes); }

/// The outcome, and how many bytes of the body came over the wire.
std::pair<std::string, curl_off_t> with_libcurl(const std::string& url) {
    CURL* const easy = curl_easy_init();
    std::size_t bytes = 0;
    curl_off_t packed = 0;
    curl_easy_setopt(easy, CURLOPT_URL, url.c_str());
    curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "gzip");
    curl_easy_setopt(easy, CURLOPT_MAXFILESIZE, static_cast<long>(max_body));
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &take);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, &bytes);
    const CURLcode code = curl_easy_perform(easy);
    curl_easy_getinfo(easy, CURLINFO_SIZE_DOWNLOAD_T, &packed);
    curl_easy_cleanup(easy);
    return {code == CURLE_OK ? whole(bytes) : curl_easy_strerror(code), packed};
}

Coroutine<std::string> with_session(std::string url) {
    stage3::SessionOptions options;
    options.max_body = max_body;
    stage3::Session session(stage3::running_loop(), options);
    try {
        stage3::Response response = co_await session.get(*common::parse_url(url));
        const std::string body = co_await response.read();
        co_return whole(body.size());
    } catch (const stage3::FetchError& error) {
        co_return error.what();
    }
}

void compare() {
    ScriptedServer server;
    write_script(server);
    fmt::print("{:<10}{:>5}   {:<26}{}\n", "", "came", "libcurl alone", "our session");
    for (const char* const path : paths) {
        const std::string url = server.url(path);
        const auto [libcurl, came] = with_libcurl(url);
        fmt::print("{:<10}{:>5}   {:<26}{}\n", path, came, libcurl,
                   stage3::run(with_session(url)));
    }
}

} // namespace

int main() {
    try {
        compare();
        return 0;
    } catch (const std::exception& error) {
        fmt::print(stderr, "gullible: {}\n", error.what());
        return 1;
    }
}
