// A crawl of the internet can't be led into a private network, whether by a link, a
// redirect, a name or robots.txt. Tests reach only this machine, so here 127.0.0.2 is
// private, and 127.0.0.1 is the internet. address_test checks which addresses are private
// in the product.
#include "common/system/socket.h"
#include "stage3_queue_crawler/http/address.h"
#include "tests/stage3/crawler/crawl_under_test.h"

using namespace tests;

namespace {

struct Guarded : Setup {
    Guarded() {
        settings.session.look_up = [](const std::string& host) {
            return common::resolve(host == "inside.test" ? "127.0.0.2" : "127.0.0.1", 0);
        };
        settings.session.objection = [](const sockaddr& address) {
            const std::string text = stage3::in_digits(address);
            return text == "127.0.0.2" ? text + " is private" : "";
        };
    }

    ScriptedServer server;
    const std::string inside = fmt::format("http://inside.test:{}", server.port());
    const std::string digits = fmt::format("http://127.0.0.2:{}", server.port());
};

void check_refused(const Said& said) {
    CAPTURE(said.url);
    CHECK(said.outcome == Outcome::failed);
    CHECK(said.error == "127.0.0.2 is private");
    CHECK(said.tries == 1);
}

} // namespace

TEST_CASE("neither a root, a link nor a redirect leads to a private address") {
    for (const bool obey_robots : {false, true}) {
        Guarded test;
        test.obey_robots = obey_robots;
        test.server.on("/",
                       page({test.inside + "/link", test.digits + "/link", "/away"}));
        test.server.on("/away", redirect_to(test.inside + "/redirect"));
        const std::vector<std::string> roots{test.server.url(), test.inside + "/",
                                             test.digits + "/"};
        const Result result = test.crawl(roots);
        CHECK(result[roots[0]].outcome == Outcome::page);
        CHECK(result[test.server.url("/away")].outcome == Outcome::redirect);
        for (const std::string& url : {roots[1], roots[2], test.inside + "/link",
                                       test.inside + "/redirect", test.digits + "/link"})
            check_refused(result[url]);
        CHECK(result.records.size() == 7);
    }
}

TEST_CASE_FIXTURE(Guarded,
                  "a robots.txt that redirects to a private address fails its pages") {
    server.on("/robots.txt", redirect_to(inside + "/robots"));
    server.on("/", page({}));
    obey_robots = true;
    check_refused(crawl(server.url())[server.url()]);
    CHECK(server.times_asked("/") == 0);
}
