// Stage 3's program as its user meets it: what it prints, how it exits, how it ends.
#include "common/system/descriptors.h"
#include "common/system/socket.h"
#include "tests/practice_site/background_site.h"
#include "tests/support/in_bulk.h"
#include "tests/support/listener.h"
#include "tests/support/process.h"
#include "tests/support/scripted_server.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using tests::Finished;
using tests::Hold;
using tests::html;
using tests::last_line;
using tests::Pause;
using tests::ScriptedServer;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

namespace {

std::string program() { return tests::path_in("PROGRAM"); }

Finished run(std::vector<std::string> arguments, const tests::RunOptions& how = {}) {
    return tests::run_program("PROGRAM", std::move(arguments), how);
}

/// The command that runs it with tests/support/slow_names.cpp, and this variable for
/// that.
std::vector<std::string> preloaded(const std::string& variable,
                                   const std::vector<std::string>& arguments) {
    const char* const asan = std::getenv("ASAN_OPTIONS");
    std::vector<std::string> command{
        "/usr/bin/env", fmt::format("LD_PRELOAD={}", tests::path_in("SLOW_NAMES_LIB")),
        variable,
        // It wants to be the first library.
        fmt::format("ASAN_OPTIONS={}:verify_asan_link_order=0",
                    asan != nullptr ? asan : ""),
        program()};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return command;
}

Finished run_preloaded(const std::string& variable,
                       const std::vector<std::string>& arguments,
                       const tests::RunOptions& how = {}) {
    return tests::run(preloaded(variable, arguments), how);
}

std::vector<std::string> lines(const std::string& text) {
    std::vector<std::string> result;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);)
        result.push_back(line);
    return result;
}

/// The value of a field in a line of JSON, as it stands there, without quotes.
std::string field(const std::string& json, const std::string& name) {
    const auto key = json.find("\"" + name + "\": ");
    if (key == std::string::npos)
        return "(none)";
    const auto begin = key + name.size() + 4;
    const bool text = json[begin] == '"';
    const auto end = json.find_first_of(text ? "\"" : ",}", begin + 1);
    return json.substr(text ? begin + 1 : begin, end - begin - (text ? 1 : 0));
}

/// The URLs by outcome, of --format jsonl.
std::map<std::string, std::multiset<std::string>> by_outcome(const std::string& out) {
    std::map<std::string, std::multiset<std::string>> result;
    for (const std::string& line : lines(out)) {
        CHECK(line.starts_with("{\"url\": "));
        CHECK(line.ends_with("}"));
        result[field(line, "outcome")].insert(field(line, "url"));
    }
    return result;
}

/// Waits, at most 10 s, until something holds.
template <class Condition>
void wait_until(Condition condition) {
    for (int i = 0; i < 10'000 && !condition(); ++i)
        std::this_thread::sleep_for(1ms);
}

std::string read_file(const std::string& path) {
    const std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

/// A site with one page, and links to so many others that never answer.
struct HangingSite {
    explicit HangingSite(int pages) {
        std::string links;
        for (int i = 0; i < pages; ++i) {
            links += fmt::format("<a href=/{}>x</a>", i);
            server.on(fmt::format("/{}", i), {Hold{}});
        }
        server.on("/", html(links));
    }
    /// Waits until so many requests have come.
    void wait_for_requests(std::size_t number) {
        wait_until([&] { return server.requests().size() >= number; });
    }

    ScriptedServer server;
};

struct PracticeSite : practice_site::BackgroundSite {
    explicit PracticeSite(const practice_site::SiteOptions& options,
                          std::chrono::milliseconds latency = 2ms)
        : BackgroundSite(options, latency) {}

    /// 1: there are dead links.
    void check(const Finished& finished, int status = 1) const {
        CAPTURE(finished.err);
        CHECK(finished.status == status);
        const auto found = by_outcome(finished.out);
        const auto all = [](const auto& urls) {
            return std::multiset<std::string>(urls.begin(), urls.end());
        };
        std::multiset<std::string> redirects;
        for (const auto& [url, target] : manifest.redirects)
            redirects.insert(url);
        CHECK(found.size() == 3);
        CHECK(found.at("page") == all(manifest.pages));
        CHECK(found.at("error") == all(manifest.dead));
        CHECK(found.at("redirect") == redirects);
    }
};

/// Does a process ignore Ctrl-\ by now? Where the system doesn't tell, after a while.
bool ignores_quit(pid_t process) {
    std::ifstream status(fmt::format("/proc/{}/status", process));
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("SigIgn:"))
            return (std::stoull(line.substr(7), nullptr, 16) >> (SIGQUIT - 1) & 1) != 0;
    }
    std::this_thread::sleep_for(1s);
    return true;
}

/// Until the site has been asked for something, and then for nothing for a while.
void wait_until_it_rests(const PracticeSite& site) {
    std::uint64_t before = 0;
    wait_until([&] {
        std::this_thread::sleep_for(500ms);
        const auto now = site.server.statistics().requests_served;
        return now > 0 && std::exchange(before, now) == now;
    });
}

const practice_site::SiteOptions many_pages{
    .pages = 500, .links = 20, .size = 2000, .seed = 3};

} // namespace

TEST_CASE("bad usage is one line, and exit status 2") {
    ScriptedServer server; // where nothing must be fetched
    const auto refused = [&](std::vector<std::string> arguments,
                             const std::string& words) {
        arguments.push_back(server.url());
        const Finished finished = run(arguments);
        CAPTURE(finished.err);
        CHECK(finished.status == 2);
        CHECK(finished.out.empty());
        CHECK(std::ranges::count(finished.err, '\n') == 1);
        CHECK(finished.err.starts_with("stage3: "));
        CHECK(finished.err.find(words) != std::string::npos);
    };
    CHECK(run({}).status == 2);
    CHECK(run({}).err
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
    refused({"--format", "html"}, "choose one of text, jsonl, csv, dot");
    refused({"--include", "["}, "--include: '[' is not an extended regular expression");
    refused({"--exclude="}, "a value is missing: --exclude=");
    refused({"--frontier", "http://h"}, "--frontier: a Redis URL begins with redis://");
    refused({"--frontier", "redis://h"}, "--frontier needs the crawl's name: --crawl");
    refused({"--crawl", "x"}, "need a --frontier");
    refused({"--lease", "5"}, "need a --frontier");
    refused({"--report"}, "need a --frontier");
    refused({"--forget"}, "need a --frontier");
    const auto refused_with_others = [&](std::vector<std::string> arguments,
                                         const std::string& words) {
        arguments.insert(arguments.begin(), {"--frontier", "redis://h", "--crawl", "x"});
        refused(std::move(arguments), words);
    };
    refused_with_others({"--crawl", "a b"}, "--crawl: 'a b' is not a name");
    refused_with_others({"--lease", "0.4"}, "--lease: '0.4' is not a number of seconds");
    refused_with_others({"--format", "dot"}, "--format dot needs every page's links");
    refused_with_others({"--report"}, "--report and --forget take no URLs");
    refused_with_others({"--forget"}, "--report and --forget take no URLs");
    refused_with_others({"--forget", "--report"}, "give one of these");
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
    refused({"--top", "-1"}, "--top");
    refused({"--trace", "/no/such/folder/x"}, "--trace: ");
    refused({"-o", "/no/such/folder/x"}, "--output: can't write to '/no/such/folder/x'");
    refused({"--progress", "maybe"}, "choose one of auto, always, never");
    refused({"--unknown"}, "--unknown");
    refused({"-w", "1\n2"}, "'1\\x0a2'");
    CHECK(run({"--unknown"}).err.find("--unknown") != std::string::npos);
    CHECK(run({"http://h/", "-w"}).err.find("a value is missing: --workers")
          != std::string::npos);
    CHECK(server.requests().empty());
}

TEST_CASE("help fits two screens") {
    const Finished finished = run({"--help"});
    CHECK(finished.status == 0);
    CHECK(finished.err.empty());
    CHECK(lines(finished.out).size() <= 2 * 24);
    for (const std::string& line : lines(finished.out)) {
        CAPTURE(line);
        CHECK(line.size() <= 80);
    }
}

TEST_CASE("a site without dead links is exit status 0, and has a report") {
    ScriptedServer server;
    server.on("/", html("<a href=/a>"));
    server.on("/a", tests::redirect_to("/"));
    const Finished finished = run({server.url().substr(7)}); // without http://
    CHECK(finished.status == 0);
    CHECK(finished.err.empty());
    CHECK(finished.out.starts_with(fmt::format(
        "page        200        11  {0}\nredirect    302         0  {0}a -> {0}\n",
        server.url())));
    CHECK(last_line(finished.out).starts_with("Done in "));
    CHECK(last_line(finished.out).ends_with(" s: 1 fetched, 1 redirects, 0 dead."));
}

TEST_CASE("robots.txt is obeyed, unless it is not asked for") {
    ScriptedServer server;
    server.on("/robots.txt",
              tests::respond(200, "text/plain", "User-agent: *\nDisallow: /private\n"));
    server.on("/", html("<a href=/private>"));
    server.on("/private", html(""));
    Finished finished = run({server.url()});
    CHECK(finished.status == 0);
    CHECK(finished.err.empty());
    CHECK(
        finished.out.find(fmt::format("disallowed    -         0  {}private (disallowed "
                                      "by robots.txt)\n",
                                      server.url()))
        != std::string::npos);
    CHECK(server.times_asked("/private") == 0);
    CHECK(server.times_asked("/robots.txt") == 1);
    finished = run({"--no-robots", server.url()});
    CHECK(server.times_asked("/private") == 1);
    CHECK(server.times_asked("/robots.txt") == 1);
    finished = run({server.url("/private")});
    CHECK(finished.status == 0);
    CHECK(finished.err
          == fmt::format("stage3: {}private: disallowed by robots.txt\n", server.url()));
}

TEST_CASE("what is dead is said last, with its pages, and the exit status is 1") {
    ScriptedServer server;
    server.on("/", html("<a href=/gone>"));
    const Finished finished = run({server.url()});
    CHECK(finished.status == 1);
    CHECK(
        finished.out.ends_with(fmt::format(" s: 1 fetched, 0 redirects, 1 dead.\nDead:\n"
                                           "  {0}gone (HTTP status 404)\n    on {0}\n",
                                           server.url())));
}

TEST_CASE("a site is found whole, whatever the workers, the order and the selector") {
    const PracticeSite site(many_pages);
    const auto crawl = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), {"--format", "jsonl", site.server.url()});
        return run(arguments);
    };
    for (const char* workers : {"1", "10", "300"})
        site.check(crawl({"-w", workers}));
    for (const char* order : {"fifo", "lifo", "priority"})
        site.check(crawl({"--order", order}));
    for (const char* selector : {"epoll", "poll", "select"})
        site.check(crawl({"--selector", selector}));
}

TEST_CASE("with few descriptors there are fewer workers, and nothing is called dead") {
    const PracticeSite site(many_pages);
    for (const auto& [descriptors, workers] : {std::pair(34U, 1U), {64U, 24U}}) {
        const Finished finished =
            run({"-w", "500", "--format", "jsonl", site.server.url()},
                {.descriptors = descriptors});
        site.check(finished);
        CHECK(std::ranges::count(finished.err, '\n') == 1);
        CHECK(finished.err
              == fmt::format("stage3: there is room for {} connections, of which {} are "
                             "for robots.txt: so there are {} workers and not 500 (see "
                             "ulimit -n)\n",
                             descriptors - 32, descriptors - 32 - workers, workers));
    }
    CHECK(run({"-w", "500", "--no-robots", "-q", site.server.url()}, {.descriptors = 64})
              .err.empty());
    CHECK(run({"-w", "500", "--no-robots", site.server.url()}, {.descriptors = 64}).err
          == "stage3: there is room for 32 connections: so there are 32 workers and not "
             "500 (see ulimit -n)\n");
}

TEST_CASE("no byte of a server's reaches the terminal as it is") {
    ScriptedServer server;
    server.on("/", html("<a href='/a'><a href='/b'><a href='/c'>"));
    server.on("/c", tests::redirect_to("http://\x1b[32m x/"));
    server.on("/a", {tests::Send{"HTTP/1.0 302 \x1b[2J\r\nLocation: x:\x1b[31m\x9b\r\n"
                                 "Content-Type: a\x1b\xff\r\n\r\n"}});
    server.on("/b", {tests::Send{"HTTP/1.0 200 OK\r\nContent-Type: a\x1b\xff;"
                                 "charset=\x07\xc3\r\n\r\n"}});
    for (const char* format : {"text", "jsonl"}) {
        const Finished finished = run({"-v", "--format", format, server.url()});
        CAPTURE(finished.out);
        for (const char c : finished.out + finished.err)
            CHECK((c == '\n' || (c >= ' ' && c < '\x7f')));
        CHECK(finished.out.find("[31m") != std::string::npos);
        CHECK(finished.out.find("no URL: http://\\") != std::string::npos);
    }
}

TEST_CASE("a crawl that is cut short says so, and is exit status 3") {
    const PracticeSite site(many_pages);
    Finished finished = run({"--max-pages", "20", site.server.url()});
    CHECK(finished.status == 3);
    CHECK(finished.out.find("\nDone in ") != std::string::npos);
    CHECK(finished.err.starts_with("stage3: enough has been fetched (--max-pages): "));
    CHECK(finished.err.ends_with(" URLs that are known were not fetched\n"));

    HangingSite hanging(5);
    finished = run({"--timeout", "0.3", hanging.server.url()});
    CHECK(finished.status == 3);
    CHECK(last_line(finished.out).ends_with(" s: 1 fetched, 0 redirects, 0 dead."));
    CHECK(finished.err
          == "stage3: the time is over (--timeout): 5 URLs that are known were not "
             "fetched\n");
}

TEST_CASE("Ctrl-C ends it within a second, with its report") {
    for (const int signal : {SIGINT, SIGTERM}) {
        HangingSite site(100);
        Clock::time_point pressed;
        const Finished finished =
            run({"-w", "100", site.server.url()}, {.meanwhile = [&](pid_t process) {
                    site.wait_for_requests(102);
                    pressed = Clock::now();
                    ::kill(process, signal);
                }});
        CHECK(Clock::now() - pressed < 1s);
        CHECK(finished.status == 130);
        CHECK(last_line(finished.out).ends_with(" s: 1 fetched, 0 redirects, 0 dead."));
        CHECK(finished.err
              == "stage3: interrupted: 100 URLs that are known were not fetched\n");
    }
}

TEST_CASE(
    "a terminal that is closed ends it, with its report, also if that is told twice") {
    HangingSite site(20);
    const Finished finished =
        run({"-w", "20", site.server.url()}, {.meanwhile = [&](pid_t process) {
                site.wait_for_requests(22);
                ::kill(process, SIGHUP);
                ::kill(process, SIGHUP);
            }});
    CHECK(finished.status == 130);
    CHECK(last_line(finished.out).ends_with(" s: 1 fetched, 0 redirects, 0 dead."));
    CHECK(finished.err
          == "stage3: interrupted: 20 URLs that are known were not fetched\n");
}

TEST_CASE("and if nobody reads its report, another signal ends it at once") {
    const PracticeSite site(many_pages);
    const Finished finished =
        run({"--format", "jsonl", site.server.url()},
            {.leave_output_unread = true, .meanwhile = [&](pid_t process) {
                 wait_until_it_rests(site);
                 ::kill(process, SIGHUP);
                 ::kill(process, SIGHUP);
                 std::this_thread::sleep_for(200ms);
                 CHECK(tests::is_running(process));
                 ::kill(process, SIGTERM);
             }});
    CHECK(finished.status == 130);
}

TEST_CASE("unless it was told to ignore that") {
    const HangingSite site(1);
    const Finished finished =
        tests::run({"/bin/sh", "-c",
                    R"(trap '' HUP; exec "$0" --fetch-timeout 1 --max-tries 1 "$1")",
                    program(), site.server.url()},
                   {.meanwhile = [&](pid_t process) {
                       wait_until([&] { return site.server.requests().size() >= 3; });
                       ::kill(process, SIGHUP);
                   }});
    CHECK(finished.status == 1);
    CHECK(finished.out.find(" s: 1 fetched, 0 redirects, 1 dead.") != std::string::npos);
}

TEST_CASE("Ctrl-C pressed twice ends it at once, whatever it is at") {
    // The report is longer than a pipe has room for, and nobody reads it.
    ScriptedServer server;
    std::string links = "<a href='/silent'>x</a>";
    for (int i = 0; i < 100; ++i) {
        const std::string path = fmt::format("/{}/{}", i, std::string(2000, 'x'));
        links += fmt::format("<a href='{}'>x</a>", path);
        server.on(path, html(""));
    }
    server.on("/silent", {Hold{}});
    server.on("/", html(links));
    Clock::time_point pressed;
    const Finished finished = run(
        {server.url()}, {.leave_output_unread = true, .meanwhile = [&](pid_t process) {
                             wait_until([&] { return server.requests().size() >= 103; });
                             ::kill(process, SIGINT);
                             std::this_thread::sleep_for(500ms);
                             CHECK(tests::is_running(process)); // it's writing
                             pressed = Clock::now();
                             ::kill(process, SIGINT);
                         }});
    CHECK(Clock::now() - pressed < 1s);
    CHECK(finished.status == 130);
}

TEST_CASE("also while it waits for whoever reads the records") {
    const PracticeSite site(many_pages);
    const Finished finished =
        run({"--format", "jsonl", site.server.url()},
            {.leave_output_unread = true, .meanwhile = [&](pid_t process) {
                 wait_until_it_rests(site);
                 ::kill(process, SIGINT);
                 std::this_thread::sleep_for(200ms);
                 CHECK(tests::is_running(process));
                 ::kill(process, SIGTERM);
             }});
    CHECK(finished.status == 130);
}

TEST_CASE(
    "once the crawl is over, the report comes out, unless Ctrl-C is pressed twice") {
    ScriptedServer server;
    std::string links;
    for (int i = 0; i < 100; ++i) {
        const std::string path = fmt::format("/{}/{}", i, std::string(2000, 'x'));
        links += fmt::format("<a href='{}'>x</a>", path);
        server.on(path, html(""));
    }
    server.on("/", html(links));
    const Finished finished = run(
        {server.url()}, {.leave_output_unread = true, .meanwhile = [&](pid_t process) {
                             wait_until([&] { return server.requests().size() >= 102; });
                             std::this_thread::sleep_for(500ms);
                             ::kill(process, SIGINT);
                             std::this_thread::sleep_for(200ms);
                             CHECK(tests::is_running(process));
                             ::kill(process, SIGINT);
                         }});
    CHECK(finished.status == 130);

    const Finished once =
        tests::run({"/bin/sh", "-c",
                    R"({ "$0" "$1" & crawl=$!; sleep 4; kill -INT $crawl; wait $crawl
              echo "status $?" >&2; } | { sleep 5; cat; })",
                    program(), server.url()});
    CHECK(once.err == "status 0\n");
    CHECK(last_line(once.out).ends_with(" s: 101 fetched, 0 redirects, 0 dead."));
}

TEST_CASE("Ctrl-\\ tells where all tasks wait, each time, and the crawl goes on") {
    ScriptedServer server;
    std::string links;
    for (int i = 0; i < 10; ++i) {
        links += fmt::format("<a href=/{}>x</a>", i);
        tests::Reply late{Pause{4s}};
        for (const auto& step : html(""))
            late.push_back(step);
        server.on(fmt::format("/{}", i), late);
    }
    tests::Reply start = html(links);
    start.emplace_back(tests::KeepOpen{}); // else libcurl 8.23 sees it closed too late
    server.on("/", start);
    const std::string file = fmt::format("/tmp/stage3_test_{}.err", ::getpid());
    const auto tables = [&] {
        std::vector<std::string> result;
        const std::string all = read_file(file);
        const std::string begin = "stage3: 12 tasks are not done. ";
        for (auto at = all.find(begin); at != std::string::npos;) {
            const auto next = all.find(begin, at + 1);
            result.push_back(all.substr(at, next - at));
            at = next;
        }
        return result;
    };
    const Finished finished =
        tests::run({"/bin/sh", "-c", R"(exec "$0" -q -w 10 "$1" 2> "$2")", program(),
                    server.url(), file},
                   {.meanwhile = [&](pid_t process) {
                       wait_until([&] { return server.requests().size() >= 12; });
                       for (const std::size_t number : {1U, 2U}) {
                           ::kill(process, SIGQUIT);
                           wait_until([&] { return tables().size() == number; });
                       }
                   }});
    CHECK(finished.status == 0);
    CHECK(last_line(finished.out).ends_with(" s: 11 fetched, 0 redirects, 0 dead."));
    CHECK(tables().size() == 2);
    for (const std::string& table : tables()) {
        CAPTURE(table);
        const auto has = [&](const std::string& text) {
            return table.find(text) != std::string::npos;
        };
        CHECK(has("\n1 waits: main\n"));
        CHECK(has("\n  for the task crawl\n1 waits: crawl\n"));
        // g++ says "Crawler<F>", clang++ "Crawler<>".
        CHECK(has("\n10 wait: worker 1 to worker 10\n  stage3::Crawler<"));
        CHECK(has(">::work, waiting at crawler.h:"));
        CHECK(has("\n  stage3::Session::get, waiting at session.cpp:"));
        CHECK(has("\n  for a future\nThe loop: 1")); // 10, or 11 with libcurl 8.23
        CHECK(has(" descriptors are watched, the next timer is due in "));
    }
    std::filesystem::remove(file);
}

TEST_CASE("Ctrl-\\ before there are tasks does nothing") {
    ScriptedServer server;
    server.on("/", html(""));
    const std::string file = fmt::format("/tmp/stage3_test_{}.fifo", ::getpid());
    REQUIRE(::mkfifo(file.c_str(), 0600) == 0);
    common::Socket reader;
    const Finished finished =
        run({"--trace", file, server.url()}, {.meanwhile = [&](pid_t process) {
                wait_until([&] { return ignores_quit(process); });
                ::kill(process, SIGQUIT);
                reader = common::Socket(::open(file.c_str(), O_RDONLY | O_NONBLOCK));
            }});
    CHECK(finished.signal == 0);
    CHECK(finished.status == 0);
    CHECK(finished.err.empty());
    std::filesystem::remove(file);
}

TEST_CASE("results that can't be written end it cleanly, whatever else it does") {
    const PracticeSite site(many_pages);
    for (int i = 0; i < 5; ++i) {
        const Finished finished = run(
            {"--progress", "always", "-w", "300", "--format", "jsonl", site.server.url()},
            {.out_file = "/dev/full"});
        CHECK(finished.status == 3);
        CHECK(finished.err.find("stage3: can't write results: ") != std::string::npos);
    }
}

TEST_CASE("where nobody can read what it complains of, that changes nothing") {
    for (const char* where : {"2>&-", "2>/dev/full"})
        CHECK(tests::run({"/bin/sh", "-c",
                          fmt::format(R"("$0" -w 0 http://h/ {})", where), program()})
                  .status
              == 2);
}

TEST_CASE("of an option that is given twice, the last one counts") {
    ScriptedServer server;
    server.on("/", html("<a href=/a>"));
    CHECK(run({"-d", "1", "-d", "0", server.url()}).status == 0);
}

TEST_CASE("killed in the middle, it leaves whole lines") {
    const PracticeSite site(many_pages);
    const std::string file = fmt::format("/tmp/stage3_test_{}.jsonl", ::getpid());
    for (std::uintmax_t size = 0; size < 20'000; size += 2'000) {
        std::remove(file.c_str());
        run({"--format", "jsonl", "-w", "50", "-o", file, site.server.url()},
            {.meanwhile = [&](pid_t process) {
                std::error_code none;
                wait_until([&] {
                    const auto now = std::filesystem::file_size(file, none);
                    return (!none && now >= size) || !tests::is_running(process);
                });
                ::kill(process, SIGKILL);
            }});
        std::ifstream stream(file);
        const std::string text(std::istreambuf_iterator<char>(stream), {});
        CHECK(text.size() >= size);
        CHECK((text.empty() || text.back() == '\n'));
        by_outcome(text); // checks the lines
    }
    std::remove(file.c_str());
}

TEST_CASE("results go to a file, if asked to") {
    ScriptedServer server;
    server.on("/", html(""));
    const std::string file = fmt::format("/tmp/stage3_test_{}.txt", ::getpid());
    std::ofstream(file) << std::string(5000, 'x');
    CHECK(run({"-o", file, server.url()}).out.empty());
    std::ifstream stream(file);
    std::string line;
    std::getline(stream, line);
    CHECK(line == fmt::format("page        200         0  {}", server.url()));
    std::remove(file.c_str());
}

TEST_CASE("its events go to a file, if asked to") {
    ScriptedServer server;
    server.on("/", html("<a href=/gone>"));
    server.on("/robots.txt", tests::redirect_to("/rules"));
    server.on("/rules", tests::respond(200, "text/plain", "User-agent: x"));
    const std::string file = fmt::format("/tmp/stage3_test_{}.trace", ::getpid());
    CHECK(run({"--trace", file, server.url()}).status == 1);
    std::ifstream stream(file);
    const std::string text(std::istreambuf_iterator<char>(stream), {});
    const auto count = [&](const std::string& words) {
        std::size_t number = 0;
        for (auto at = text.find(words); at != std::string::npos;
             at = text.find(words, at + 1))
            ++number;
        return number;
    };
    CHECK(count(R"("event":"fetch","phase":"start")") == 4); // with robots.txt
    CHECK(count(R"("event":"fetch","phase":"end")") == 4);
    CHECK(count(R"("status":404)") == 1);
    CHECK(count(R"(/robots.txt","status":302,"bytes":0,"next":")" + server.url("/rules"))
          == 1);
    CHECK(count(R"(/rules","status":200,"bytes":13})") == 1);
    // The workers wait already when the root comes in. (What waits for robots.txt isn't
    // in the queue yet.)
    CHECK(count(R"("event":"queue","phase":"hand_over")") == 2);
    CHECK(count("\"item\":\"" + server.url("/gone") + "\"") == 1);
    CHECK(count(R"("event":"queue","phase":"task_done")") == 2);
    std::remove(file.c_str());
}

TEST_CASE("a trace tells what has come of each fetch") {
    ScriptedServer server;
    server.on("/", html("<a href=/moved><a href=/broken>"));
    server.on("/moved", tests::redirect_to("/"));
    server.on("/broken", {tests::Send{"HTTP/1.0 200 OK\r\nContent-Length: 9\r\n\r\nab"},
                          tests::Reset{}});
    const std::string file = fmt::format("/tmp/stage3_test_{}.trace", ::getpid());
    CHECK(run({"--no-robots", "--max-tries", "1", "--trace", file, server.url()}).status
          == 1);
    std::ifstream stream(file);
    const std::string text(std::istreambuf_iterator<char>(stream), {});
    std::remove(file.c_str());
    CHECK(text.find(R"(/moved","status":302,"bytes":0,"next":")" + server.url() + "\"}")
          != std::string::npos);
    CHECK(text.find(R"(/broken","status":200,"bytes":2,"error":")") != std::string::npos);
}

TEST_CASE("a trace that can't be written is cut off, and nothing else is lost") {
    const PracticeSite site(many_pages);
    const Finished finished =
        run({"--trace", "/dev/full", "--format", "jsonl", site.server.url()});
    site.check(finished, 3);
    CHECK(finished.err
          == "stage3: --trace: the trace is cut off: No space left on device\n");
    ScriptedServer alive;
    alive.on("/", html(""));
    CHECK(run({"--trace", "/dev/full", alive.url()}).status == 3);
}

TEST_CASE("what is meant for the user goes into no file, if his descriptors are closed") {
    const PracticeSite site(many_pages);
    const std::string file = fmt::format("/tmp/stage3_test_{}.jsonl", ::getpid());
    const auto run_in_shell = [&](const std::string& how) {
        return tests::run({"/bin/sh", "-c", R"("$0" "$1" --format jsonl -v )" + how,
                           program(), site.server.url(), file});
    };
    CHECK(run_in_shell("--selector poll -o \"$2\" 0<&- >&- 2>&-").status == 1);
    std::ifstream stream(file);
    std::size_t records = 0;
    std::size_t others = 0;
    for (std::string line; std::getline(stream, line);)
        ++(line.starts_with('{') ? records : others);
    CHECK(records > 500);
    CHECK(others == 0);
    const Finished finished = run_in_shell("--trace \"$2\" >&-");
    CHECK(finished.status == 3);
    CHECK(finished.err.find("stage3: can't write results: Bad file descriptor\n")
          != std::string::npos);
    std::filesystem::remove(file);
}

TEST_CASE("results that are done come out, also if the crawl can't go on") {
    ScriptedServer server;
    std::string links;
    for (int i = 0; i < 100; ++i) {
        const std::string path = fmt::format("/{}/{}", i, std::string(2000, 'x'));
        links += fmt::format("<a href='{}'>x</a>", path);
        server.on(path, html(""));
    }
    server.on("/", html(links));
    // When its reader has made it wait, there are no more descriptors.
    const std::string file = fmt::format("/tmp/stage3_test_{}.none", ::getpid());
    std::vector<std::string> command{"/bin/sh", "-c",
                                     R"(file=$1; shift
           { "$@" & crawl=$!; sleep 3; : >"$file"; wait $crawl; echo "status $?" >&2; } |
           { sleep 4; cat; })",
                                     "sh", file};
    const auto crawl = preloaded("NO_SOCKETS_WHEN=" + file,
                                 {"-w", "1", "--format", "jsonl", server.url()});
    command.insert(command.end(), crawl.begin(), crawl.end());
    const Finished finished = tests::run(command);
    std::filesystem::remove(file);
    CHECK(finished.err.find("there is no descriptor for even one connection")
          != std::string::npos);
    CHECK(finished.err.ends_with("status 3\n"));
    CHECK(finished.out.ends_with("}\n"));
    // One request was for robots.txt.
    CHECK(lines(finished.out).size() + 1 == server.requests().size());
    CHECK(server.requests().size() > 20);
    CHECK(server.requests().size() < 100);
}

TEST_CASE("where no thread is to be had, pages are read all the same") {
    ScriptedServer server;
    server.on("/", html(std::string(1'000'000, ' ') + "<a href=/a>"));
    server.on("/a", html(""));
    const Finished finished =
        run_preloaded("NO_THREADS=1", {"--parse-threads", "3", server.url()});
    CHECK(finished.status == 0);
    CHECK(last_line(finished.out).ends_with(" s: 2 fetched, 0 redirects, 0 dead."));
}

TEST_CASE("with few descriptors, a robots.txt that never comes delays no other host") {
    ScriptedServer silent;
    silent.on("/robots.txt", {Hold{}});
    std::vector<std::unique_ptr<ScriptedServer>> others;
    std::vector<std::string> arguments{"-w",       "50",    "--timeout", "3",
                                       "--format", "jsonl", silent.url()};
    for (int i = 0; i < 5; ++i) {
        others.push_back(std::make_unique<ScriptedServer>());
        others.back()->on("/", html(""));
        arguments.push_back(others.back()->url());
    }
    const Finished finished = run(arguments, {.descriptors = 64});
    CHECK(finished.status == 3);
    CHECK(lines(finished.out).size() == 5);
}

TEST_CASE("the report lists as many links as asked for") {
    ScriptedServer server;
    server.on("/", html("<a href=/a><a href=/b><a href=/c>"));
    for (const char* path : {"/a", "/b", "/c"})
        server.on(path, html(""));
    const auto listed = [&](const char* top) {
        const std::string out = run({"--top", top, server.url()}).out;
        return std::ranges::count_if(lines(out), [](const std::string& line) {
            return line.starts_with("       1  ");
        });
    };
    CHECK(listed("2") == 2);
    CHECK(listed("0") == 0);
}

TEST_CASE("when nobody reads the results any more, it ends quietly") {
    const PracticeSite site(many_pages);
    for (const char* format : {"jsonl", "text"}) {
        const Finished finished = tests::run(
            {"/bin/sh", "-c",
             R"({ "$0" --format "$1" "$2"; echo "status $?" >&2; } | head -n 1)",
             program(), format, site.server.url()});
        CHECK(lines(finished.out).size() == 1);
        // A text report may have fitted into the pipe before its reader went.
        if (std::string_view(format) == "jsonl" || finished.err != "status 1\n")
            CHECK(finished.err == "status 3\n");
    }
}

TEST_CASE("a root's password is sent, and never shown") {
    ScriptedServer server;
    server.on("/", html("<a href=/a>"));
    server.on("/a", tests::redirect_to("http://you:other@127.0.0.1:1/"));
    const std::string address = server.url().substr(std::string_view("http://").size());
    const std::string root = "http://me:secret@" + address;
    const std::string trace = fmt::format("/tmp/stage3_test_{}.trace", ::getpid());
    for (const char* format : {"text", "jsonl", "csv", "dot"}) {
        const Finished finished =
            run({"-v", "--max-tries", "1", "--format", format, "--trace", trace, root});
        std::ifstream events(trace);
        const std::string all = finished.out + finished.err
                                + std::string(std::istreambuf_iterator<char>(events), {});
        CHECK(all.find(server.url()) != std::string::npos);
        CHECK(all.find("secret") == std::string::npos);
        CHECK(all.find("other") == std::string::npos);
    }
    for (const tests::Request& request : server.requests())
        CHECK(request.head.find("Authorization: Basic bWU6c2VjcmV0\r\n")
              != std::string::npos);
    std::filesystem::remove(trace);
}

TEST_CASE("who reads the results slowly makes no page fail") {
    practice_site::SiteOptions much = many_pages;
    much.pages = 2000;
    const PracticeSite site(much, 100ms);
    const Finished finished = tests::run(
        {"/bin/sh", "-c",
         R"({ "$0" -w 100 --format jsonl --fetch-timeout 2 --max-tries 1 "$1"; echo "status $?" >&2; } |
            { read -r first; sleep 4; echo "$first"; cat; })",
         program(), site.server.url()});
    CHECK(finished.out.size() > 300'000); // more than fits into the pipe
    CHECK(finished.out.find("timed out") == std::string::npos);
    CHECK(finished.err == "status 1\n"); // for the links that are dead on purpose
}

TEST_CASE("when the results can't be written, that is an error") {
    ScriptedServer server;
    server.on("/", html(""));
    for (const char* format : {"jsonl", "text"}) {
        const Finished finished =
            run({"--format", format, server.url()}, {.out_file = "/dev/full"});
        CHECK(finished.status == 3);
        CHECK(finished.err.starts_with("stage3: can't write results: "));
    }
}

TEST_CASE("while it runs, it tells how far it is, if wanted") {
    ScriptedServer server;
    server.on("/", tests::Reply{Pause{500ms}, html("<a href=/gone>")[0]});
    CHECK(run({server.url()}).err.empty()); // not a terminal
    CHECK(run({"-v", server.url()}).err
          == fmt::format("worker 1, depth 0: {0}\nworker 2, depth 1: {0}gone\n",
                         server.url()));
    Finished finished = run({"--progress", "always", "-v", server.url()});
    CHECK(finished.err.find("\r\x1b[K0 fetched, 0 redirects, 0 dead; 1 under way, 0 "
                            "waiting; 0 s")
          != std::string::npos);
    CHECK(finished.err.ends_with("\r\x1b[K")); // taken away
    finished = run({"-q", "--fail-parsing", "1", server.url()});
    CHECK(finished.status == 1);
    CHECK(finished.err.empty());
}

TEST_SUITE("a name that takes long to look up") {
    namespace {

    /// A site whose hosts have names: each page takes a moment, and links to the next
    /// one.
    struct NamedSite {
        explicit NamedSite(int pages) {
            for (int i = 0; i < pages; ++i)
                server.on(i == 0 ? "/" : fmt::format("/{}", i),
                          {tests::Pause{20ms},
                           html(fmt::format("<a href='/{}'>x</a>", i + 1)).front()});
        }
        std::string url(std::string_view host) const {
            return fmt::format("http://{}:{}/", host, server.port());
        }

        ScriptedServer server;
    };

    /// Runs it where slow.test takes so many seconds to look up.
    Finished run_with_slow_names(int seconds, const std::vector<std::string>& arguments,
                                 const tests::RunOptions& how = {}) {
        return run_preloaded(fmt::format("SLOW_NAMES={}", seconds), arguments, how);
    }

    } // namespace

    TEST_CASE("delays nobody else") {
        const NamedSite site(30);
        const Finished finished =
            run_with_slow_names(3, {"--format", "jsonl", "-w", "2", "--no-robots", "-d",
                                    "29", site.url("slow.test"), site.url("fast.test")});
        const auto records = lines(finished.out);
        REQUIRE(records.size() == 60);
        for (std::size_t i = 0; i < records.size(); ++i) {
            CAPTURE(records[i]);
            const std::string host = i < 30 ? "fast.test" : "slow.test";
            CHECK(field(records[i], "url").starts_with(site.url(host)));
            CHECK(field(records[i], "outcome") == "page");
        }
    }

    TEST_CASE("delays nobody when it is given up, nor the end") {
        const NamedSite site(30);
        const auto begin = Clock::now();
        const Finished finished =
            run_with_slow_names(30, {"--format", "jsonl", "-w", "2", "--no-robots",
                                     "--max-tries", "1", "--connect-timeout", "0.2", "-d",
                                     "29", site.url("slow.test"), site.url("fast.test")});
        CHECK(Clock::now() - begin < 20s);
        CHECK(finished.status == 1);
        const auto found = by_outcome(finished.out);
        CHECK(found.at("page").size() == 30);
        CHECK(found.at("failed") == std::multiset<std::string>{site.url("slow.test")});
        CHECK(finished.out.find("\"no address within 0.2 s\"") != std::string::npos);
    }

    TEST_CASE("delays Ctrl-C no more than others do") {
        const NamedSite site(1);
        const Finished finished = run_with_slow_names(
            30, {site.url("fast.test"), site.url("slow.test")},
            {.time_limit = 20s, .meanwhile = [&](pid_t process) {
                 wait_until([&] { return site.server.times_asked("/") == 1; });
                 ::kill(process, SIGINT);
             }});
        CHECK(finished.status == 130);
    }
}

TEST_CASE("ten thousand connections that hang are ten thousand records") {
    const auto number = static_cast<std::size_t>(tests::in_bulk(10'000));
    if (common::allow_descriptors() < number + 100) {
        MESSAGE("skipped: this shell does not allow enough descriptors");
        return;
    }
    const practice_site::BackgroundServer server(
        [](const practice_site::Request&) { return practice_site::Answer{}; },
        {.latency = 1h});
    std::vector<std::string> arguments{
        "-w", std::to_string(number), "--max-tries", "1",    "--fetch-timeout",
        "3",  "--no-robots",          "--format",    "jsonl"};
    for (std::size_t i = 0; i < number; ++i)
        arguments.push_back(fmt::format("{}{}", server.url(), i));
    const Finished finished = run(arguments, {.time_limit = 100s});
    CHECK(finished.status == 1);
    const auto found = by_outcome(finished.out);
    CHECK(found.size() == 1);
    CHECK(found.at("failed").size() == number);
    CHECK(
        std::set<std::string>(found.at("failed").begin(), found.at("failed").end()).size()
        == number);
}
