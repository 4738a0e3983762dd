#include "questions.h"
#include "stage3_queue_crawler/small/crawler.h"
#include "stage3_queue_crawler/small/loop.h"
#include "stage3_queue_crawler/small/session.h"
#include "stage3_queue_crawler/small/task.h"
#include "tests/support/scripted_server.h"

#include <fmt/core.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace stage3::small;
using tests::redirect_to;
using tests::ScriptedServer;

/// A page with these links.
tests::Reply page(const std::vector<std::string>& links) {
    std::string body;
    for (const std::string& link : links)
        body += fmt::format("<a href='{}'>x</a>\n", link);
    return tests::html(body);
}

constexpr int length_of_chain = 25; // URLs: /1 to /25

/// There is no page /gone.
void build(ScriptedServer& server) {
    server.on("/", page({"/blog", "/press", "/here", "/abroad", "/1", "/lost", "/shop"}));
    // Two chains that meet.
    server.on("/blog", redirect_to("/news"));
    server.on("/press", redirect_to("/news"));
    server.on("/news", redirect_to("/today"));
    server.on("/today", page({}));
    // A circle.
    server.on("/here", redirect_to("/there"));
    server.on("/there", redirect_to("/here"));
    // To another host.
    server.on("/abroad", redirect_to("http://elsewhere.example/gone"));
    // A long chain: 24 redirects, then a page.
    for (int i = 1; i < length_of_chain; ++i)
        server.on(fmt::format("/{}", i), redirect_to(fmt::format("/{}", i + 1)));
    server.on(fmt::format("/{}", length_of_chain), page({}));
    // To what isn't there.
    server.on("/lost", redirect_to("/gone"));
    server.on("/shop", page({"/today"}));
}

int number_of(std::string_view path) {
    const std::map<std::string_view, int> numbers{{"/", site::root},
                                                  {"/blog", site::blog},
                                                  {"/press", site::press},
                                                  {"/shop", site::shop},
                                                  {"/news", site::news}};
    return numbers.at(path);
}

} // namespace

Answers run_program() {
    ScriptedServer server;
    build(server);
    const auto url = [&](const std::string& path) {
        return *common::parse_url(server.url(path));
    };
    Loop loop;
    Session session(loop);
    Crawler crawler(loop, session, url("/"), {.workers = 1});
    Task task(loop, crawler.run());
    run_until_complete(loop, task);

    const auto asked = [&](const char* path) {
        return static_cast<int>(server.times_asked(path));
    };
    const auto is_dead = [&](const std::string& path) {
        return crawler.why_dead(url(path)).empty() ? 0 : 1;
    };
    const auto parent_of = [&](const char* path) {
        return number_of(crawler.found_on().at(url(path)).target());
    };
    Answers answers;
    answers.asked_news = asked("/news");
    answers.circle = asked("/here") + asked("/there");
    answers.last = asked("/25");
    answers.parent_of_news = parent_of("/news");
    answers.parent_of_today = parent_of("/today");
    answers.abroad = is_dead("/abroad");
    answers.dead_of_lost = is_dead("/lost") + is_dead("/gone");
    answers.dead_of_circle = is_dead("/here") + is_dead("/there");
    answers.dead_of_chain = 0;
    for (int i = 1; i <= length_of_chain; ++i)
        answers.dead_of_chain += is_dead(fmt::format("/{}", i));
    answers.records = static_cast<int>(crawler.records().size());
    return answers;
}
