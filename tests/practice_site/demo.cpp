// demo: runs crawlers on the practice site, one after the other, and compares them.
//
//     demo stage1=build/stage1_callbacks/stage1 "10 workers=build/.../stage3 -w 10"
//
// Each crawler is a separate program, started with the site's URL. What it reports is
// compared with the manifest, and what it costs is measured from outside, in the same way
// for all: time by our clock, memory by the kernel's account, and how much it does at
// once by the server, which sees the requests wait. If a crawler reports only what is
// dead, the server's list of requests says what else it has found.
#include "common/command_line/command_line.h"
#include "common/system/descriptors.h"
#include "common/system/socket.h"
#include "common/text/join.h"
#include "tests/practice_site/background_server.h"
#include "tests/practice_site/site.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <mutex>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using Clock = std::chrono::steady_clock;
using practice_site::Manifest;

[[noreturn]] void fail(const char* call) {
    throw std::system_error(errno, std::generic_category(), call);
}

struct Pipe {
    common::Socket read_end; // descriptors to be owned, like sockets
    common::Socket write_end;

    Pipe() {
        std::array<int, 2> ends{};
        if (::pipe(ends.data()) < 0)
            fail("pipe");
        read_end = common::Socket(ends[0]);
        write_end = common::Socket(ends[1]);
        for (const int fd : ends) // not for the programs that we start
            if (::fcntl(fd, F_SETFD, FD_CLOEXEC) < 0)
                fail("fcntl");
    }
};

struct Stage {
    std::string name;
    std::vector<std::string> command; // the program, and its options
    pid_t pid = -1;
    Pipe url;    // to the process: it starts when it is told what to crawl
    Pipe output; // from the process
};

/// What a stage printed, and what it cost.
struct Result {
    std::vector<std::string> lines;
    double seconds = 0;
    double peak_mb = 0;
    std::size_t most_at_once = 0;
    int status = 0; // as from wait
    bool timed_out = false;
};

/// What a stage has found.
struct Findings {
    std::set<std::string> pages;
    std::set<std::string> dead;
    std::vector<std::string> twice;
};

/// The targets that were requested. The server's thread adds to them.
class Requests {
  public:
    void add(std::string_view target) {
        const std::scoped_lock lock(mutex_);
        targets_.emplace_back(target);
    }
    std::vector<std::string> take() {
        const std::scoped_lock lock(mutex_);
        return std::exchange(targets_, {});
    }

  private:
    std::mutex mutex_;
    std::vector<std::string> targets_;
};

// Starting a stage.

/// In the new process: waits for a line with a URL, then becomes the program.
[[noreturn]] void become(const Stage& stage) {
    std::string url;
    for (char c = 0; ::read(stage.url.read_end.fd(), &c, 1) == 1 && c != '\n';)
        url += c;
    if (url.empty()) // the demonstration has ended early
        ::_exit(0);
    ::dup2(stage.output.write_end.fd(), STDOUT_FILENO);
    std::vector<std::string> words = stage.command; // exec wants them writable
    words.push_back(url);
    std::vector<char*> arguments;
    for (std::string& word : words)
        arguments.push_back(word.data());
    arguments.push_back(nullptr);
    ::execvp(arguments[0], arguments.data());
    fmt::print(stderr, "demo: cannot run '{}': {}\n", words.front(),
               common::describe({errno, std::generic_category()}));
    ::_exit(127);
}

/// Forks a process that waits for the URL.
///
/// This happens early, before there is a server, because Linux counts the memory that the
/// demonstration itself occupies at the moment of the fork as part of the child's peak,
/// whatever program it becomes. At this point that is next to nothing. There are also no
/// threads yet: fork copies only one thread of a process, and the locks of the others
/// stay locked.
void prepare(Stage& stage) {
    stage.pid = ::fork();
    if (stage.pid < 0)
        fail("fork");
    if (stage.pid == 0) {
        stage.url.write_end.close(); // so that it ends if the parent does
        become(stage);
    }
    stage.url.read_end.close();
    stage.output.write_end.close();
}

// Running it.

/// Reads lines until the process closes its end. False if it hasn't by the deadline.
bool read_lines(const Stage& stage, Clock::time_point deadline,
                std::vector<std::string>& lines) {
    std::string text;
    std::array<char, 16 * 1024> chunk;
    for (;;) {
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
        pollfd output{stage.output.read_end.fd(), POLLIN, 0};
        if (left <= 0)
            return false;
        if (::poll(&output, 1, static_cast<int>(std::min<long>(left, 1000))) <= 0)
            continue;
        const ssize_t count = ::read(output.fd, chunk.data(), chunk.size());
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            break;
        text.append(chunk.data(), static_cast<std::size_t>(count));
    }
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);)
        lines.push_back(line);
    return true;
}

double to_mb(long maxrss) {
#ifdef __APPLE__
    return static_cast<double>(maxrss) / (1024 * 1024); // bytes there: man 2 getrusage
#else
    return static_cast<double>(maxrss) / 1024;
#endif
}

Result run(Stage& stage, practice_site::BackgroundServer& server,
           std::chrono::seconds time_limit) {
    Result result;
    server.reset_statistics();
    const auto start = Clock::now();
    const std::string line = server.url() + "\n";
    if (::write(stage.url.write_end.fd(), line.data(), line.size()) < 0)
        fail("write");
    stage.url.write_end.close();
    result.timed_out = !read_lines(stage, start + time_limit, result.lines);
    if (result.timed_out)
        ::kill(stage.pid, SIGKILL);
    rusage usage{};
    while (::wait4(stage.pid, &result.status, 0, &usage) < 0)
        if (errno != EINTR)
            fail("wait4");
    result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    result.peak_mb = to_mb(usage.ru_maxrss);
    result.most_at_once = server.statistics().most_requests;
    return result;
}

// What came out.

/// As in ./learn: COLUMNS if it is set, else the terminal's width, else 80.
std::size_t columns() {
    const char* set = std::getenv("COLUMNS");
    const auto wanted = set != nullptr ? std::strtoul(set, nullptr, 10) : 0;
    winsize size{};
    if (wanted == 0 && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return wanted > 0 ? wanted : 80;
}

/// Prints a sentence, in lines that fit.
void print_wrapped(const std::string& sentence) {
    std::istringstream words(sentence);
    std::string line;
    for (std::string word; words >> word;) {
        if (!line.empty() && line.size() + 1 + word.size() > columns()) {
            fmt::print("{}\n", line);
            line.clear();
        }
        line += (line.empty() ? "" : " ") + word;
    }
    fmt::print("{}\n", line);
}

/// The line with the summary: stage 3's begins with "Done" and may be followed by a list
/// of what is dead; the others' is the last one.
const std::string& sum_of(const std::vector<std::string>& lines) {
    const auto done = std::ranges::find_if(
        lines, [](const std::string& line) { return line.starts_with("Done in "); });
    return done != lines.end() ? *done : lines.back();
}

/// Before it runs, so that what it says on the standard error comes below.
void announce(const Stage& stage, std::string_view url) {
    fmt::print("\n$ {} {}\n", common::join(stage.command, " "), url);
    std::fflush(stdout);
}

void show(const Result& result) {
    const auto& lines = result.lines;
    constexpr std::size_t head = 3;
    for (std::size_t i = 0; i < std::min(head, lines.size()); ++i)
        fmt::print("{}\n", lines[i]);
    if (lines.size() > head + 1)
        fmt::print("… {} more lines\n", lines.size() - head - 1);
    if (lines.size() > head)
        fmt::print("{}\n", sum_of(lines));
    std::fflush(stdout);
}

/// According to its output: the outcome is a line's first word, the URL its fourth. Or a
/// line has a dead URL, the reason, and where it was found, as in dead_links.
Findings read_findings(const std::vector<std::string>& lines) {
    Findings findings;
    std::set<std::string> seen;
    for (const std::string& line : lines) {
        std::istringstream columns(line);
        std::string outcome;
        std::string status;
        std::string bytes;
        std::string url;
        columns >> outcome >> status >> bytes >> url;
        if (line.find("), found on ") != std::string::npos)
            findings.dead.insert(outcome);
        const bool dead = outcome == "dead" || outcome == "error" || outcome == "failed";
        if (outcome != "page" && outcome != "redirect" && !dead)
            continue;
        if (!seen.insert(url).second)
            findings.twice.push_back(url);
        if (outcome == "page")
            findings.pages.insert(url);
        else if (dead)
            findings.dead.insert(url);
    }
    return findings;
}

/// Adds the rest if only what is dead was reported: what was requested, and is neither
/// dead nor a redirect.
void add_requests(const std::vector<std::string>& targets, const std::string& origin,
                  const Manifest& manifest, Findings& findings) {
    if (!findings.pages.empty())
        return;
    std::set<std::string> seen;
    for (const std::string& target : targets) {
        const std::string url = origin + target;
        if (!seen.insert(url).second)
            findings.twice.push_back(url);
        if (!manifest.dead.contains(url) && !manifest.redirects.contains(url))
            findings.pages.insert(url);
    }
}

/// Reports what is in one set but not in the other. True if there is nothing to report.
bool compare(std::string_view stage, std::string_view kind,
             const std::set<std::string>& found, const std::set<std::string>& expected) {
    const auto complain = [&](std::string_view what, const auto& from, const auto& to) {
        std::vector<std::string> difference;
        std::ranges::set_difference(from, to, std::back_inserter(difference));
        if (!difference.empty())
            fmt::print(stderr, "demo: {} {} {} of {} {}, such as {}\n", stage, what,
                       difference.size(), from.size(), kind, difference.front());
        return difference.empty();
    };
    const bool none_missing = complain("missed", expected, found);
    const bool none_wrong = complain("was wrong about", found, expected);
    return none_missing && none_wrong;
}

/// True if the stage did what it should; otherwise reports what went wrong.
bool check(const Stage& stage, const Result& result, const Findings& findings,
           const Manifest& manifest) {
    if (result.timed_out) {
        fmt::print(stderr, "demo: {} did not end, and was stopped\n", stage.name);
        return false;
    }
    // 0: no dead links; 1: some. Anything else is an error.
    if (!WIFEXITED(result.status) || WEXITSTATUS(result.status) > 1) {
        fmt::print(stderr, "demo: {} ended by {} {}\n", stage.name,
                   WIFSIGNALED(result.status) ? "signal" : "itself, with status",
                   WIFSIGNALED(result.status) ? WTERMSIG(result.status)
                                              : WEXITSTATUS(result.status));
        return false;
    }
    bool good = compare(stage.name, "pages", findings.pages, manifest.pages);
    good = compare(stage.name, "dead links", findings.dead, manifest.dead) && good;
    if (!findings.twice.empty()) {
        fmt::print(stderr, "demo: {} fetched {} of its URLs more than once, such as {}\n",
                   stage.name, findings.twice.size(), findings.twice.front());
        good = false;
    }
    return good;
}

// The whole.

struct Arguments {
    practice_site::SiteOptions site{.pages = 500, .links = 20};
    practice_site::ServerOptions server{.latency = std::chrono::milliseconds(10)};
    std::vector<Stage> stages;
};

/// "10 workers=build/.../stage3 -w 10".
Stage read_stage(const std::string& text) {
    const auto equals = text.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == text.size())
        throw common::UsageError("write a stage as NAME=PROGRAM, not " + text);
    std::istringstream words(text.substr(equals + 1));
    Stage stage{text.substr(0, equals), {}, -1, {}, {}};
    for (std::string word; words >> word;)
        stage.command.push_back(word);
    if (stage.command.empty())
        throw common::UsageError("no program is given in " + text);
    return stage;
}

/// Reads the command line. If there is a result, the program ends with this status.
std::optional<int> parse(int argc, char** argv, Arguments& arguments) {
    long latency_ms = arguments.server.latency.count();
    std::vector<std::string> stages;
    common::CommandLine line("demo",
                             "Runs crawlers on the practice site and compares them.");
    line.add("--pages", "N", fmt::format("pages of the site ({})", arguments.site.pages),
             common::number_into(arguments.site.pages, 1, 1'000'000));
    line.add("--latency", "MS",
             fmt::format("delay of each answer in milliseconds ({})", latency_ms),
             common::number_into(latency_ms, 0, 60'000));
    line.add_arguments("STAGE", "NAME=PROGRAM, such as stage1=build/.../stage1", stages);
    if (const auto help = line.parse(argc, argv)) {
        fmt::print("{}", *help);
        return 0;
    }
    if (stages.empty())
        throw common::UsageError("name at least one stage, as NAME=PROGRAM");
    for (const std::string& text : stages)
        arguments.stages.push_back(read_stage(text));
    arguments.server.latency = std::chrono::milliseconds(latency_ms);
    return std::nullopt;
}

int demonstrate(Arguments& arguments) {
    for (Stage& stage : arguments.stages)
        prepare(stage);
    // From here on, but not in the stages: writing to a stage that is gone is an error
    // instead of the end, and the server must not be what limits them.
    std::signal(SIGPIPE, SIG_IGN);
    common::allow_descriptors();
    const practice_site::Site site(arguments.site);
    Requests requests;
    practice_site::BackgroundServer server(
        [&](const practice_site::Request& request) {
            requests.add(request.target);
            return site.answer(request);
        },
        arguments.server);
    const Manifest manifest = site.manifest(server.origin());
    print_wrapped(fmt::format("Serving {} pages, {} redirects and {} dead links at {}, "
                              "each answer after {} ms.",
                              manifest.pages.size(), manifest.redirects.size(),
                              manifest.dead.size(), server.url(),
                              arguments.server.latency.count()));

    // Even one request at a time takes only half of this.
    const auto time_limit =
        std::chrono::seconds(60)
        + std::chrono::ceil<std::chrono::seconds>(
            arguments.server.latency * 2
            * static_cast<long>(manifest.pages.size() + manifest.redirects.size()
                                + manifest.dead.size()));
    std::string table;
    bool good = true;
    for (Stage& stage : arguments.stages) {
        requests.take();
        announce(stage, server.url());
        const Result result = run(stage, server, time_limit);
        show(result);
        Findings findings = read_findings(result.lines);
        add_requests(requests.take(), server.origin(), manifest, findings);
        good = check(stage, result, findings, manifest) && good;
        table += fmt::format("{:<19}  {:>5}  {:>5}  {:>7.2f}  {:>7}  {:>4.1f} MB\n",
                             stage.name, findings.pages.size(), findings.dead.size(),
                             result.seconds, result.most_at_once, result.peak_mb);
    }
    fmt::print("\n{:<19}  {:>5}  {:>5}  {:>7}  {:>7}  {:>7}\n", "", "", "dead", "",
               "served", "peak");
    fmt::print("{:<19}  {:>5}  {:>5}  {:>7}  {:>7}  {:>7}\n{}\n", "stage", "pages",
               "links", "seconds", "at once", "memory", table);
    print_wrapped("\"Served at once\" is the server's count. A crawler's own figure is "
                  "higher, because some of its fetches are on their way to the server or "
                  "back.");
    return good ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
    try {
        Arguments arguments;
        if (const auto status = parse(argc, argv, arguments))
            return *status;
        return demonstrate(arguments);
    } catch (const common::UsageError& problem) {
        fmt::print(stderr, "demo: {} (see demo --help)\n", problem.what());
        return 2;
    } catch (const std::exception& problem) {
        fmt::print(stderr, "demo: {}\n", problem.what());
        return 1;
    }
}
