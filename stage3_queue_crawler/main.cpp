// stage3: crawls web sites with a queue of workers, and tells what is dead.
//
// Exit status: 0 all fetched, 1 some URLs are dead, 2 wrong usage, 3 cut short, 130 ended
// by Ctrl-C. What it does beside crawling is told in book/15 (how it ends).
#include "common/descriptors.h"
#include "common/selector.h"
#include "common/trace.h"
#include "stage3_queue_crawler/crawler/console.h"
#include "stage3_queue_crawler/crawler/crawler.h"
#include "stage3_queue_crawler/crawler/escape.h"
#include "stage3_queue_crawler/crawler/options.h"
#include "stage3_queue_crawler/crawler/output.h"
#include "stage3_queue_crawler/crawler/report.h"
#include "stage3_queue_crawler/runtime/run.h"
#include "stage3_queue_crawler/runtime/wait.h"

#include <curl/curl.h>
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <sys/select.h>
#include <unistd.h>

namespace {

using namespace std::chrono_literals;
using stage3::Console;
using stage3::Ending;
using stage3::Options;
using Clock = std::chrono::steady_clock;

constexpr int cut_short = 3;
constexpr int interrupted = 130; // as shells count: 128 and the signal's number

/// libcurl wants to be set up before there are threads.
struct Libcurl {
    Libcurl() { curl_global_init(CURL_GLOBAL_DEFAULT); }
    Libcurl(const Libcurl&) = delete;
    Libcurl& operator=(const Libcurl&) = delete;
    ~Libcurl() { curl_global_cleanup(); }
};

/// As many workers as there can be sockets for.
void fit_workers(Options& options, Console& console) {
    constexpr std::size_t others = 32; // files, pipes, name servers
    std::size_t descriptors = common::allow_descriptors();
    if (options.selector == "select")
        descriptors = std::min<std::size_t>(descriptors, FD_SETSIZE);
    const std::size_t room = descriptors > others + 1 ? descriptors - others : 1;
    // Where it's tight, a quarter is for robots.txt: if one comes late, others should
    // not.
    const std::size_t for_robots =
        options.crawl.obey_robots ? std::min<std::size_t>((room + 3) / 4, 100) : 0;
    const std::size_t workers =
        std::min(options.crawl.workers, std::max<std::size_t>(room - for_robots, 1));
    if (workers < options.crawl.workers)
        console.note(fmt::format(
            "stage3: there is room for {} connections{}: so there "
            "are {} workers and not {} (see ulimit -n)",
            room,
            for_robots > 0 ? fmt::format(", of which {} are for robots.txt", for_robots)
                           : "",
            workers, options.crawl.workers));
    options.crawl.workers = workers;
    options.crawl.session.max_idle_connections = static_cast<long>(options.crawl.workers);
    // What is left is for robots.txt, and for lookups of names: up to three for each.
    const std::size_t left = room - options.crawl.workers;
    options.crawl.robots_at_once = std::clamp<std::size_t>(left, 1, 100);
    options.crawl.session.max_connections = static_cast<long>(
        std::min(options.crawl.workers + options.crawl.robots_at_once, room));
    options.crawl.session.max_lookups = std::clamp<std::size_t>((left + 20) / 3, 1, 64);
}

// [ctrl-c]
// A signal handler can be given nothing, so what it needs is global.
// NOLINTBEGIN(cppcoreguidelines-avoid-non-const-global-variables)
volatile std::sig_atomic_t next_signal_exits = 0;
void (*tell_loop)(int) = nullptr;
// NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables)

/// Called by the kernel, wherever the program is.
void on_signal(int number) {
    if (next_signal_exits != 0)
        ::_exit(interrupted);
    next_signal_exits = 1;
    tell_loop(number);
}

/// Ctrl-C asks the crawl to end. Pressed once more, it doesn't ask.
void end_on_ctrl_c(stage3::EventLoop& loop, stage3::Task<Ending> crawl) {
    for (const int number : {SIGINT, SIGTERM})
        loop.add_signal_handler(number, [crawl]() mutable { crawl.cancel(); });
    // The loop's own handler waits for the loop's turn. This one goes before it.
    struct sigaction action{};
    ::sigaction(SIGINT, nullptr, &action);
    tell_loop = std::exchange(action.sa_handler, on_signal);
    for (const int number : {SIGINT, SIGTERM})
        ::sigaction(number, &action, nullptr);
}
// [/ctrl-c]

// Its arguments are variables of the coroutine that starts it, and EndsWithScope ends it.
// NOLINTBEGIN(cppcoreguidelines-avoid-reference-coroutine-parameters)
stage3::Coroutine<> show_progress(const stage3::Crawler& crawler, Console& console,
                                  Clock::time_point start) {
    // NOLINTEND(cppcoreguidelines-avoid-reference-coroutine-parameters)
    while (true) {
        co_await stage3::sleep(200ms);
        console.show_progress(
            describe(crawler.progress(),
                     std::chrono::floor<std::chrono::seconds>(Clock::now() - start)));
    }
}

/// A task that uses what this scope owns.
class EndsWithScope {
  public:
    explicit EndsWithScope(stage3::Task<> task) : task_(std::move(task)) {}
    EndsWithScope(const EndsWithScope&) = delete;
    EndsWithScope& operator=(const EndsWithScope&) = delete;
    /// It will not run any more, but for its destructors.
    ~EndsWithScope() { task_.cancel(); }

  private:
    stage3::Task<> task_;
};

int exit_status(Ending ending, std::size_t dead) {
    switch (ending) {
    case Ending::interrupted: return interrupted;
    case Ending::timed_out:
    case Ending::max_pages: return cut_short;
    case Ending::complete: break;
    }
    return dead > 0 ? 1 : 0;
}

/// Why a crawl ended early, for a person.
std::string describe(Ending ending) {
    switch (ending) {
    case Ending::interrupted: return "interrupted";
    case Ending::timed_out: return "the time is over (--timeout)";
    case Ending::max_pages: return "enough has been fetched (--max-pages)";
    case Ending::complete: break;
    }
    return "complete";
}

stage3::Output open_output(const std::string& path) {
    try {
        return {stage3::running_loop(), path};
    } catch (const std::system_error& error) {
        throw common::UsageError(fmt::format("--output: {}", error.what()));
    }
}

common::Tracer open_trace(const std::string& path) {
    try {
        return path.empty() ? common::Tracer() : common::Tracer(path);
    } catch (const std::system_error& error) {
        throw common::UsageError(fmt::format("--trace: {}", error.what()));
    }
}

/// The whole run. The result is the exit status.
stage3::Coroutine<int> crawl(Options options) {
    Console console(options.quiet);
    fit_workers(options, console);
    stage3::Output output = open_output(options.output);
    std::vector<stage3::Record> records;
    options.crawl.on_note = [&](const std::string& note) {
        console.note("stage3: " + note);
    };
    if (options.verbose)
        options.crawl.on_start = [&](std::string_view worker,
                                     const stage3::KnownUrl& url) {
            console.note(
                fmt::format("{}, depth {}: {}", worker, url.depth, url.url->href()));
        };
    options.crawl.on_record = [&](const stage3::Record& record) {
        switch (options.format) {
        case stage3::Format::text:
            records.push_back(record);
            records.back().content_type.clear(); // not in the report, and perhaps long
            records.back().charset.clear();
            break;
        case stage3::Format::jsonl: output.write(to_json(record) + '\n'); break;
        case stage3::Format::csv: output.write(to_csv(record)); break;
        case stage3::Format::dot: output.write(to_dot(record)); break;
        }
    };
    options.crawl.until_ready = [&] { return output.drain(); };
    if (options.format == stage3::Format::csv)
        output.write(stage3::csv_header());
    if (options.format == stage3::Format::dot) {
        output.write("digraph crawl {\n");
        options.crawl.on_links = [&](const stage3::KnownUrl& page,
                                     const std::vector<common::Url>& links) {
            output.write(stage3::links_as_dot(page, links));
        };
    }

    // [run]
    const auto start = Clock::now();
    stage3::EventLoop& loop = stage3::running_loop();
    stage3::Crawler crawler(loop, options.roots,
                            stage3::Scope(options.reach, options.roots,
                                          std::move(options.excluded),
                                          std::move(options.included)),
                            std::move(options.crawl));
    const auto crawling = create_task(crawler.crawl(), "crawl");
    end_on_ctrl_c(loop, crawling);
    std::optional<EndsWithScope> showing;
    if (options.show_progress)
        showing.emplace(create_task(show_progress(crawler, console, start), "progress"));
    Ending ending = Ending::complete;
    try {
        ending = co_await crawling;
    } catch (...) {
        output.flush(); // what was done by then
        throw;
    }
    showing.reset();
    // [/run]

    console.show_progress({});
    if (options.format == stage3::Format::text)
        output.write(text_report(std::move(records), crawler.urls(), crawler.left_out(),
                                 Clock::now() - start, options.top));
    if (options.format == stage3::Format::dot)
        output.write("}\n");
    output.flush();
    if (ending != Ending::complete)
        console.note(fmt::format("stage3: {}: {} URLs that are known were not fetched",
                                 describe(ending), crawler.urls().count_queued()));
    co_return exit_status(ending, crawler.progress().dead);
}

/// For the user; not an error if nobody can read it.
void complain(const std::string& what, const char* hint = "") {
    const std::string line = "stage3: " + stage3::for_terminal(what) + hint + '\n';
    static_cast<void>(std::fputs(line.c_str(), stderr));
}

} // namespace

int main(int argc, char** argv) {
    std::signal(SIGPIPE, SIG_IGN); // a server that goes away is an error, not the end
    common::occupy_standard_descriptors();
    try {
        Options options = stage3::read_options(argc, argv);
        if (!options.help.empty()) {
            stage3::print(options.help);
            return 0;
        }
        const Libcurl libcurl;
        stage3::LoopOptions how;
        how.selector = common::make_selector(options.selector);
        common::Tracer tracer = open_trace(options.trace);
        how.tracer = &tracer;
        how.threads = options.parse_threads;
        const int status = stage3::run(crawl(std::move(options)), std::move(how));
        if (const std::error_code why = tracer.close()) {
            complain("--trace: the trace is cut off: " + why.message());
            return std::max(status, 1);
        }
        return status;
    } catch (const common::UsageError& error) {
        complain(error.what(), " (see stage3 --help)");
        return 2;
    } catch (const std::system_error& error) {
        if (error.code() == std::errc::broken_pipe) // as with "| head"
            return cut_short;
        complain(error.what());
        return 1;
    } catch (const std::exception& error) {
        complain(error.what());
        return 1;
    }
}
