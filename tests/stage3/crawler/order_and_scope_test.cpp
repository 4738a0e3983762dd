// The order in which URLs are fetched, which of them belong to the crawl, and what is
// sent to which server.
#include "common/text/join.h"
#include "tests/stage3/crawler/crawl_under_test.h"

using namespace tests;

TEST_CASE("with one worker, the records have the queue's order") {
    ScriptedServer server;
    server.on("/", page({"/cccc", "/bb"}));
    server.on("/cccc", page({"/a", "/ddddd"}));
    server.on("/bb", page({"/ee"}));
    for (const char* path : {"/a", "/ddddd", "/ee"})
        server.on(path, page({}));
    const auto paths = [&](OrderName order) {
        Setup setup;
        setup.settings.workers = 1;
        setup.settings.frontier.order = order;
        std::string text;
        for (const std::string& url : setup.crawl(server.url()).urls())
            text += url.substr(server.url().size() - 1);
        return text;
    };
    CHECK(paths(OrderName::fifo) == "//cccc/bb/a/ddddd/ee");
    CHECK(paths(OrderName::lifo) == "//bb/ee/cccc/ddddd/a");
    CHECK(paths(OrderName::priority) == "//bb/ee/cccc/a/ddddd");
}

namespace {

/// Whether all requests to this server, or none, have a header, which is asked for by its
/// line's beginning.
void check_sent(const ScriptedServer& server, const std::string& header, bool is_sent) {
    for (const Request& request : server.requests())
        CHECK((request.head.find("\r\n" + header) != std::string::npos) == is_sent);
}

} // namespace

TEST_CASE("an excluded URL has no record, even as a root or a redirect's target") {
    ScriptedServer server;
    server.on("/", page({"/private/a", "/moved"}));
    server.on("/moved", redirect_to("/private/b"));
    for (const bool checks_foreign : {false, true}) {
        const std::size_t before = server.requests().size();
        Setup setup;
        setup.settings.checks.foreign = checks_foreign;
        setup.excluded.emplace_back("/private/");
        const Result result = setup.crawl({server.url(), server.url("/private/root")});
        CHECK(result.records.size() == 2);
        CHECK(result[server.url()].links == 1);
        CHECK(result.notes
              == std::vector<std::string>{server.url("/private/root") + " is excluded"});
        CHECK(result[server.url("/moved")].outcome == Outcome::redirect);
        CHECK(server.requests().size() == before + 2);
    }
}

// That no link or redirect takes them along is case 41 of tests/hostile.
TEST_CASE("robots.txt is asked for with the headers that its host's pages get") {
    ScriptedServer named;
    ScriptedServer other;
    named.on("/robots.txt", redirect_to(other.url("/robots.txt")));
    other.on("/robots.txt",
             tests::respond(200, "text/plain", "User-agent: *\nDisallow: /no"));
    named.on("/", page({"/no"}));
    Setup setup;
    setup.obey_robots = true;
    setup.settings.session.headers = {"X-Secret: s", "X-Other: t"};
    setup.settings.session.user_agent = "me/1";
    const Result result = setup.crawl(named.url());
    CHECK(result[named.url("/no")].outcome == Outcome::disallowed);
    CHECK(other.requests().size() == 1);
    check_sent(named, "X-Secret: s\r\nX-Other: t", true);
    check_sent(other, "X-Secret", false);
    check_sent(named, "User-Agent: me/1\r\n", true);
    check_sent(other, "User-Agent: me/1\r\n", true);
}

TEST_CASE("a root's login goes to its origin and to no other") {
    ScriptedServer closed;
    ScriptedServer open;
    closed.on("/", page({"/a", open.url("/x")}));
    closed.on("/a", redirect_to(open.url("/y")));
    for (const char* path : {"/", "/x", "/y"})
        open.on(path, page({}));
    Setup setup;
    setup.obey_robots = true;
    const auto root = common::parse_url(closed.url()).value();
    setup.settings.logins.emplace(root.origin(), common::Login{"me", "secret"});
    CHECK(setup.crawl({closed.url(), open.url()}).records.size() == 5);
    CHECK(closed.requests().size() == 3);
    check_sent(closed, "Authorization: Basic bWU6c2VjcmV0", true);
    CHECK(open.requests().size() == 4);
    check_sent(open, "Authorization", false);
}

TEST_CASE("a site that gets deeper without end is cut off, and the crawl reports it") {
    ScriptedServer server;
    const std::vector<std::string> links{"a/", "?next", "?next&more"};
    server.on("/", page(links));
    server.on("/a/", page(links));
    server.on("/a/a/", page(links));
    Setup setup;
    setup.settings.traps = {.path_depth = 20, .repeats = 2, .queries = 1};
    setup.settings.workers = 1;
    const Result result = setup.crawl(server.url());
    CHECK(result.records.size() == 6); // three paths, each without a query and with one
    REQUIRE(result.left_out.size() == 2);
    CHECK(result.left_out[0].example == server.url("/?next&more"));
    CHECK(result.left_out[0].links == 3);
    CHECK(result.left_out[1].why.ends_with("more than 2 times (--max-repeats)"));
    CHECK(result.left_out[1].example == server.url("/a/a/a/"));
    CHECK(result.left_out[1].links == 1);
    REQUIRE(result.notes.size() == 2); // one for each kind
    CHECK(result.notes[1]
          == server.url("/a/a/") + ": " + server.url("/a/a/a/")
                 + " is left out, and so will be other links "
                   "with one part of their path more than 2 times (--max-repeats)");
}

TEST_CASE("a deep root or a large max_depth is not taken for a trap") {
    ScriptedServer server;
    const std::string deep = "/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/18/19/20/21/";
    server.on(deep, page({"22", "22/23"}));
    server.on(deep + "22", page({}));
    server.on(deep + "22/23", page({"/1/1/1/1/1"}));
    Setup setup;
    setup.settings.frontier.max_depth = 1;
    const Result result = setup.crawl(server.url(deep));
    CHECK(result.records.size() == 3);
    CHECK(result.left_out.empty());
}

TEST_CASE("a page with too many links is read up to a limit, and the crawl reports it") {
    ScriptedServer server;
    std::string body;
    for (int i = 0; i < 10'005; ++i)
        body += fmt::format("<a href='http://elsewhere.example/{}'>", i);
    body += "<a href=/inside>";
    for (int i = 0; i < 10'004; ++i)
        body += fmt::format("<a href='/{}'>", i);
    body += fmt::format("<a href='/{}'>", std::string(9000, 'x'));
    server.on("/", html(body));
    Setup setup;
    setup.settings.frontier.max_pages = 2;
    setup.settings.workers = 1;
    const Result result = setup.crawl(server.url());
    CHECK(result[server.url()].links == 10'000);
    REQUIRE(result.left_out.size() == 2);
    CHECK(result.left_out[0].links == 5);
    CHECK(result.left_out[0].page == server.url());
    CHECK(result.left_out[1].links == 1);
    CHECK(result[server.url("/inside")].status == 404); // links out of scope don't count
    CHECK(result.notes
          == std::vector<std::string>{
              server.url()
                  + ": left out: 5 links beyond --max-links (10000), or 4 MiB of URLs",
              server.url() + ": left out: 1 link too long for URLs"});
}

TEST_CASE("each page whose fragments are too many is named") {
    ScriptedServer server;
    server.on("/", html("<a href=/a#1><a href=/a#2><a href=/a#3><a href=/a#4>"
                        "<a href=/a#x><a href=/a#4>"));
    server.on("/a", html("<p id=1><p id=2>"));
    Setup setup;
    setup.settings.workers = 1;
    setup.settings.checks = {.fragments = true, .max_fragments = 3};
    const Result result = setup.crawl(server.url());
    std::vector<std::string> missing;
    for (const Said& record : result.records)
        if (record.error == "no element has this id")
            missing.push_back(record.url);
    CHECK(missing == std::vector{server.url("/a")}); // #3; nothing is known of the others
    REQUIRE(result.left_out.size() == 1);
    CHECK(result.left_out[0].why == "fragments beyond --max-fragments (3)");
    CHECK(result.left_out[0].links == 2);
    CHECK(result.left_out[0].page == server.url());
}

TEST_CASE("of a page that has more ids than are kept, no fragment is missing") {
    ScriptedServer server;
    server.on("/", html("<a href=/a#1><a href=/a#x>"));
    server.on("/a", html("<p id=1>"));
    Setup setup;
    setup.settings.checks.fragments = true;
    setup.helpers.find_links = [](auto body, auto type, const auto& base, auto limits) {
        limits.ids_of_page = 0;
        return common::find_links(body, type, base, limits);
    };
    const Result result = setup.crawl(server.url());
    CHECK(result.progress.dead == 0);
    REQUIRE(result.left_out.size() == 1);
    CHECK(result.left_out[0].why == "pages with too many ids");
    CHECK(result.left_out[0].page == server.url("/a"));
}

TEST_CASE("a prefix whose name turns out to be a folder's means that folder") {
    ScriptedServer server;
    server.on("/docs", redirect_to("/docs/", 301));
    server.on("/docs/", page({"/docs/a", "/other", "/docs", "/docsets"}));
    server.on("/docs/a", page({"/", "/docs/"}));
    server.on("/v1", redirect_to("/v1/en/"));
    server.on("/v1/en/", page({"/v1/de/", "/docs/"}));
    server.on("/page", page({"/docs/a"}));
    server.on("/moved", redirect_to("/docs/"));
    Setup setup;
    setup.reach = Reach::prefix;
    const auto crawl = [&](const std::vector<std::string>& targets) {
        std::vector<std::string> roots;
        for (const std::string& target : targets)
            roots.push_back(server.url(target));
        std::vector<std::string> found = setup.crawl(roots).urls();
        std::ranges::sort(found);
        for (std::string& url : found)
            url.erase(0, server.url("").size());
        return common::join(found, " ");
    };
    CHECK(crawl({"/docs"}) == "/docs /docs/ /docs/a");
    CHECK(crawl({"/v1"}) == "/v1 /v1/de/ /v1/en/");
    CHECK(crawl({"/docs/a"}) == "/docs/ /docs/a"); // no folder: the one that it's in
    const std::string all = "/ /docs /docs/ /docs/a /docsets /other";
    CHECK(crawl({"/page"}) == all + " /page");
    CHECK(crawl({"/moved"}) == "/ /docs /docs/ /docs/a /docsets /moved /other");
    CHECK(crawl({"/docs", "/"}) == all); // the user wants it all
    CHECK(crawl({"/docs", "/v1"}) == "/docs /docs/ /docs/a /v1 /v1/de/ /v1/en/");
}

TEST_CASE("whether a prefix is a folder is asked only if that is allowed, and matters") {
    ScriptedServer server;
    server.on("/robots.txt",
              respond(200, "text/plain", "User-agent: *\nDisallow: /private\n"));
    for (const char* const target : {"/a", "/b", "/private", "/excluded"})
        server.on(target, page({}));
    Setup setup;
    setup.obey_robots = true;
    setup.reach = Reach::prefix;
    const auto heads = [&](const std::string& first, const std::string& second) {
        const std::size_t before = server.requests().size();
        setup.excluded.emplace_back("/excluded");
        setup.crawl({server.url(first), server.url(second)});
        std::string targets;
        const std::vector<Request> requests = server.requests();
        for (std::size_t i = before; i < requests.size(); ++i)
            if (requests[i].head.starts_with("HEAD"))
                targets += requests[i].target + ' ';
        return targets;
    };
    CHECK(heads("/a", "/b") == "/a ");  // which isn't one, so neither is its neighbour
    CHECK(heads("/a", "/c?x").empty()); // a page, without doubt
    CHECK(heads("/private", "/excluded").empty());
}
