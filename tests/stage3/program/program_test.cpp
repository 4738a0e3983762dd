// Stage 3's program as its user meets it: what it prints, and its exit status.
#include "tests/stage3/program/program_under_test.h"
#include "tests/support/waits.h"

using namespace tests;

TEST_CASE("bad usage gives one line and exit status 2") {
    ScriptedServer server; // nothing must be fetched from it
    const auto refused = [&](std::vector<std::string> arguments,
                             const std::string& words) {
        arguments.push_back(server.url());
        const Finished finished = run_stage3(arguments);
        CAPTURE(finished.err);
        CHECK(finished.status == 2);
        CHECK(finished.out.empty());
        CHECK(std::ranges::count(finished.err, '\n') == 1);
        CHECK(finished.err.starts_with("stage3: "));
        CHECK(finished.err.find(words) != std::string::npos);
    };
    CHECK(run_stage3({}).status == 2);
    CHECK(run_stage3({}).err
          == "stage3: give a URL to crawl, like https://example.org/ (see stage3 "
             "--help)\n");
    refused({"ftp://x/"}, "'ftp://x/' is not a URL to crawl");
    refused({""}, "is not a URL to crawl");
    refused({"http://h:99999/"}, "is not a URL to crawl");
    refused({"-w", "0"}, "--workers: '0' is not a number from 1 to 100000");
    refused({"-w", "-5"}, "--workers");
    refused({"-w", "5x"}, "--workers");
    refused({"-d", "-1"}, "--max-depth");
    refused({"--max-pages", "0"}, "--max-pages");
    refused({"--max-redirects", "x"}, "--max-redirects");
    refused({"--max-tries", "0"}, "--max-tries");
    refused({"--scope", "world"}, "--scope: 'world': choose one of prefix, host, domain");
    refused({"--exclude", "("}, "--exclude: '(' is not an extended regular expression");
    refused({"--order", "random"}, "choose one of fifo, lifo, priority");
    refused({"--timeout", "0"}, "--timeout: '0' is not a number of seconds");
    refused({"--fetch-timeout", "nan"}, "--fetch-timeout");
    refused({"--connect-timeout", "soon"}, "--connect-timeout");
    refused({"--delay", "-1"}, "--delay");
    refused({"--max-per-host", "0"}, "--max-per-host");
    refused({"--max-body", "16X"}, "--max-body: '16X' is not a number of bytes");
    refused({"--max-body", "18446744073709551615G"}, "--max-body");
    refused({"--selector", "kqueue2"}, "choose one of");
    refused({"--format", "pdf"}, "choose one of text, jsonl, csv, dot, html, junit, ");
    refused({"--redirects", "--format", "csv"},
            "--redirects needs --format text, jsonl or html");
    refused({"--redirects=no-such"},
            "--redirects: 'no-such': choose one of true, false, error");
    refused({"--also", "csv"}, "'csv': give a format and a file, as in junit=");
    refused({"--also", "pdf=x"}, "--also: 'pdf': choose one of text, jsonl");
    refused({"--why-slow", "--frontier", "redis://localhost", "--crawl", "x"},
            "--why-slow is for a crawl by one process: leave out --frontier");
    refused({"--html", "none", "-o", "./none"},
            "--html: that is also --output's file; give it another one");
    refused({"--html", "-"}, "--html and --write-baseline need files");
    refused({"--html", "/no/such/folder/x"},
            "--html: can't write to '/no/such/folder/x'");
    refused({"--write-baseline", "/no/such/folder/x"}, "--write-baseline: can't write");
    refused({"--baseline", "/no/such/file"}, "--baseline: can't read '/no/such/file': ");
    refused({"--config", "/no/such/file"}, "--config: can't read '/no/such/file': ");
    refused({"--config", "x", "--no-config"}, "--config and --no-config: give one");
    refused({"/"}, "the folder '/' has no index.html: give the page to begin with");
    refused({"./no-such-folder"}, "there is nothing there");
    refused({"--include", "["}, "--include: '[' is not an extended regular expression");
    refused({"--exclude="}, "a value is missing: --exclude=");
    refused({"--frontier", "http://h"}, "--frontier: a Redis URL begins with redis://");
    refused({"--frontier", "redis://h"}, "--frontier needs the crawl's name: --crawl");
    refused({"--crawl", "x"}, "need a --frontier");
    refused({"--lease", "5"}, "need a --frontier");
    refused({"--report"}, "need a --frontier");
    refused({"--forget"}, "need a --frontier");
    refused({"--retry-given-up"}, "need a --frontier");
    const auto refused_with_others = [&](std::vector<std::string> arguments,
                                         const std::string& words) {
        arguments.insert(arguments.begin(), {"--frontier", "redis://h", "--crawl", "x"});
        refused(std::move(arguments), words);
    };
    refused_with_others({"--crawl", "a b"}, "--crawl: 'a b' is not a name");
    refused_with_others({"--lease", "0.4"}, "--lease: '0.4' is not a number of seconds");
    refused_with_others({"--format", "dot"}, "--format dot needs every page's links");
    refused_with_others({"--also", "dot=x"}, "--format dot needs every page's links");
    refused_with_others({"--write-baseline", "x"}, "with --frontier, give --baseline");
    refused_with_others({"--report"}, "--report and --forget take no URLs");
    refused_with_others({"--forget", "--urls-from", "x"},
                        "--report and --forget take no");
    refused_with_others({"--forget"}, "--report and --forget take no URLs");
    refused_with_others({"--forget", "--report"}, "give one of these");
    refused_with_others({"--report", "--retry-given-up"},
                        "--report and --forget fetch nothing, and --retry-given-up does");
    refused_with_others({"--frontier", "redis://i", "--max-pages", "3"},
                        "--max-pages can't be counted over several servers");
    refused({"--user-agent="}, "a value is missing: --user-agent=");
    refused({"[::1"}, "'[::1' is not a URL to crawl");
    refused({"mailto:me@127.0.0.1:1?subject=x"},
            "'...@127.0.0.1:1?subject=x' is not a URL");
    refused({"http://me:secret@h:99999/"}, "'...@h:99999/' is not a URL to crawl");
    refused({"--header", "no colon"}, "--header: 'no colon' is not a header like");
    refused({"--header", "A: b\r\nC: d"}, "is not a header like");
    refused({"--header", ": b"}, "is not a header like");
    refused({"--user-agent", ""}, "--user-agent: ''");
    refused({"--user-agent", " "}, "--user-agent: ' '");
    refused({"--top", "-1"}, "--top");
    refused({"--trace", "/no/such/folder/x"}, "--trace: ");
    refused({"-o", "/no/such/folder/x"}, "--output: can't write to '/no/such/folder/x'");
    refused({"--progress", "maybe"}, "choose one of auto, always, never");
    refused({"--unknown"}, "unknown option --unknown");
    refused({"--max-page", "3"}, "unknown option --max-page: did you mean --max-pages?");
    refused({"-w", "1\n2"}, "'1\\x0a2'");
    CHECK(run_stage3({"--unknown"}).err.find("--unknown") != std::string::npos);
    CHECK(run_stage3({"http://h/", "-w"}).err.find("a value is missing: --workers")
          != std::string::npos);
    CHECK(server.requests().empty());
}

TEST_CASE("the help fits on three screens") {
    const Finished finished = run_stage3({"--help"});
    CHECK(finished.status == 0);
    CHECK(finished.err.empty());
    CHECK(lines(finished.out).size() <= 3 * 24);
    for (const std::string& line : lines(finished.out)) {
        CAPTURE(line);
        CHECK(line.size() <= 80);
    }
}

TEST_CASE("a site without dead links gives a report and exit status 0") {
    ScriptedServer server;
    server.on("/", html("<a href=/a>"));
    server.on("/a", tests::redirect_to("/"));
    const Finished finished = run_stage3({server.url().substr(7)}); // without http://
    CHECK(finished.status == 0);
    CHECK(finished.err.empty());
    CHECK(finished.out.starts_with(fmt::format(
        "page        200        11  {0}\nredirect    302         0  {0}a -> {0}\n",
        server.url())));
    CHECK(last_line(finished.out).starts_with("Done in "));
    CHECK(last_line(finished.out).ends_with(" s: 1 fetched, 1 redirect, 0 dead."));
}

TEST_CASE("robots.txt is obeyed unless --no-robots is given") {
    ScriptedServer server;
    server.on("/robots.txt",
              tests::respond(200, "text/plain", "User-agent: *\nDisallow: /private\n"));
    server.on("/private", html(""));
    CHECK(run_stage3({"--no-robots", server.url("/private")}).status == 0);
    CHECK(server.times_asked("/robots.txt") == 0);
    const Finished finished = run_stage3({"-q", server.url("/private")});
    CHECK(finished.status == 3);
    CHECK(server.times_asked("/private") == 1);
    CHECK(finished.err.starts_with(fmt::format(
        "stage3: nothing was checked: {}private is forbidden", server.url())));
}

TEST_CASE("--redirects lists redirects to mend after the records") {
    ScriptedServer server;
    server.on("/", html("<a href=/old><a href=/chain><a href=/today>"));
    server.on("/old", tests::redirect_to("/new", 301));
    server.on("/new", html("<a href=/old>"));
    server.on("/today", tests::redirect_to("/new"));
    server.on("/chain", tests::redirect_to("/today"));
    const Finished jsonl = run_stage3({"--redirects", "--format", "jsonl", server.url()});
    CHECK(lines(jsonl.out).size() == 5 + 2);
    CHECK(jsonl.out.find(
              fmt::format("}}\n{{\"redirect_to_mend\": \"{}chain\"", server.url()))
          != std::string::npos);
}

TEST_CASE("with --redirects=error, redirects to mend count as dead") {
    ScriptedServer server;
    server.on("/", html("<a href=/old><a href=/today>"));
    server.on("/old", tests::redirect_to("/new", 301));
    server.on("/new", html(""));
    server.on("/today", tests::redirect_to("/new"));
    CHECK(run_stage3({"--redirects", server.url()}).status == 0);
    CHECK(run_stage3({"--redirects=error", "-q", server.url()}).status == 1);
    CHECK(run_stage3({"--redirects=error", "-q", server.url("/today")}).status == 0);
    const Finished csv =
        run_stage3({"--redirects=error", "--format", "csv", server.url()});
    CHECK(csv.status == 1);
    CHECK(csv.out.find(server.url("/old") + ",,,redirect to mend,301,")
          != std::string::npos);
}

TEST_CASE("--urls-from adds the URLs on standard input to those on the command line") {
    ScriptedServer server;
    const auto crawl = [&](const std::string& list) {
        return tests::run({"/bin/sh", "-c",
                           R"(printf "$1" | "$0" --urls-from - --format jsonl "$2")",
                           program(), list, server.url("/a")});
    };
    const Finished finished =
        crawl("# ours\n" + server.url("/b") + "\r\n" + server.url("/c") + "\n");
    CHECK(finished.status == 1);
    CHECK(lines(finished.out).size() == 3);
    CHECK(crawl("\nx y\n").err
          == "stage3: --urls-from: standard input, line 2: 'x y' has a space or a "
             "control character in it: give one URL per line (see stage3 --help)\n");
    for (const auto& [input, error] :
         {std::pair("</tmp", "Is a directory"), std::pair("<&-", "Bad file descriptor")})
        CHECK(tests::run({"/bin/sh", "-c", fmt::format(R"("$0" --urls-from - {})", input),
                          program()})
                  .err
              == fmt::format("stage3: --urls-from: can't read standard input: {} (see "
                             "stage3 --help)\n",
                             error));
    CHECK(run_stage3({"--urls-from", "/dev/null"}).err
          == "stage3: --urls-from: the list has no URLs (see stage3 --help)\n");
}

TEST_CASE("with -q, only the exit status tells of dead links, unless results are asked "
          "for") {
    ScriptedServer server;
    server.on("/", html("<a href=/gone>"));
    const auto crawl = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), {"-q", server.url()});
        const Finished finished = run_stage3(std::move(arguments));
        CHECK(finished.status == 1);
        CHECK(finished.err.empty());
        return finished.out;
    };
    CHECK(crawl({}).empty());
    CHECK(lines(crawl({"--format", "jsonl"})).size() == 2);
    const TemporaryFile file;
    CHECK(crawl({"-o", file.path()}).empty());
    CHECK(file.text().find("\nDead:\n") != std::string::npos);
    CHECK(run_stage3({"-q", "--unknown"}).err.find("--unknown") != std::string::npos);
}

TEST_CASE("the whole site is found with each selector") {
    practice_site::SiteOptions pages = many_pages;
    pages.pages = 150;
    const PracticeSite site(pages);
    for (const char* selector : {"epoll", "poll", "select"})
        site.check(
            run_stage3({"--selector", selector, "--format", "jsonl", site.server.url()}));
}

TEST_CASE("a crawl that is cut short reports it and exits with status 3") {
    const PracticeSite site(many_pages);
    Finished finished = run_stage3({"--max-pages", "20", site.server.url()});
    CHECK(finished.status == 3);
    CHECK(finished.out.find("\nDone in ") != std::string::npos);
    CHECK(finished.err.starts_with("stage3: enough has been fetched (--max-pages): "));
    CHECK(finished.err.ends_with(" URLs that are known were not fetched\n"));

    // What it has found is true all the same.
    ScriptedServer with_dead_links;
    with_dead_links.on("/", html("<a href=/gone><a href=/2>"));
    finished = run_stage3({"--max-pages", "2", with_dead_links.url()});
    CHECK(finished.status == 1);
    CHECK(finished.err.starts_with("stage3: enough has been fetched (--max-pages): "));

    HangingSite hanging(5);
    finished = run_stage3({"--timeout", "3", hanging.server.url()});
    CHECK(finished.status == 3);
    CHECK(finished.out.find("\nCut short: the time is over (--timeout).\nDone in ")
          != std::string::npos);
    CHECK(finished.err
          == "stage3: the time is over (--timeout): 5 URLs that are known were not "
             "fetched\n");
}

TEST_CASE("if an option is given twice, the last one counts") {
    ScriptedServer server;
    server.on("/", html("<a href=/a>"));
    CHECK(run_stage3({"-d", "1", "-d", "0", server.url()}).status == 0);
}

TEST_CASE("a root's password is sent and never shown") {
    ScriptedServer server;
    server.on("/", html("<a href=/a>"));
    server.on("/a", tests::redirect_to("http://you:other@127.0.0.1:1/"));
    const std::string address = server.url().substr(std::string_view("http://").size());
    const std::string root = "http://me:secret@" + address;
    const TemporaryFile file;
    for (const char* format : {"text", "jsonl", "csv", "dot"}) {
        const Finished finished = run_stage3(
            {"-v", "--max-tries", "1", "--format", format, "--trace", file.path(), root});
        const std::string all = finished.out + finished.err + file.text();
        CHECK(all.find(server.url()) != std::string::npos);
        CHECK(all.find("secret") == std::string::npos);
        CHECK(all.find("other") == std::string::npos);
    }
    for (const tests::Request& request : server.requests())
        CHECK(request.head.find("Authorization: Basic bWU6c2VjcmV0\r\n")
              != std::string::npos);
}

TEST_CASE("cookies are returned and never shown, and --no-cookies returns none") {
    ScriptedServer server;
    server.on("/", tests::respond(200, "text/html", "<a href=/a>",
                                  "Set-Cookie: session=secret\r\n"));
    server.on("/a", tests::respond(302, "text/html", "",
                                   "Location: /a\r\nSet-Cookie: session=secret\r\n"));
    const TemporaryFile file;
    for (const char* format : {"text", "jsonl", "csv", "dot"}) {
        const Finished finished =
            run_stage3({"-v", "--format", format, "--trace", file.path(), server.url()});
        CHECK(finished.status == 1);
        const std::string all = finished.out + finished.err + file.text();
        CHECK(all.find(server.url("/a")) != std::string::npos);
        CHECK(all.find("secret") == std::string::npos);
    }
    const auto returned = [&server] {
        const auto requests = server.requests();
        return std::ranges::count_if(requests, [](const tests::Request& request) {
            return request.head.find("Cookie: session=secret") != std::string::npos;
        });
    };
    CHECK(returned() == 4 * 2); // for /a, and once more
    CHECK(run_stage3({"--no-cookies", server.url()}).status == 1);
    CHECK(returned() == 4 * 2);
}

TEST_CASE("--why-slow says at the end what limited the crawl, even if that is quiet") {
    ScriptedServer server;
    server.on("/", html("<a href=/a>"));
    server.on("/a", html("12345"));
    const TemporaryFile page;
    const Finished finished = run_stage3(
        {"-q", "--no-robots", "--why-slow", "--html", page.path(), server.url()});
    CHECK(finished.status == 0);
    CAPTURE(finished.err);
    CHECK(finished.err.starts_with("stage3: what limited the crawl, which took "));
    CHECK(finished.err.find(": 2 requests, 16 bytes, wait ") != std::string::npos);
    CHECK(finished.err.find(" %: ") != std::string::npos);
    CHECK(page.text().find("What limited the crawl") != std::string::npos);
}

TEST_CASE("--progress shows how far the crawl is") {
    tests::may_wait(1500ms, "a line of progress comes once a second");
    ScriptedServer server;
    server.on("/", html("<a href=/gone>"));
    server.on("/slow", tests::Reply{Pause{1500ms}, html("<a href=/gone>")[0]});
    CHECK(run_stage3({server.url()}).err.empty()); // not a terminal
    CHECK(run_stage3({"-v", server.url()}).err
          == fmt::format("worker 1, depth 0: {0}\nworker 2, depth 1: {0}gone\n",
                         server.url()));
    Finished finished = run_stage3({"--progress", "always", "-v", server.url("/slow")});
    CHECK(finished.err.find("\r\x1b[K0 fetched, 0 redirects, 0 dead; 1 under way, 0 "
                            "waiting; ")
          != std::string::npos);
    CHECK(finished.err.ends_with("\r\x1b[K")); // the progress line is removed
    finished = run_stage3({"-q", "--fail-parsing", "1", server.url()});
    CHECK(finished.status == 1);
    CHECK(finished.err.empty());
}
