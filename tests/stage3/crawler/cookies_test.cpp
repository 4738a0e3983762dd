// Cookies in a crawl: who returns them, and circles of redirects that they open.
#include "tests/stage3/crawler/crawl_in_box.h"
#include "tests/support/box/kept_answers.h"
#include "tests/support/url.h"

using namespace tests;

namespace {

/// A server that looks at cookies. A reply for a target may be for requests with a
/// cookie, or without any.
class CookieWeb final : public box::Web {
  public:
    using Answer = std::function<box::Reply(const std::string& cookies)>;

    void on(const std::string& url, Answer answer) { answers_[url] = std::move(answer); }
    void on(const std::string& url, const box::Reply& reply) {
        on(url, [reply](const std::string&) { return reply; });
    }

    box::Reply answer(const box::Request& request) override {
        std::string cookies;
        for (const std::string& header : request.headers)
            if (header.starts_with("Cookie: ")) {
                CHECK(cookies.empty()); // a request has one such header at most
                cookies = header.substr(8);
            }
        asked.push_back(
            fmt::format("{}{} {}", request.is_head ? "HEAD " : "", request.url, cookies));
        const auto found = answers_.find(request.url);
        return found == answers_.end() ? box::respond(404, "text/plain", "")
                                       : found->second(cookies);
    }

    std::vector<std::string> asked; // "URL cookies"

  private:
    std::map<std::string, Answer> answers_;
};

box::Reply with_cookies(box::Reply reply, const std::vector<std::string>& set) {
    for (const std::string& text : set)
        reply.headers.push_back("Set-Cookie: " + text);
    return reply;
}

const std::string site = "http://a.test";

/// Redirects to `target`, and sets a cookie, until that comes.
CookieWeb::Answer until(const std::string& cookie, const box::Reply& then,
                        const std::string& target, bool sets = true) {
    return [=](const std::string& cookies) {
        if (cookies.find(cookie) != std::string::npos)
            return then;
        box::Reply away = box::redirect_to(target);
        return sets ? with_cookies(std::move(away), {cookie + "; Path=/"}) : away;
    };
}

struct CookieCrawl {
    CookieCrawl() { setup.settings.workers = 1; }

    Result crawl(const std::string& target = "/") { return setup.crawl(site + target); }
    std::size_t times_asked(const std::string& url) const {
        return static_cast<std::size_t>(
            std::ranges::count_if(web.asked, [&](const std::string& text) {
                return text.starts_with(url + " ");
            }));
    }

    CookieWeb web;
    BoxedSetup setup{web};
};

} // namespace

TEST_CASE("what robots.txt or a page sets goes along with the next request") {
    CookieCrawl test;
    test.setup.obey_robots = true;
    test.web.on(site + "/robots.txt",
                with_cookies(box::robots(""), {"r=1", "deep=1; Path=/x"}));
    test.web.on(site + "/", with_cookies(box::page({"/x"}), {"p=2"}));
    test.web.on(site + "/x", box::page({}));
    SUBCASE("by default") {
        test.crawl();
        CHECK(test.web.asked
              == std::vector{site + "/robots.txt ", site + "/ r=1",
                             site + "/x deep=1; r=1; p=2"});
    }
    SUBCASE("unless the user wants none") {
        test.setup.settings.cookies.are_kept = false;
        test.crawl();
        CHECK(test.web.asked
              == std::vector{site + "/robots.txt ", site + "/ ", site + "/x "});
    }
}

TEST_CASE("where the user's own Cookie header goes, none of ours does") {
    for (const auto* const header : {"cookie : mine=1", "X-Cookie: mine=1"}) {
        CookieCrawl test;
        const bool is_one = header[0] == 'c';
        test.setup.settings.session.headers = {header};
        test.web.on(site + "/", with_cookies(box::page({"/x"}), {"a=b"}));
        test.crawl();
        CHECK(test.web.asked.back() == site + (is_one ? "/x " : "/x a=b"));
    }
}

TEST_CASE("another site gets no cookie, and can't set one for this site") {
    CookieCrawl test;
    test.setup.settings.checks.foreign = true;
    test.web.on(site + "/",
                with_cookies(box::page({"http://b.test/", "/late"}), {"a=b"}));
    test.web.on(site + "/late", box::redirect_to("http://b.test/x"));
    test.web.on("http://b.test/",
                with_cookies(box::page({}), {"evil=1; Domain=a.test", "b=c"}));
    test.web.on("http://b.test/x", box::page({}));
    test.crawl();
    for (const std::string& text : test.web.asked) {
        CAPTURE(text);
        CHECK(text.find("evil") == std::string::npos);
        CHECK((text.find("a=b") == std::string::npos
               || text.find(site) != std::string::npos));
        CHECK((text.find("b=c") == std::string::npos
               || text.find("http://b.test/") != std::string::npos));
    }
}

TEST_CASE("a redirect to itself is alive if the cookie that it sets opens it") {
    CookieCrawl test;
    test.web.on(site + "/", until("s=1", box::page({"x"}), "/"));
    test.web.on(site + "/x", box::page({}));
    SUBCASE("by default") {
        const Result result = test.crawl();
        CHECK(result[site + "/"].outcome == Outcome::page);
        CHECK(result[site + "/"].status == 200);
        CHECK(result[site + "/x"].outcome == Outcome::page);
        CHECK(test.web.asked
              == std::vector{site + "/ ", site + "/ s=1", site + "/x s=1"});
    }
    SUBCASE("but not without cookies") {
        test.setup.settings.cookies.are_kept = false;
        CHECK(test.crawl()[site + "/"].error == "redirect loop");
        CHECK(test.web.asked.size() == 1);
    }
}

TEST_CASE("a way round by another URL ends in a page, whose links count from there") {
    CookieCrawl test;
    test.web.on(site + "/", box::page({"/deep/page"}));
    test.web.on(site + "/deep/page", until("s=1", box::page({"next"}), "/set", false));
    test.web.on(site + "/set",
                with_cookies(box::redirect_to("/deep/page"), {"s=1; Path=/"}));
    test.web.on(site + "/deep/next", box::page({}));
    const Result result = test.crawl();
    CHECK(result.progress.dead == 0);
    CHECK(result[site + "/deep/page"].outcome == Outcome::redirect);
    CHECK(result[site + "/set"].outcome == Outcome::page);
    CHECK(result[site + "/deep/next"].parent == site + "/set");
    CHECK(test.times_asked(site + "/deep/page") == 2);
    CHECK(test.times_asked(site + "/set") == 1);
}

TEST_CASE("what leads out of the circle is a redirect like any other") {
    CookieCrawl test;
    test.web.on(site + "/", box::page({"/sub/a"}));
    test.web.on(site + "/sub/a", until("s=1", box::redirect_to("in#part"), "/b"));
    test.web.on(site + "/b", box::redirect_to("/sub/a"));
    test.web.on(site + "/sub/in", box::page({}));
    const Result result = test.crawl();
    CHECK(result[site + "/b"].outcome == Outcome::redirect);
    CHECK(result[site + "/b"].next_url == site + "/sub/in");
    CHECK(result[site + "/sub/in"].parent == site + "/b");
    CHECK(test.times_asked(site + "/sub/in") == 1);
}

TEST_CASE("a cookie may have to grow, or go, before a circle opens") {
    CookieCrawl test;
    test.web.on(site + "/", with_cookies(box::page({"/grow", "/go"}), {"go=1"}));
    test.web.on(site + "/grow", [](const std::string& cookies) {
        const auto at = cookies.find("n=");
        const int n = at == std::string::npos ? 0 : cookies.at(at + 2) - '0';
        return n == 3 ? box::page({})
                      : with_cookies(box::redirect_to("/grow"),
                                     {fmt::format("n={}", n + 1)});
    });
    test.web.on(site + "/go", [](const std::string& cookies) {
        return cookies.find("go=1") == std::string::npos ? box::page({})
                                                         : box::redirect_to("/gone");
    });
    test.web.on(site + "/gone",
                with_cookies(box::redirect_to("/go"), {"go=; Max-Age=0"}));
    const Result result = test.crawl();
    CHECK(result[site + "/grow"].outcome == Outcome::page);
    CHECK(result[site + "/gone"].outcome == Outcome::page);
}

TEST_CASE("a circle that no cookie opens is dead after a few requests") {
    CookieCrawl test;
    test.web.on(site + "/", box::page({"/self"}));
    std::size_t requests = 0;
    SUBCASE("it sets none, and nor does its site") {
        test.web.on(site + "/self", box::redirect_to("/self"));
        requests = 1;
    }
    SUBCASE("it sets always the same") {
        test.web.on(site + "/self", with_cookies(box::redirect_to("/self"), {"a=b"}));
        requests = 2;
    }
    SUBCASE("it sets a new one each time, for ever") {
        test.web.on(site + "/self", [n = 0](const std::string&) mutable {
            return with_cookies(box::redirect_to("/self"), {fmt::format("n={}", ++n)});
        });
        requests = 21;
    }
    const Result result = test.crawl();
    CHECK(result[site + "/self"].outcome == Outcome::failed);
    CHECK(result[site + "/self"].error == "redirect loop");
    CHECK(result[site + "/self"].status == 302);
    CHECK(result[site + "/self"].next_url == site + "/self");
    CHECK(test.times_asked(site + "/self") == requests);
}

TEST_CASE("a host whose circles never end gets fewer and fewer requests") {
    CookieCrawl test;
    std::vector<std::string> links;
    for (int i = 0; i < 10; ++i) {
        links.push_back(fmt::format("/{}", i));
        test.web.on(site + links.back(), [n = 0, i](const std::string&) mutable {
            return with_cookies(box::redirect_to(fmt::format("/{}", i)),
                                {fmt::format("n={}", ++n)});
        });
    }
    test.web.on(site + "/", box::page(links));
    CHECK(test.crawl().progress.dead == 10);
    CHECK(test.web.asked.size() == 1 + 3 * 21 + 7 * 3);
}

TEST_CASE("a host that refuses on the way round is left alone, and no other") {
    CookieCrawl test;
    test.setup.reach = Reach::domain;
    test.setup.settings.workers = 3;
    const std::string other = "http://www.a.test";
    test.web.on(site + "/", box::page({"/in", other + "/1", other + "/2"}));
    test.web.on(site + "/in", [n = 0, other](const std::string&) mutable {
        if (++n == 1)
            return box::redirect_to(other + "/set");
        return n == 2 ? box::respond(429, "text/plain", "", {"Retry-After: 5"})
                      : box::page({other + "/late"});
    });
    test.web.on(other + "/set", with_cookies(box::redirect_to(site + "/in"), {"s=1"}));
    const Result result = test.crawl();
    CHECK(result[other + "/set"].outcome == Outcome::page);
    CHECK(result[other + "/set"].tries == 2);
    box::Time refused{};
    for (const box::Request& request : test.web.requests()) {
        CAPTURE(request.url);
        if (request.host == "a.test" && refused != box::Time())
            CHECK(request.begin - refused >= 5s);
        if (request.reply.status == 429)
            refused = *request.answered;
    }
}

TEST_CASE("a failure on the way round puts the URL off, and then it's tried again") {
    CookieCrawl test;
    test.web.on(site + "/", box::page({"/self"}));
    test.web.on(site + "/self", [n = 0](const std::string& cookies) mutable {
        if (cookies.empty())
            return with_cookies(box::redirect_to("/self"), {"a=b"});
        return ++n == 1 ? box::respond(503, "text/plain", "") : box::page({});
    });
    const Result result = test.crawl();
    CHECK(result[site + "/self"].outcome == Outcome::page);
    CHECK(result[site + "/self"].tries == 2);
}

TEST_CASE("a picture behind such a circle is alive, and its body isn't fetched") {
    CookieCrawl test;
    test.setup.settings.checks.assets = true;
    test.web.on(site + "/", box::html("<img src=/set>"));
    test.web.on(site + "/set", with_cookies(box::redirect_to("/pic"), {"s=1; Path=/"}));
    test.web.on(site + "/pic",
                until("s=2", box::respond(200, "image/png", "x"), "/set", false));
    CHECK(test.crawl()[site + "/pic"].error == "redirect loop");
    test.web.on(site + "/pic",
                until("s=1", box::respond(200, "image/png", "x"), "/set", false));
    const Result result = test.crawl();
    CHECK(result.progress.dead == 0);
    CHECK(result[site + "/pic"].content_type == "image/png");
}

TEST_CASE("on the way round each host gets its pause") {
    CookieCrawl test;
    test.setup.settings.workers = 10;
    test.setup.settings.frontier.politeness.delay = 1s;
    test.setup.obey_robots = true;
    test.setup.reach = Reach::domain;
    const std::string other = "http://www.a.test";
    for (const std::string& host : {site, other})
        test.web.on(host + "/robots.txt",
                    box::robots(host == site ? "" : "User-agent: *\nCrawl-delay: 3\n"));
    std::vector<std::string> links{"/in"}; // others come between
    for (int i = 0; i < 50; ++i)
        links.push_back(fmt::format("{}/{}", i < 45 ? site : other, i));
    test.web.on(site + "/", with_cookies(box::page(links), {"other=1"}));
    test.web.on(site + "/in", until("s=1", box::page({}), other + "/set", false));
    test.web.on(other + "/set", [&, n = 0](const std::string&) mutable {
        return ++n == 1
                   ? box::redirect_to(site + "/in")
                   : with_cookies(box::redirect_to(site + "/in"), {"s=1; Domain=a.test"});
    });
    test.setup.crawl(site + "/");
    CHECK(test.times_asked(other + "/set") == 2);
    std::map<std::string, box::Time> last;
    for (const box::Request& request : test.web.requests()) {
        CAPTURE(request.url);
        const box::Time pause = request.host == "a.test" ? 1s : 3s;
        if (last.contains(request.host))
            CHECK(request.begin - last[request.host] >= pause);
        last[request.host] = request.begin;
    }
}

TEST_CASE("a foreign circle stays unclear if cookies don't open it") {
    for (const bool opens : {true, false}) {
        CookieCrawl test;
        test.setup.settings.checks.foreign = true;
        test.web.on(site + "/", box::page({"http://b.test/"}));
        test.web.on("http://b.test/", until(opens ? "s=1" : "s=2", box::page({}), "/"));
        if (!opens)
            test.web.on("http://b.test/", with_cookies(box::redirect_to("/"), {"s=1"}));
        CHECK(test.crawl()["http://b.test/"].outcome
              == (opens ? Outcome::file : Outcome::unclear));
    }
}

TEST_CASE("a crawl that goes on has lost its cookies, and finds them again") {
    for (const std::string kept : {"/a", "/b"})        // by the earlier process
        for (const std::string first : {"/a", "/b"}) { // on the page
            CAPTURE(kept);
            CAPTURE(first);
            const auto other = [](const std::string& hop) {
                return hop == "/a" ? "/b" : "/a";
            };
            CookieCrawl test;
            test.web.on(site + "/", box::page({first, other(first)}));
            test.web.on(site + "/a", until("s=1", box::page({}), "/b", false));
            test.web.on(site + "/b",
                        with_cookies(box::redirect_to("/a"), {"s=1; Path=/"}));
            stage3::PageResponse without_cookie;
            without_cookie.status = 302;
            without_cookie.location = other(kept);
            box::KeptAnswers answers;
            answers.keep(stage3::Item(url_of(site + kept)), without_cookie, true,
                         nullptr);
            answers.continue_crawl();
            test.setup.helpers.answers = &answers;
            const Result result = test.crawl();
            CHECK(result.progress.dead == 0);
            CHECK(result.records.size() == 3);
        }
}
