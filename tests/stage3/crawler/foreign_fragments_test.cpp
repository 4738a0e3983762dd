// Places on pages of other sites: which URLs are asked for how, and what is missing
// there. What a state file has of them is in state_test.py.
#include "tests/stage3/crawler/crawl_in_box.h"
#include "tests/support/box/kept_answers.h"

using namespace tests;

namespace {

/// A page with these ids.
box::Reply with_ids(const std::vector<std::string>& ids, const std::string& more = "") {
    std::string body = more;
    for (const std::string& id : ids)
        body += fmt::format("<h2 id='{}'>x</h2>\n", id);
    return box::html(body);
}

/// A site that links to another, of which places are checked.
struct WithPlaces : SiteInBox {
    WithPlaces() {
        setup.settings.checks.foreign = true;
        setup.settings.checks.fragments = true;
        setup.on_record = [this](const Record& record) {
            if (!record.fragment.empty())
                missing.push_back(fmt::format(
                    "{}#{} {}", record.url.href().substr(foreign.url("").size()),
                    record.fragment, name_of(record.outcome)));
            if (!record.fragment.empty())
                mentions.push_back(record.mentions.size());
        };
    }

    /// A crawl whose root has these links.
    Result crawl_links(const std::vector<std::string>& links) {
        server.on("/", box::page(links));
        return crawl();
    }
    /// "HEAD /a" and so on, of what the other site was asked.
    std::vector<std::string> asked() const { return asked(foreign); }
    static std::vector<std::string> asked(const box::Server& host) {
        std::vector<std::string> result;
        for (const box::Request& one : host.requests())
            result.push_back(fmt::format("{} {}", one.is_head ? "HEAD" : "GET",
                                         one.url.substr(host.url("").size())));
        return result;
    }
    using Asked = std::vector<std::string>;

    box::Server foreign{web};
    std::vector<std::string> missing;  ///< "/a#x unclear"
    std::vector<std::size_t> mentions; ///< of each of these
};

} // namespace

TEST_CASE_FIXTURE(WithPlaces,
                  "a foreign page is asked for once, and a missing place is unclear") {
    server.on("/", box::page({"/1", "/2", foreign.url("/a#x"), foreign.url("/b")}));
    server.on("/1", box::page({foreign.url("/a#x"), foreign.url("/a#y")}));
    server.on("/2", box::page({foreign.url("/a"), foreign.url("/a#z")}));
    foreign.on("/a", with_ids({"y", "user-content-z"}, "<a href='/more'>x</a>"));
    foreign.on("/b", with_ids({}));
    const Result result = crawl();
    CHECK(asked() == Asked{"GET /a", "HEAD /b"});
    CHECK(missing == std::vector<std::string>{"/a#x unclear"});
    CHECK(mentions == std::vector<std::size_t>{2});
    CHECK(std::ranges::count(result.records, Outcome::page, &Said::outcome) == 3);
    CHECK(result.progress.unclear == 1);
    CHECK(result.progress.dead == 0);
    CHECK(result.records.size() == 6);
}

TEST_CASE_FIXTURE(WithPlaces, "without a place to look for, a HEAD is enough") {
    const std::vector<std::string> places{
        "#top", "#",        "#:~:text=a", "#/route",      "#!a",
        "#L10", "#L10-L20", "#L1-2",      "#L10C3-L20C5", "#page=3"};
    std::vector<std::string> links;
    for (const std::string& place : places)
        links.push_back(foreign.url("/a" + place));
    foreign.on("/a", with_ids({}));
    SUBCASE("but with one that is excluded") {
        links.push_back(foreign.url("/a#x"));
        setup.excluded.emplace_back("#x$");
    }
    SUBCASE("but without --fragments") {
        links.push_back(foreign.url("/a#x"));
        setup.settings.checks.fragments = false;
    }
    crawl_links(links);
    CHECK(asked() == Asked{"HEAD /a"});
    CHECK(missing.empty());
}

TEST_CASE_FIXTURE(WithPlaces, "a place that is met late needs one more request") {
    foreign.on("/a", with_ids({"x"}));
    foreign.on("/b", with_ids({"x"}));
    server.on("/", box::page({foreign.url("/a"), foreign.url("/b"), "/late"}));
    SUBCASE("when the HEAD has been answered") {
        server.on("/late",
                  box::page({foreign.url("/a#x"), foreign.url("/a#y")}).after(10s));
    }
    SUBCASE("while it's under way") {
        foreign.on_head("/a", {with_ids({}).after(20s)});
        server.on("/late",
                  box::page({foreign.url("/a#x"), foreign.url("/a#y")}).after(10s));
    }
    SUBCASE("although as many URLs as wanted are done") {
        server.on("/late",
                  box::page({foreign.url("/a#x"), foreign.url("/a#y")}).after(10s));
        setup.settings.frontier.max_pages = 4;
    }
    const Result result = crawl();
    CHECK(result.ending == Ending::complete);
    CHECK(asked() == Asked{"HEAD /a", "HEAD /b", "GET /a"});
    CHECK(foreign.most_at_once() == 1);
    CHECK(foreign.shortest_pause() >= 800ms);
    CHECK(missing == std::vector<std::string>{"/a#y unclear"});
    CHECK(result.progress.fetched == 4);
    CHECK(result.records.size() == 5); // the page itself has one
}

TEST_CASE_FIXTURE(WithPlaces, "what a second request says changes no verdict") {
    foreign.on_head("/a", {with_ids({})});
    foreign.on("/a", box::respond(404, "text/html", ""));
    server.on("/", box::page({foreign.url("/a"), "/late"}));
    server.on("/late", box::page({foreign.url("/a#x")}).after(10s));
    const Result result = crawl();
    CHECK(asked() == Asked{"HEAD /a", "GET /a"});
    CHECK(result[foreign.url("/a")].outcome == Outcome::file);
    CHECK(missing.empty());
    CHECK(result.progress.dead == 0);
}

TEST_CASE_FIXTURE(WithPlaces, "of what is no page, or not whole, nothing is missing") {
    struct Row {
        box::Reply reply;
        Outcome outcome = Outcome::file;
        bool is_late = false;
    };
    box::Reply cut = with_ids({"y"});
    cut.fault = box::Fault::cut;
    box::Reply stuck = with_ids({"y"});
    stuck.fault = box::Fault::stuck;
    setup.settings.session.max_body = 1024;
    for (const Row& row : {Row{box::respond(200, "application/pdf", "PDF")},
                           {box::respond(204, "text/html", "")},
                           {box::html(std::string(2000, 'x'))},
                           {cut},
                           {stuck},
                           {box::respond(404, "text/html", "<p id=y>"), Outcome::error},
                           {box::respond(403, "text/html", "<p id=y>"), Outcome::unclear},
                           {box::fail(box::Fault::reset), Outcome::failed}}) {
        CAPTURE(row.reply.status);
        CAPTURE(row.reply.headers.size());
        foreign.on("/a", row.reply);
        const Result result = crawl_links({foreign.url("/a#x")});
        CHECK(result[foreign.url("/a")].outcome == row.outcome);
        CHECK(missing.empty());
    }
}

TEST_CASE_FIXTURE(WithPlaces, "what can't be a page isn't asked for again") {
    foreign.on("/a", box::respond(200, "application/pdf", "PDF"));
    server.on("/", box::page({foreign.url("/a"), "/late"}));
    server.on("/late", box::page({foreign.url("/a#x")}).after(10s));
    crawl();
    CHECK(asked() == Asked{"HEAD /a"});
}

TEST_CASE_FIXTURE(WithPlaces, "a redirect takes the place along, to any site") {
    box::Server third(web);
    third.on("/c", with_ids({"x"}));
    server.on("/own", with_ids({"x"}));
    server.on("/",
              box::page({foreign.url("/a#x"), foreign.url("/a#y"), "/own", "/late"}));
    server.on("/late", box::page({}));
    foreign.on("/b", with_ids({"x"}));
    SUBCASE("a third one") {
        foreign.on("/a", box::redirect_to(third.url("/c")));
        crawl();
        CHECK(asked(third) == Asked{"GET /c"});
        CHECK(missing == std::vector<std::string>{"/a#y unclear"});
    }
    SUBCASE("a third one, with a place of its own") {
        foreign.on("/a", box::redirect_to(third.url("/c#z")));
        crawl();
        CHECK(asked(third) == Asked{"HEAD /c"});
        CHECK(missing.empty());
    }
    SUBCASE("from page to page") {
        foreign.on("/a", box::redirect_to("/b"));
        foreign.on("/b", box::redirect_to(third.url("/c")));
        crawl();
        CHECK(asked() == Asked{"GET /a", "GET /b"});
        CHECK(asked(third) == Asked{"GET /c"});
        CHECK(missing == std::vector<std::string>{"/a#y unclear"});
    }
    SUBCASE("back into the crawl") {
        foreign.on("/a", box::redirect_to(server.url("/own")));
        crawl();
        CHECK(missing == std::vector<std::string>{"/a#y error"});
        CHECK(server.times_asked("/own") == 1);
    }
    SUBCASE("back into the crawl, where no link leads") {
        server.on("/hidden", with_ids({"x"}, "<a href=/never>x</a>"));
        foreign.on("/a", box::redirect_to(server.url("/hidden")));
        crawl();
        CHECK(missing == std::vector<std::string>{"/a#y error"});
        CHECK(asked(server).back() == "GET /hidden");
    }
    SUBCASE("late, after the target was checked") {
        server.on("/", box::page({foreign.url("/a"), foreign.url("/b"), "/late"}));
        server.on("/late",
                  box::page({foreign.url("/a#x"), foreign.url("/a#y")}).after(10s));
        foreign.on("/a", box::redirect_to("/b"));
        crawl();
        CHECK(asked() == Asked{"HEAD /a", "GET /a", "HEAD /b", "GET /b"});
        CHECK(missing == std::vector<std::string>{"/a#y unclear"});
    }
}

TEST_CASE_FIXTURE(WithPlaces, "an own page may redirect abroad") {
    server.on("/moved", box::redirect_to(foreign.url("/b")));
    foreign.on("/b", with_ids({"x"}));
    SUBCASE("first") { crawl_links({"/moved#x", "/moved#y"}); }
    SUBCASE("and a link to it comes late") {
        server.on("/", box::page({"/moved", "/late"}));
        server.on("/late", box::page({"/moved#x", "/moved#y"}).after(10s));
        crawl();
        CHECK(asked() == Asked{"HEAD /b", "GET /b"});
    }
    CHECK(missing == std::vector<std::string>{"/moved#y unclear"});
}

TEST_CASE_FIXTURE(WithPlaces, "robots.txt forbids to look for a place, too") {
    setup.obey_robots = true;
    foreign.on("/robots.txt", box::robots("User-agent: *\nDisallow: /a\n"));
    foreign.on("/a", with_ids({}));
    const Result result = crawl_links({foreign.url("/a#x")});
    CHECK(result[foreign.url("/a")].outcome == Outcome::unclear);
    CHECK(asked() == Asked{"GET /robots.txt"});
    CHECK(missing.empty());
}

TEST_CASE_FIXTURE(WithPlaces,
                  "a page beside the scope, on an own host, is searched, too") {
    setup.reach = Reach::prefix;
    server.on("/docs/", box::page({"/a#x", "/a#y", "/b"}));
    server.on("/a", with_ids({"x"}, "<a href=/more>x</a>"));
    server.on("/b", with_ids({}));
    const Result result = setup.crawl(server.url("/docs/"));
    CHECK(asked(server) == Asked{"GET /docs/", "GET /a", "HEAD /b"});
    CHECK(missing == std::vector<std::string>{"/a#y error"});
}

TEST_CASE_FIXTURE(WithPlaces, "answers from before do, if they have ids") {
    box::KeptAnswers answers;
    setup.helpers.answers = &answers;
    foreign.on("/a", with_ids({"x"}));
    foreign.on("/b", with_ids({"x"}));
    crawl_links({foreign.url("/a#x"), foreign.url("/a#y"), foreign.url("/b")});
    CHECK(asked() == Asked{"GET /a", "HEAD /b"});
    answers.continue_crawl();
    missing.clear();
    const auto before = foreign.requests().size();
    crawl();
    CHECK(foreign.requests().size() == before);
    CHECK(missing == std::vector<std::string>{"/a#y unclear"});
}

TEST_CASE_FIXTURE(WithPlaces, "an answer to a HEAD from before doesn't do for a place") {
    box::KeptAnswers answers;
    setup.helpers.answers = &answers;
    foreign.on("/a", with_ids({"x"}));
    box::Server second(web);
    second.on("/", box::page({foreign.url("/a#y")}));
    crawl_links({foreign.url("/a")});
    CHECK(asked() == Asked{"HEAD /a"});
    answers.continue_crawl();
    const Result result = setup.crawl({server.url(), second.url()});
    CHECK(asked().size() == 2);
    CHECK(asked().back() == "GET /a");
    CHECK(missing == std::vector<std::string>{"/a#y unclear"});
    CHECK(result[second.url()].outcome == Outcome::page);
}
