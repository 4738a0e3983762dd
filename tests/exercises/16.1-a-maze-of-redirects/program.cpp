#include "questions.h"
#include "stage3_queue_crawler/crawler/crawler.h"
#include "stage3_queue_crawler/runtime/task/run.h"
#include "tests/support/scripted_server.h"

#include <fmt/core.h>

#include <map>
#include <string>
#include <vector>

namespace {

using stage3::Record;
using tests::redirect_to;
using tests::ScriptedServer;

/// A page with these links.
tests::Reply page(const std::vector<std::string>& links) {
    std::string body;
    for (const std::string& link : links)
        body += fmt::format("<a href='{}'>x</a>\n", link);
    return tests::html(body);
}

void build(ScriptedServer& server) {
    server.on("/",
              page({"/blog", "/press", "/here", "/abroad", "/1", "/moved", "/shop"}));
    // Two chains that meet.
    server.on("/blog", redirect_to("/news"));
    server.on("/press", redirect_to("/news"));
    server.on("/news", redirect_to("/today"));
    server.on("/today", page({"/4"}));
    // A circle.
    server.on("/here", redirect_to("/there"));
    server.on("/there", redirect_to("/here"));
    // To another host. It would answer: it's the same server.
    server.on("/abroad",
              redirect_to(fmt::format("http://localhost:{}/hidden", server.port())));
    server.on("/hidden", page({}));
    // A long chain.
    server.on("/1", redirect_to("/2"));
    server.on("/2", redirect_to("/3"));
    server.on("/3", redirect_to("/4"));
    server.on("/4", page({}));
    // To a page that has a link of its own.
    server.on("/moved", redirect_to("/shop"));
    server.on("/shop", page({"/today"}));
}

/// The relevant parts of a record.
struct Said {
    int outcome = outcome::no_record;
    int depth = 0;
    std::string parent; // a path; empty if there is none
};

/// Crawls from `root`. Returns what was recorded about each path.
std::map<std::string, Said> crawl(const ScriptedServer& server, const std::string& root) {
    std::map<std::string, Said> said;
    stage3::CrawlSettings settings;
    settings.obey_robots = false; // it would be one request more
    settings.workers = 1;
    settings.max_redirects = 2;
    stage3::CrawlEvents events;
    events.on_record = [&](const Record& record) {
        said[std::string(record.url.target())] = {
            .outcome = static_cast<int>(record.outcome) + 1, // questions.h's numbers
            .depth = static_cast<int>(record.depth),
            .parent = std::string(record.parent ? record.parent->target() : "")};
    };
    const std::vector<common::Url> roots{*common::parse_url(server.url(root))};
    stage3::EventLoop loop;
    stage3::Crawler crawler(loop, roots, stage3::Scope(stage3::Reach::host, roots),
                            settings, events);
    stage3::run_until_complete(loop, crawler.crawl());
    return said;
}

int number_of(const std::string& path) {
    const std::map<std::string, int> numbers{{"/", site::root},
                                             {"/moved", site::moved},
                                             {"/shop", site::shop},
                                             {"/news", site::news}};
    return numbers.at(path);
}

} // namespace

Answers run_program() {
    ScriptedServer server;
    build(server);
    const auto asked = [&](const char* path) {
        return static_cast<int>(server.times_asked(path));
    };
    auto said = crawl(server, "/");
    Answers answers;
    answers.asked_news = asked("/news");
    answers.circle = asked("/here") + asked("/there");
    answers.abroad = said.at("/abroad").outcome;
    answers.depth_of_news = said.at("/news").depth;
    answers.parent_of_shop = number_of(said.at("/shop").parent);
    answers.parent_of_today = number_of(said.at("/today").parent);
    answers.depth_of_today = said.at("/today").depth;
    answers.third = said.at("/3").outcome;
    answers.asked_four = asked("/4");
    answers.dead = 0;
    for (const auto& [path, one] : said)
        if (one.outcome == outcome::error || one.outcome == outcome::failed)
            ++answers.dead;
    answers.records = static_cast<int>(said.size()); // no URL has two
    answers.alone = static_cast<int>(crawl(server, "/1").size());
    return answers;
}
