#include "questions.h"
#include "stage3_queue_crawler/small/crawler.h"
#include "stage3_queue_crawler/small/loop.h"
#include "stage3_queue_crawler/small/session.h"
#include "stage3_queue_crawler/small/task.h"
#include "tests/support/scripted_server.h"

#include <fmt/core.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace std::chrono_literals;
using namespace stage3::small;
using tests::Hold;
using tests::Send;

/// A page with these links.
tests::Reply page(const std::vector<std::string>& links) {
    std::string body;
    for (const std::string& link : links)
        body += fmt::format("<a href='{}'>x</a>\n", link);
    return tests::html(body);
}

/// A site, and a crawl of it. There is no page /gone.
struct Scene {
    Scene() {
        server.on("/", page({"/good", "/busy", "/gone", "/silent", "/half", "/mute",
                             "/later", "/last"}));
        server.on("/good", page({"/new"}));
        server.on("/busy", tests::respond(503, "text/html", "later"));
        server.on("/silent", {Hold{}});
        server.on("/half", {Send{"HTTP/1.1 200 OK\r\n"
                                 "Content-Type: text/html\r\n"
                                 "Content-Length: 1000\r\n\r\n"
                                 "<a href='/hidden'>x</a>"},
                            Hold{}});
        server.on("/mute", {Hold{}});
        for (const char* path : {"/new", "/later", "/last"})
            server.on(path, page({}));
    }

    /// As crawl_within does: tells how the crawl has ended.
    static Coroutine<> watch(Coroutine<> crawl, int& seen) {
        try {
            co_await std::move(crawl);
            seen = seen::complete;
        } catch (const Cancelled&) {
            seen = seen::cancelled;
        }
    }

    int dead() const {
        int number = 0;
        for (const auto& [url, page] : crawler.found_on())
            number += crawler.why_dead(url).empty() ? 0 : 1;
        return number;
    }
    int known() const { return static_cast<int>(crawler.found_on().size()); }
    int records() const { return static_cast<int>(crawler.records().size()); }
    int asked() const { return static_cast<int>(server.requests().size()); }

    tests::ScriptedServer server;
    common::Url root = *common::parse_url(server.url());
    Loop loop;
    Session session{loop};
    Crawler crawler{loop, session, root, {.workers = 3, .time_before_retry = 60s}};
    int seen = 0;
};

void in_the_middle(Answers& answers) {
    Scene scene;
    Task main(scene.loop, Scene::watch(scene.crawler.run(), scene.seen));
    for (const char* path : {"/silent", "/half", "/mute"})
        while (scene.server.times_asked(path) == 0)
            scene.loop.turn(1ms);
    main.cancel(); // somebody presses Ctrl-C
    answers.still_runs = main.done() ? 0 : 1;
    run_until_complete(scene.loop, main);

    answers.middle = scene.seen;
    answers.asked = scene.asked();
    answers.records = scene.records();
    answers.dead = scene.dead();
    answers.known = scene.known();
    answers.left = scene.known() - scene.records();
    const common::Url hidden = *common::parse_url(scene.server.url("/hidden"));
    answers.hidden = scene.crawler.found_on().contains(hidden) ? 1 : 0;
}

void too_early(Answers& answers) {
    Scene scene;
    Task main(scene.loop, Scene::watch(scene.crawler.run(), scene.seen));
    main.cancel(); // before the loop's first turn
    run_until_complete(scene.loop, main);
    answers.early = scene.seen;
    answers.early_known = scene.known();
    answers.early_records = scene.records();
}

void too_late(Answers& answers) {
    Scene scene;
    for (const char* path : {"/busy", "/silent", "/half", "/mute"})
        scene.server.on(path, page({})); // a good day: all of them answer
    Task main(scene.loop, Scene::watch(scene.crawler.run(), scene.seen));
    run_until_complete(scene.loop, main);
    main.cancel();
    scene.loop.turn(0ms);
    answers.late = scene.seen;
}

} // namespace

Answers run_program() {
    Answers answers;
    in_the_middle(answers);
    too_early(answers);
    too_late(answers);
    return answers;
}
