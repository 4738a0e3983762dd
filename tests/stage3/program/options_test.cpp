// The settings of a crawl that each command line gives. The test of bad usage in
// program_test.cpp has the command lines that are refused, with their messages.
#include "common/text/ascii.h"
#include "stage3_queue_crawler/crawler/record.h"
#include "stage3_queue_crawler/crawler/registrable_domain.h"
#include "stage3_queue_crawler/program/options.h"
#include "tests/support/prelude.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <unistd.h>

using namespace stage3;

namespace {

Options read(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "stage3");
    arguments.emplace_back("http://h/");
    std::vector<char*> words;
    for (std::string& argument : arguments)
        words.push_back(argument.data());
    words.push_back(nullptr);
    return stage3::read_options(static_cast<int>(arguments.size()), words.data());
}

std::vector<std::string> split(const std::string& text) {
    std::istringstream stream(text);
    return {std::istream_iterator<std::string>(stream), {}};
}

} // namespace

TEST_CASE("without options, a crawl has the defaults of CrawlSettings and is polite") {
    const Options options = read({});
    CHECK(options.help.empty());
    REQUIRE(options.roots.size() == 1);
    CHECK(options.roots[0].href() == "http://h/");
    const CrawlSettings settings;
    CHECK(options.crawl.workers == settings.workers);
    CHECK(options.crawl.frontier.max_depth == CrawlSettings::no_limit);
    CHECK(options.crawl.frontier.max_pages == CrawlSettings::no_limit);
    CHECK(options.crawl.robots.obey);
    CHECK_FALSE(options.crawl.timeout);
    CHECK(options.crawl.session.fetch_timeout == 30s);
    CHECK(options.crawl.session.connect_timeout == 10s);
    CHECK(options.reach == Reach::host);
    CHECK(options.format->name == "text");
    CHECK(options.crawl.reader.in_threads == (options.parse_threads > 0));
}

TEST_CASE("each option sets the setting that it names") {
    const Options options = read(split(
        "-w 3 -d 0 --max-pages 7 --max-redirects 0 --max-tries 1 --scope domain "
        "--order priority --timeout 1.5 --fetch-timeout 60 --connect-timeout 0.2 "
        "--max-body 2k --no-robots --no-cookies --max-per-host 4 --delay 0.25 "
        "--user-agent me "
        "--header A:b --header C:d --parse-threads 0 --selector poll --format dot -o f "
        "--top 0 --trace t --progress always --why-slow -v -q"));
    const CrawlSettings& crawl = options.crawl;
    CHECK(crawl.workers == 3);
    CHECK(crawl.frontier.max_depth == 0);
    CHECK(crawl.frontier.max_pages == 7);
    CHECK(crawl.frontier.max_redirects == 0);
    CHECK(crawl.retries.max_tries == 1);
    CHECK(options.reach == Reach::domain);
    CHECK(crawl.frontier.order == OrderName::priority);
    CHECK(crawl.timeout == 1500ms);
    CHECK(crawl.session.fetch_timeout == 60s);
    CHECK(crawl.session.stall_timeout >= 60s); // or a stalled fetch would end earlier
    CHECK(crawl.session.connect_timeout == 200ms);
    CHECK(crawl.session.max_body == 2048);
    CHECK_FALSE(crawl.robots.obey);
    CHECK_FALSE(crawl.cookies.are_kept);
    CHECK(crawl.frontier.politeness.max_per_host == 4);
    CHECK(crawl.frontier.politeness.delay == 250ms);
    CHECK(crawl.session.user_agent == "me");
    CHECK(crawl.session.headers == std::vector<std::string>{"A:b", "C:d"});
    CHECK_FALSE(crawl.reader.in_threads);
    CHECK(options.selector == "poll");
    CHECK(options.format->name == "dot");
    CHECK(options.output == "f");
    CHECK(options.report.top == 0);
    CHECK(options.trace == "t");
    CHECK(options.show_progress);
    CHECK(options.why_slow);
    CHECK(options.verbose);
    CHECK(options.quiet);
}

TEST_CASE("a root's password goes to its origin and isn't in its URL") {
    const Options options = read({"http://me:a%20b@other:81/x"});
    REQUIRE(options.roots.size() == 2);
    CHECK(options.roots[0].href() == "http://other:81/x");
    REQUIRE(options.crawl.logins.contains("http://other:81"));
    CHECK(options.crawl.logins.at("http://other:81").password == "a b");
    CHECK(options.crawl.logins.size() == 1);
}

TEST_CASE("--no-private refuses private addresses and a proxy") {
    for (const char* const name :
         {"http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"})
        ::unsetenv(name);
    CHECK_FALSE(read({}).crawl.session.objection);
    const auto objection = read({"--no-private"}).crawl.session.objection;
    REQUIRE(objection);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    ::inet_pton(AF_INET, "169.254.169.254", &address.sin_addr);
    CHECK(objection(reinterpret_cast<const sockaddr&>(address))
          == "address 169.254.169.254 is private (--no-private)");
    ::inet_pton(AF_INET, "8.8.8.8", &address.sin_addr);
    CHECK(objection(reinterpret_cast<const sockaddr&>(address)).empty());
    ::setenv("https_proxy", "http://proxy:3128", 1);
    CHECK_NOTHROW(read({}));
    CHECK_THROWS_WITH_AS(
        read({"--no-private"}),
        "--no-private can't see which addresses a proxy goes to: unset https_proxy",
        common::UsageError);
    ::unsetenv("https_proxy");
}

TEST_CASE("writing two outputs to one file is refused") {
    const auto refused = [](std::vector<std::string> arguments, const char* message) {
        CHECK_THROWS_WITH_AS(read(std::move(arguments)), message, common::UsageError);
    };
    const std::string file = fmt::format("/tmp/stage3_options_{}", ::getpid());
    std::ofstream(file).close();
    std::filesystem::create_hard_link(file, file + ".2");
    const std::string whole = (std::filesystem::current_path() / "none").string();
    for (const auto& [output, trace] :
         {std::pair<std::string, std::string>("none", "none"),
          {"none", "./none"},
          {"none", whole},
          {"/tmp/none", "/tmp/../tmp/none"},
          {file, file + ".2"}})
        refused({"--output", output, "--trace", trace},
                "--trace: that is also --output's file; give it another one");
    refused({"--urls-from", "none", "-o", "./none"},
            "--urls-from: that is also --output's file, which would be overwritten");
    refused({"--baseline", "none", "--html", "./none"},
            "--baseline: that is also --html's file, which would be overwritten");
    refused({"--ignore-file", "none", "--html", "./none"},
            "--ignore-file: that is also --html's file, which would be overwritten");
    CHECK_THROWS_AS(read({"--ignore-file", file, "--write-baseline", file}),
                    common::UsageError);
    CHECK_NOTHROW(read({"--baseline", file, "--write-baseline", file}));
    CHECK_NOTHROW(read({"--output", "/dev/null", "--trace", "/dev/null"}));
    CHECK_NOTHROW(read({"--output", "/tmp/one", "--trace", "/tmp/other"}));
    std::filesystem::remove(file);
    std::filesystem::remove(file + ".2");
}

TEST_CASE("an IPv6 address can be a root, with or without brackets") {
    for (const char* root : {"[::1]", "::1", "http://[::1]/"}) {
        CAPTURE(root);
        CHECK(read({root}).roots[0].href() == "http://[::1]/");
    }
}

TEST_CASE("--help is answered, whatever else is on the command line") {
    const Options options = read({"--help"});
    CHECK(options.help.find("--max-per-host") != std::string::npos);
    const Options on_sharing = read({"--help-frontier"});
    for (const char* const option :
         {"--frontier", "--crawl", "--lease", "--wait-for-frontier", "--report",
          "--forget", "--retry-given-up"})
        CHECK_MESSAGE(on_sharing.help.find(option) != std::string::npos, option);
    const Options on_verdicts = read({"--help-verdicts"});
    CHECK(on_verdicts.help.find("--no-private") != std::string::npos);
    for (const stage3::Outcome outcome :
         {stage3::Outcome::page, stage3::Outcome::file, stage3::Outcome::redirect,
          stage3::Outcome::disallowed, stage3::Outcome::error, stage3::Outcome::failed})
        CHECK_MESSAGE(on_verdicts.help.find(fmt::format("\n    {} ", name_of(outcome)))
                          != std::string::npos,
                      name_of(outcome));
    const std::string on_reports = read({"--help-reports"}).help;
    for (const stage3::FormatEntry& format : stage3::all_formats)
        CHECK_MESSAGE(on_reports.find(fmt::format("\n  {} ", format.name))
                          != std::string::npos,
                      format.name);
    CHECK(on_reports.find("\n  --why-slow ") != std::string::npos);
    std::istringstream lines(on_sharing.help + on_verdicts.help + on_reports);
    for (std::string line; std::getline(lines, line);)
        CHECK_MESSAGE(line.size() <= 80, line);
}

TEST_CASE(
    "the help states the default of each option that takes a value, if there is one") {
    const std::set<std::string> without{"--urls-from", "--exclude",      "--include",
                                        "--html",      "--baseline",     "--header",
                                        "--trace",     "--fail-parsing", "--state"};
    std::istringstream lines(read({"--help"}).help);
    int options = 0;
    std::string option;
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with(std::string(20, ' '))) { // the option before is complete
            const std::string name = option.substr(0, option.find(' ', 2)).erase(0, 2);
            const bool is_told =
                option.find('(') != std::string::npos || without.contains(name);
            CHECK_MESSAGE((option.empty() || is_told), option);
            option.clear();
            const std::string left = line.substr(0, 26);
            const bool has_value =
                std::ranges::any_of(left, [](char c) { return c >= 'A' && c <= 'Z'; });
            if (line.starts_with("  -") && has_value)
                option = line;
            options += option.empty() ? 0 : 1;
        } else if (!option.empty()) {
            option += line;
        }
    }
    CHECK(options > 20);
}

TEST_CASE("the help says which ports are in each scope") { // scope_test.cpp tests it
    const std::string help = read({"--help"}).help;
    const std::string domain(stage3::rule_of_domains());
    for (const std::string& line :
         {std::string("host (default): the root's host, at any port;"),
          std::string("prefix: below the root's folder, at its port;"),
          "domain: the same " + domain + ", at any port"})
        CHECK_MESSAGE(help.find(line + '\n') != std::string::npos, line);
}

TEST_CASE("with --quiet, a report is written only into a file, but other formats are "
          "written to stdout, too") {
    CHECK(read({"-q"}).format == nullptr);
    CHECK(read({"-q", "-o", "-"}).format->name == "text");
    CHECK(read({"-o", "-"}).output.empty());
    CHECK(read({"-q", "-o", "f"}).format->name == "text");
    CHECK(read({"-q", "--format", "csv"}).format->name == "csv");
    CHECK(read({}).format->name == "text");
}

TEST_CASE("--version names this program, its libraries and curl's") {
    const std::string text = read({"--version"}).help;
    CHECK(text.starts_with("stage3 "));
    CHECK(common::is_digit(text.at(7)));
    for (const char* const part :
         {"\nlibcurl/", "\nlibxml2/", " zlib/", " fmt/", "libpsl", "sqlite"})
        CHECK_MESSAGE(text.find(part) != std::string::npos, part);
}

TEST_CASE("--frontier sets up a crawl with several processes") {
    const Options alone = read({});
    CHECK(alone.shared.servers.empty());
    ::setenv("REDISCLI_AUTH", "sesame", 1);
    const Options options =
        read({"--frontier", "redis://h:7/2", "--frontier", "redis://me:own@i", "--crawl",
              "docs-2.1_x", "--lease", "1.5", "--exclude", "a b", "--include", "c"});
    ::unsetenv("REDISCLI_AUTH");
    REQUIRE(options.shared.servers.size() == 2);
    CHECK(options.shared.servers[0].host == "h");
    CHECK(options.shared.servers[0].database == 2);
    CHECK(options.shared.servers[0].password == "sesame");
    CHECK(options.shared.servers[1].password == "own");
    CHECK(options.shared.name == "docs-2.1_x");
    CHECK(options.shared.lease == 1500ms);
    CHECK(options.patterns == std::vector<std::string>{"--exclude a b", "--include c"});
    CHECK_FALSE(options.shared.report_only);
}
