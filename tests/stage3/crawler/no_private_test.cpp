// A crawl of the internet can't be led into a private network, whether by a link, a
// redirect, a name or robots.txt. Tests reach only this machine, so here 127.0.0.2 is
// private, and 127.0.0.1 is the internet. address_test checks which addresses are private
// in the product.
#include "common/system/socket.h"
#include "stage3_queue_crawler/crawler/crawler.h"
#include "stage3_queue_crawler/http/address.h"
#include "stage3_queue_crawler/runtime/task/run.h"
#include "tests/support/prelude.h"
#include "tests/support/scripted_server.h"
#include "tests/support/url.h"

using namespace stage3;
using namespace tests;

namespace {

struct Verdict {
    Outcome outcome = Outcome::page;
    std::string error;
    int tries = 0;

    bool operator==(const Verdict&) const = default;
};

const Verdict refusal{Outcome::failed, "127.0.0.2 is private", 1};

CrawlSettings settings_without_2(bool obey_robots) {
    CrawlSettings result;
    result.obey_robots = obey_robots;
    result.session.look_up = [](const std::string& host) {
        return common::resolve(host == "inside.test" ? "127.0.0.2" : "127.0.0.1", 0);
    };
    result.session.objection = [](const sockaddr& address) {
        const std::string digits = stage3::in_digits(address);
        return digits == "127.0.0.2" ? digits + " is private" : "";
    };
    return result;
}

/// The outcome of each URL.
std::map<std::string, Verdict> verdicts_of(const std::string& root, bool obey_robots,
                                           const std::vector<common::Url>& in_scope) {
    std::map<std::string, Verdict> said;
    stage3::CrawlEvents events;
    events.on_record = [&](const Record& record) {
        said[std::string(record.url.href())] = {record.outcome, record.error,
                                                record.tries};
    };
    EventLoop loop;
    const std::vector<common::Url> roots{tests::url_of(root)};
    Crawler crawler(loop, roots, Scope(stage3::Reach::host, in_scope),
                    settings_without_2(obey_robots), events);
    auto task = create_task(loop, crawler.crawl());
    stage3::run_until_complete<stage3::Ending>(loop, task);
    return said;
}

} // namespace

TEST_CASE("neither a link nor a redirect leads to a private address") {
    for (const bool obey_robots : {false, true}) {
        CAPTURE(obey_robots);
        ScriptedServer server;
        const std::string inside = fmt::format("http://inside.test:{}", server.port());
        const std::string digits = fmt::format("http://127.0.0.2:{}", server.port());
        server.on("/", html(fmt::format("<a href={}/link><a href={}/link><a href=/away>",
                                        inside, digits)));
        server.on("/away", redirect_to(inside + "/redirect"));
        const auto said = verdicts_of(
            server.url(), obey_robots,
            {tests::url_of(server.url()), tests::url_of(inside), tests::url_of(digits)});
        CHECK(said.at(server.url()).outcome == Outcome::page);
        CHECK(said.at(server.url("/away")).outcome == Outcome::redirect);
        CHECK(said.at(inside + "/link") == refusal);
        CHECK(said.at(inside + "/redirect") == refusal);
        CHECK(said.at(digits + "/link") == refusal);
        CHECK(said.size() == 5);
    }
}

TEST_CASE("a robots.txt that redirects to a private address fails its pages") {
    ScriptedServer server;
    server.on("/robots.txt",
              redirect_to(fmt::format("http://inside.test:{}/robots", server.port())));
    server.on("/", html("page"));
    const auto said = verdicts_of(server.url(), true, {tests::url_of(server.url())});
    CHECK(said.at(server.url()) == refusal);
    CHECK(server.times_asked("/") == 0);
}

TEST_CASE("a root with a private address is refused like any other URL") {
    ScriptedServer server;
    server.on("/", html("page"));
    const std::string inside = fmt::format("http://inside.test:{}/", server.port());
    const auto said = verdicts_of(inside, false, {tests::url_of(inside)});
    CHECK(said.at(inside) == refusal);
}
