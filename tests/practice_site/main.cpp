// practice_site: a web site to practise on, on this machine only.
//
//     practice_site --pages 500 --latency 50
//     practice_site --root DIR
//
// Prints its URL and serves until it is stopped.
#include "common/command_line/command_line.h"
#include "common/system/descriptors.h"
#include "tests/practice_site/background_server.h"
#include "tests/practice_site/files.h"
#include "tests/practice_site/site.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <unordered_map>
#include <utility>

#include <poll.h>
#include <sys/select.h>
#include <unistd.h>

namespace {

using practice_site::Answer;
using practice_site::Handler;
using practice_site::Request;

// SIGINT and SIGTERM write a byte to this pipe. A signal handler may do little more, and
// poll can wait for a pipe together with other things.
std::array<int, 2> stop_pipe{-1, -1};

void stop_on_signals() {
    if (::pipe(stop_pipe.data()) < 0)
        throw std::system_error(errno, std::generic_category(), "pipe");
    struct sigaction action{};
    action.sa_handler = [](int) {
        const int interrupted_errno = errno; // of the code that was interrupted
        const auto written = ::write(stop_pipe[1], "x", 1);
        static_cast<void>(written);
        errno = interrupted_errno;
    };
    ::sigaction(SIGINT, &action, nullptr);
    ::sigaction(SIGTERM, &action, nullptr);
}

/// Sleeps until a signal comes or, if asked to, until standard input ends. The timeout is
/// in milliseconds, as for poll; returns false if it runs out. `at_line` is called
/// for each line on standard input.
bool wait_for_the_end(bool until_eof, int timeout_ms = -1,
                      const std::function<void()>& at_line = {}) {
    for (;;) {
        // poll ignores a negative descriptor.
        std::array<pollfd, 2> ends{
            {{stop_pipe[0], POLLIN, 0}, {until_eof ? STDIN_FILENO : -1, POLLIN, 0}}};
        const int ready = ::poll(ends.data(), ends.size(), timeout_ms);
        if (ready == 0 || ends[0].revents != 0)
            return ready != 0;
        if (ends[1].revents == 0)
            continue;
        std::array<char, 4096> chunk;
        const auto size = ::read(STDIN_FILENO, chunk.data(), chunk.size());
        if (size <= 0)
            return true;
        for (auto lines = std::count(chunk.data(), chunk.data() + size, '\n');
             at_line && lines > 0; --lines)
            at_line();
    }
}

struct Arguments {
    practice_site::SiteOptions site;
    practice_site::ServerOptions server;
    std::string root;
    std::string log;
    bool manifest = false;
    bool keep = false;
    bool counts = false;
    bool until_eof = false;
};

/// Reads the command line. If there is a result, the program ends with this status.
std::optional<int> parse(int argc, char** argv, Arguments& arguments) {
    using common::number_into;
    common::CommandLine line("practice_site",
                             "Serves a site for crawlers to practise on: generated, "
                             "or a folder of files.");
    practice_site::SiteOptions& site = arguments.site;
    long latency_ms = 0;
    line.add("--pages", "N", fmt::format("number of pages ({})", site.pages),
             number_into(site.pages, 1, 1'000'000));
    line.add("--links", "N", fmt::format("links on each page ({})", site.links),
             number_into(site.links, 1, 10'000));
    line.add("--size", "BYTES",
             fmt::format("size of a page, unless it needs more ({})", site.size),
             number_into(site.size, 0, 100'000'000));
    line.add("--seed", "N",
             fmt::format("each seed makes a different site ({})", site.seed),
             number_into(site.seed, 0, 2'000'000'000));
    line.add_flag("--manifest", "print what a crawler must find, then the line 'end'",
                  arguments.manifest);
    line.add("--latency", "MS", "delay of each answer in milliseconds (0)",
             number_into(latency_ms, 0, 3'600'000));
    line.add("--port", "N", "port to listen on; 0 chooses a free one (0)",
             number_into(arguments.server.port, 0, 65'535));
    line.add("--selector", "NAME", "how to wait for sockets",
             common::selector_into(arguments.server.selector));
    line.add_flag("--keep", "generate each page only once: faster, but uses memory",
                  arguments.keep);
    line.add("--log", "FILE", "append a line for each request: status and path",
             common::text_into(arguments.log));
    line.add_flag("--counts", "at each line of input, print what was served since",
                  arguments.counts);
    line.add_flag("--until-eof", "stop when standard input ends", arguments.until_eof);
    line.add("--root", "FOLDER", "serve this folder instead of a generated site",
             common::text_into(arguments.root));
    if (const auto help = line.parse(argc, argv)) {
        fmt::print("{}", *help);
        return 0;
    }
    if (line.has("--root")) {
        std::error_code ignored; // what can't be examined is not a folder to serve
        if (!std::filesystem::is_directory(arguments.root, ignored))
            throw common::UsageError(
                fmt::format("--root: '{}' is not a folder", arguments.root));
        for (const char* generated :
             {"--pages", "--links", "--size", "--seed", "--manifest", "--keep"})
            if (line.has(generated))
                throw common::UsageError(fmt::format(
                    "{} applies to a generated site, not to --root", generated));
    }
    arguments.server.latency = std::chrono::milliseconds(latency_ms);
    arguments.until_eof = arguments.until_eof || arguments.counts;
    return std::nullopt;
}

/// The handler, with a cache for the pages that exist. The number of those that don't is
/// unlimited.
Handler keeping(Handler handler) {
    return
        [handler = std::move(handler), kept = std::unordered_map<std::string, Answer>()](
            const Request& request) mutable {
            std::string target(request.target);
            const auto known = kept.find(target);
            if (known != kept.end())
                return known->second;
            Answer answer = handler(request);
            if (answer.status < 400)
                kept.emplace(std::move(target), answer);
            return answer;
        };
}

/// The handler, which also writes a line to a file for each call. The line is written
/// before the answer, so that a client that has the answer finds it there. Throws
/// std::runtime_error.
Handler noting(Handler handler, const std::string& file) {
    const auto log = std::make_shared<std::ofstream>(file, std::ios::app);
    if (!*log)
        throw std::runtime_error("cannot write to " + file);
    return [handler = std::move(handler), log](const Request& request) {
        Answer answer = handler(request);
        *log << fmt::format("{} {}\n", answer.status, request.target) << std::flush;
        return answer;
    };
}

/// Prints the counts since the last time: "requests 545 at_once 10 connections 12".
void tell_counts(practice_site::BackgroundServer& server) {
    const auto so_far = server.statistics();
    server.reset_statistics();
    fmt::print("requests {} at_once {} connections {}\n", so_far.requests_served,
               so_far.most_requests, so_far.most_connections);
    std::fflush(stdout);
}

/// A line on a terminal that is overwritten once a second: how busy the server is.
void show_counts_until_the_end(const practice_site::BackgroundServer& server,
                               bool until_eof) {
    using Clock = std::chrono::steady_clock;
    constexpr const char* clear_line = "\r\x1b[K";
    auto told = Clock::now();
    std::uint64_t told_requests = 0; // the server has just begun
    std::string shown;
    while (!wait_for_the_end(until_eof, 1000)) {
        const auto so_far = server.statistics();
        const std::chrono::duration<double> passed = Clock::now() - told;
        told += std::chrono::duration_cast<Clock::duration>(passed);
        const auto requests =
            so_far.requests_served - std::exchange(told_requests, so_far.requests_served);
        const std::string line = fmt::format(
            "{} connections open, {:.0f} requests/s, {} in all", so_far.connections,
            static_cast<double>(requests) / passed.count(), so_far.requests_served);
        if (line != shown)
            fmt::print(stderr, "{}{}", clear_line, line);
        shown = line;
    }
    if (!shown.empty())
        fmt::print(stderr, clear_line);
}

/// `site` has the manifest; it is nullptr if the handler serves files.
void serve(const Arguments& arguments, Handler handler, const practice_site::Site* site) {
    if (arguments.keep)
        handler = keeping(std::move(handler));
    if (!arguments.log.empty())
        handler = noting(std::move(handler), arguments.log);
    practice_site::BackgroundServer server(std::move(handler), arguments.server);
    fmt::print("{}\n", server.url());
    std::fflush(stdout); // someone may be waiting for it at the other end of a pipe
    if (site != nullptr && arguments.manifest) {
        fmt::print("{}", practice_site::to_text(site->manifest(server.origin())));
        std::fflush(stdout);
    }
    if (arguments.counts)
        wait_for_the_end(true, -1, [&server] { tell_counts(server); });
    else if (::isatty(STDERR_FILENO) == 1)
        show_counts_until_the_end(server, arguments.until_eof);
    else
        wait_for_the_end(arguments.until_eof);
}

void serve(const Arguments& arguments) {
    // select can watch only descriptors below FD_SETSIZE. With no others allowed, excess
    // clients wait in the listener's queue.
    common::allow_descriptors(arguments.server.selector == "select"
                                  ? std::size_t{FD_SETSIZE}
                                  : std::numeric_limits<std::size_t>::max());
    if (!arguments.root.empty()) {
        const practice_site::Folder folder(arguments.root);
        serve(
            arguments, [&](const Request& request) { return folder.answer(request); },
            nullptr);
    } else {
        const practice_site::Site site(arguments.site);
        serve(
            arguments, [&](const Request& request) { return site.answer(request); },
            &site);
    }
}

} // namespace

int main(int argc, char** argv) {
    try {
        Arguments arguments;
        if (const auto status = parse(argc, argv, arguments))
            return *status;
        stop_on_signals();
        serve(arguments);
        return 0;
    } catch (const common::UsageError& problem) {
        fmt::print(stderr, "practice_site: {} (see practice_site --help)\n",
                   problem.what());
        return 2;
    } catch (const std::exception& problem) {
        if (wait_for_the_end(false, 0)) // a signal came during a print
            return 0;
        fmt::print(stderr, "practice_site: {}\n", problem.what());
        return 1;
    }
}
