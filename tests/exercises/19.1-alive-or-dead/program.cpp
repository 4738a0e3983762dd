#include "questions.h"
#include "stage3_queue_crawler/crawler/crawler.h"
#include "stage3_queue_crawler/runtime/task/run.h"
#include "tests/support/scripted_server.h"

#include <fmt/core.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace std::string_view_literals;
using stage3::Record;
using tests::ScriptedServer;

/// What the server sends for each path, before it closes the connection.
const std::map<std::string, std::string_view> answers{
    {"/empty", "HTTP/1.1 204 No Content\r\n"
               "\r\n"},
    {"/gone", "HTTP/1.1 404 Not Found\r\n"
              "Content-Type: text/html\r\n"
              "Content-Length: 37\r\n"
              "\r\n"
              "<p>It was <a href='/'>here</a> once.\n"},
    {"/unchanged", "HTTP/1.1 304 Not Modified\r\n"
                   "\r\n"},
    {"/odd", "HTTP/1.1 999 Request Denied\r\n"
             "Content-Length: 0\r\n"
             "\r\n"},
    {"/busy", "HTTP/1.1 502 Bad Gateway\r\n"
              "Retry-After: 86400\r\n" // seconds: a day
              "Content-Length: 0\r\n"
              "\r\n"},

    {"/abroad", "HTTP/1.1 301 Moved Permanently\r\n"
                "Location: http://nobody.invalid/\r\n" // not part of this crawl
                "Content-Length: 0\r\n"
                "\r\n"},
    {"/mail", "HTTP/1.1 302 Found\r\n"
              "Location: mailto:lost@example.com\r\n"
              "Content-Length: 0\r\n"
              "\r\n"},
    {"/script", "HTTP/1.1 302 Found\r\n"
                "Location: javascript:alert('hello')\r\n"
                "Content-Length: 0\r\n"
                "\r\n"},
    {"/nowhere", "HTTP/1.1 301 Moved Permanently\r\n"
                 "Content-Length: 0\r\n"
                 "\r\n"},
    {"/itself", "HTTP/1.1 302 Found\r\n"
                "Location: /itself\r\n"
                "Content-Length: 0\r\n"
                "\r\n"},

    {"/cut", "HTTP/1.1 200 OK\r\n"
             "Content-Type: text/html\r\n"
             "Content-Length: 1000\r\n"
             "\r\n"
             "<p>Once upon a time"},
    {"/no-promise", "HTTP/1.1 200 OK\r\n"
                    "Content-Type: text/html\r\n"
                    "\r\n"
                    "<p>Once upon a time"},
    {"/too-much", "HTTP/1.1 200 OK\r\n"
                  "Content-Type: text/html\r\n"
                  "Content-Length: 5\r\n"
                  "\r\n"
                  "<p>Once upon a time"},
    {"/two-lengths", "HTTP/1.1 200 OK\r\n"
                     "Content-Type: text/html\r\n"
                     "Content-Length: 5\r\n"
                     "Content-Length: 19\r\n"
                     "\r\n"
                     "<p>Once upon a time"},
    // The same tale, compressed. It takes 39 bytes, and these are all of them.
    {"/packed", "HTTP/1.1 200 OK\r\n"
                "Content-Type: text/html\r\n"
                "Content-Encoding: gzip\r\n"
                "Content-Length: 39\r\n"
                "\r\n"
                "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03"
                "\xb3\x29\xb0\xf3\xcf\x4b\x4e\x55\x28\x2d"
                "\xc8\xcf\x53\x48\x54\x28\xc9\xcc\x4d\x05"
                "\x00\xb5\x8d\xb2\xf6\x13\x00\x00\x00"sv},
    // The server has 20 of the 39 bytes, and says that there are 20.
    {"/packed-cut", "HTTP/1.1 200 OK\r\n"
                    "Content-Type: text/html\r\n"
                    "Content-Encoding: gzip\r\n"
                    "Content-Length: 20\r\n"
                    "\r\n"
                    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03"
                    "\xb3\x29\xb0\xf3\xcf\x4b\x4e\x55\x28\x2d"sv},
    {"/gone-cut", "HTTP/1.1 404 Not Found\r\n"
                  "Content-Type: text/html\r\n"
                  "Content-Length: 1000\r\n"
                  "\r\n"
                  "<p>It was"},
    {"/moved-cut", "HTTP/1.1 301 Moved Permanently\r\n"
                   "Location: /no-promise\r\n"
                   "Content-Length: 1000\r\n"
                   "\r\n"
                   "<p>It is now"},
};

void build(ScriptedServer& server) {
    std::string links;
    for (const auto& [path, bytes] : answers) {
        links += fmt::format("<a href='{}'>x</a>\n", path);
        server.on(path, {tests::Send{std::string(bytes)}});
    }
    server.on("/", tests::html(links));
}

/// Crawls the whole site. Returns what was recorded about each path.
std::map<std::string, int> crawl(const ScriptedServer& server) {
    std::map<std::string, int> said;
    stage3::CrawlSettings settings;
    settings.robots.obey = false; // it would be one request more
    settings.retries.max_tries = 2;
    stage3::CrawlEvents events;
    events.on_record = [&](const Record& record, const auto&) {
        const int outcome = static_cast<int>(record.outcome) + 1; // questions.h's numbers
        said[std::string(record.url.target())] = outcome;
    };
    const std::vector<common::Url> roots{*common::parse_url(server.url())};
    stage3::EventLoop loop;
    stage3::Crawler crawler(loop, roots, stage3::Scope(stage3::Reach::host, roots),
                            settings, events);
    stage3::run_until_complete(loop, crawler.crawl());
    return said;
}

} // namespace

Answers run_program() {
    ScriptedServer server;
    build(server);
    const auto said = crawl(server);
    const auto asked = [&](const char* path) {
        return static_cast<int>(server.times_asked(path));
    };
    return {.empty = said.at("/empty"),
            .gone = said.at("/gone"),
            .unchanged = said.at("/unchanged"),
            .odd = said.at("/odd"),
            .busy = said.at("/busy"),
            .abroad = said.at("/abroad"),
            .mail = said.at("/mail"),
            .script = said.at("/script"),
            .nowhere = said.at("/nowhere"),
            .itself = said.at("/itself"),
            .cut = said.at("/cut"),
            .no_promise = said.at("/no-promise"),
            .too_much = said.at("/too-much"),
            .two_lengths = said.at("/two-lengths"),
            .packed = said.at("/packed"),
            .packed_cut = said.at("/packed-cut"),
            .gone_cut = said.at("/gone-cut"),
            .moved_cut = said.at("/moved-cut"),
            .asked_cut = asked("/cut"),
            .asked_two_lengths = asked("/two-lengths"),
            .asked_busy = asked("/busy")};
}
