#include "questions.h"
#include "stage3_queue_crawler/crawler/crawler.h"
#include "stage3_queue_crawler/runtime/task/run.h"
#include "stage3_queue_crawler/runtime/task/wait.h"
#include "tests/support/scripted_server.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace std::chrono_literals;
using stage3::Coroutine;
using stage3::Ending;
using stage3::KnownUrl;
using stage3::Task;
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
        server.on("/busy",
                  tests::respond(502, "text/html", "later", "Retry-After: 60\r\n"));
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

    static stage3::CrawlSettings settings() {
        stage3::CrawlSettings settings;
        settings.obey_robots = false; // it would be one request more
        settings.workers = 3;
        return settings;
    }
    stage3::CrawlEvents events() {
        stage3::CrawlEvents events;
        events.on_record = [this](const stage3::Record&) { ++records; };
        return events;
    }

    int count(KnownUrl::State state) const {
        return static_cast<int>(std::ranges::count(crawler.frontier().urls().all(), state,
                                                   [](auto* url) { return url->state; }));
    }
    bool knows(const std::string& path) const {
        return std::ranges::any_of(crawler.frontier().urls().all(), [&](auto* url) {
            return url->url.href() == server.url(path);
        });
    }
    bool has_lost_any() const {
        try {
            crawler.frontier().urls().check_that_none_is_lost();
        } catch (const std::logic_error&) {
            return true;
        }
        return false;
    }

    tests::ScriptedServer server;
    std::vector<common::Url> roots{*common::parse_url(server.url())};
    int records = 0;
    stage3::EventLoop loop;
    stage3::Crawler<> crawler{loop, roots, stage3::Scope(stage3::Reach::host, roots),
                              settings(), events()};
};

/// Waits for the crawl as the program's main coroutine does.
Coroutine<int> watch(Task<Ending> crawl) {
    try {
        const Ending ending = co_await crawl;
        co_return static_cast<int>(ending);
    } catch (const stage3::Cancelled&) {
        co_return seen::cancelled;
    }
}

/// Presses Ctrl-C when three servers are silent.
template <class T>
Coroutine<> interrupt(Scene& scene, Task<T> task) {
    for (const char* path : {"/silent", "/half", "/mute"})
        while (scene.server.times_asked(path) == 0)
            co_await stage3::sleep(1ms);
    task.cancel();
}

void in_the_middle(Answers& answers) {
    Scene scene;
    const Task<Ending> crawl = create_task(scene.loop, scene.crawler.crawl());
    const Task<> ctrl_c = create_task(scene.loop, interrupt(scene, crawl));
    answers.middle = stage3::run_until_complete(scene.loop, watch(crawl));

    answers.asked = static_cast<int>(scene.server.requests().size());
    answers.records = scene.records;
    answers.fetched = scene.count(KnownUrl::State::fetched);
    answers.dead = scene.count(KnownUrl::State::dead);
    answers.queued = scene.count(KnownUrl::State::queued);
    answers.waiting = static_cast<int>(scene.crawler.progress().waiting);
    answers.hidden = scene.knows("/hidden") ? 1 : 0;
    answers.tasks = static_cast<int>(all_tasks(scene.loop).size());
    answers.lost = scene.has_lost_any() ? 1 : 0;
}

void too_early(Answers& answers) {
    Scene scene;
    Task<Ending> crawl = create_task(scene.loop, scene.crawler.crawl());
    crawl.cancel();
    answers.early = stage3::run_until_complete(scene.loop, watch(crawl));
    answers.early_known = static_cast<int>(scene.crawler.frontier().urls().size());
}

void the_other_one(Answers& answers) {
    Scene scene;
    const Task<Ending> crawl = create_task(scene.loop, scene.crawler.crawl());
    const Task<int> watcher = create_task(scene.loop, watch(crawl));
    const Task<> ctrl_c = create_task(scene.loop, interrupt(scene, watcher));
    answers.other = stage3::run_until_complete<int>(scene.loop, watcher);
}

void too_late(Answers& answers) {
    Scene scene;
    for (const char* path : {"/busy", "/silent", "/half", "/mute"})
        scene.server.on(path, page({})); // a good day: all of them answer
    Task<Ending> crawl = create_task(scene.loop, scene.crawler.crawl());
    stage3::run_until_complete<Ending>(scene.loop, crawl);
    crawl.cancel();
    answers.late = stage3::run_until_complete(scene.loop, watch(crawl));
}

} // namespace

Answers run_program() {
    Answers answers;
    in_the_middle(answers);
    too_early(answers);
    the_other_one(answers);
    too_late(answers);
    return answers;
}
