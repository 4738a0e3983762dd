// stage3: crawls web sites with a queue of workers, and tells what is dead.
//
// Exit status: 0 all fetched, 1 some URLs are dead, 2 wrong usage, 3 cut short, or it
// can't go on, 130 ended by Ctrl-C or SIGHUP. What it does beside crawling is told in
// book/15 (how it ends).
#include "common/system/descriptors.h"
#include "common/system/selector.h"
#include "common/trace/trace.h"
#include "stage3_queue_crawler/crawler/crawler.h"
#include "stage3_queue_crawler/program/console.h"
#include "stage3_queue_crawler/program/crawl_together.h"
#include "stage3_queue_crawler/program/descriptors.h"
#include "stage3_queue_crawler/program/escape.h"
#include "stage3_queue_crawler/program/exit_status.h"
#include "stage3_queue_crawler/program/formats.h"
#include "stage3_queue_crawler/program/interrupt.h"
#include "stage3_queue_crawler/program/memory_reserve.h"
#include "stage3_queue_crawler/program/options.h"
#include "stage3_queue_crawler/program/output.h"
#include "stage3_queue_crawler/program/tell_tasks.h"
#include "stage3_queue_crawler/program/write.h"
#include "stage3_queue_crawler/runtime/task/run.h"

#include <curl/curl.h>
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <sys/select.h>
#include <unistd.h>

namespace {

using stage3::Console;
using stage3::Ending;
using stage3::Options;
using stage3::Output;
using Clock = std::chrono::steady_clock;

/// libcurl wants to be set up before there are threads.
struct Libcurl {
    Libcurl() { stage3::init_curl_with_reserve(); }
    Libcurl(const Libcurl&) = delete;
    Libcurl& operator=(const Libcurl&) = delete;
    ~Libcurl() { curl_global_cleanup(); }
};

/// Opens what an option names.
template <class Open>
auto open_for(const char* option, Open open) {
    try {
        return open();
    } catch (const std::system_error& error) {
        throw common::UsageError(fmt::format("{}: {}", option, error.what()));
    }
}

/// What of a crawl is written where.
stage3::CrawlEvents events_for(const Options& options, Console& console,
                               stage3::Format& format, Output& output) {
    stage3::CrawlEvents events;
    events.on_note = [&](const std::string& note) { console.note("stage3: " + note); };
    if (options.verbose)
        events.on_start = [&](std::string_view worker, const stage3::Work& work) {
            console.note(
                fmt::format("{}, depth {}: {}", worker, work.depth, work.url.href()));
        };
    events.on_record = [&](const stage3::Record& record) {
        output.write(format.record(record));
    };
    events.on_links = [&](const common::Url& page,
                          const std::vector<common::Url>& links) {
        output.write(format.links(page, links));
    };
    events.until_ready = [&] { return output.drain(); };
    return events;
}

/// The whole run. The result is the exit status.
stage3::Coroutine<int> crawl(Options options) {
    stage3::EventLoop& loop = stage3::running_loop();
    Console console(loop, options.quiet);
    const stage3::TellTasksOnQuit tell(loop, console);
    Output output = open_for("--output", [&] { return Output(loop, options.output); });
    const auto format = stage3::make_format(options.format, options.top);
    std::size_t descriptors = common::allow_descriptors();
    if (options.selector == "select")
        descriptors = std::min<std::size_t>(descriptors, FD_SETSIZE);
    if (const auto note = fit_to_descriptors(options.crawl, descriptors); !note.empty())
        console.note("stage3: " + note);

    options.crawl.is_asked_to_end = stage3::is_interrupted;
    // [run]
    output.write(format->begin());
    const auto start = Clock::now();
    stage3::Crawler crawler(loop, options.roots,
                            stage3::Scope(options.reach, options.roots,
                                          std::move(options.excluded),
                                          std::move(options.included)),
                            options.crawl, events_for(options, console, *format, output));
    const auto crawling = create_task(crawler.crawl(), "crawl");
    end_on_ctrl_c(loop, crawling);
    end_on_hangup(loop, crawling);
    const stage3::MemoryReserve memory(loop, crawling);
    Ending ending = Ending::complete;
    try {
        const auto progress = [&crawler] { return crawler.progress(); };
        ending =
            co_await await_and_tell(crawling, progress, console, options.show_progress);
    } catch (const std::bad_alloc&) {
        ending = Ending::no_memory;
    } catch (...) {
        output.flush(); // what was done by then
        throw;
    }
    output.write(format->end({.urls = crawler.frontier().urls(),
                              .left_out = crawler.left_out(),
                              .time = Clock::now() - start}));
    output.flush();
    // [/run]

    if (memory.is_used())
        ending = Ending::no_memory;
    if (ending != Ending::complete)
        console.note(fmt::format("stage3: {}: {} URLs that are known were not fetched",
                                 stage3::describe(ending),
                                 crawler.frontier().urls().count_queued()));
    co_return exit_status(ending, crawler.progress().dead, !crawler.left_out().empty());
}

/// For the user; not an error if nobody can read it, or does.
void complain(const std::string& what, const char* hint = "") {
    const std::string line = "stage3: " + stage3::for_terminal(what) + hint + '\n';
    stage3::write_patiently(STDERR_FILENO, line);
}

} // namespace

int main(int argc, char** argv) {
    std::signal(SIGPIPE, SIG_IGN); // a server that goes away is an error, not the end
    std::signal(SIGXFSZ, SIG_IGN); // so is a file that may not grow (ulimit -f)
    std::signal(SIGQUIT, SIG_IGN); // until there are tasks to tell about
    common::occupy_standard_descriptors();
    try {
        Options options = stage3::read_options(argc, argv);
        if (!options.help.empty()) {
            stage3::print_on_stdout(options.help);
            return 0;
        }
        const Libcurl libcurl;
        stage3::LoopOptions how;
        how.selector = common::make_selector(options.selector);
        common::Tracer tracer = open_for("--trace", [&] {
            return options.trace.empty() ? common::Tracer()
                                         : common::Tracer(options.trace, "stage3");
        });
        how.tracer = &tracer;
        how.threads = options.parse_threads;
        const bool is_shared = !options.shared.servers.empty();
        const int status =
            stage3::run(is_shared ? stage3::crawl_together(std::move(options))
                                  : crawl(std::move(options)),
                        std::move(how));
        if (const std::error_code why = tracer.close()) {
            complain("--trace: the trace is cut off: " + why.message());
            return std::max(status, stage3::cut_short_status);
        }
        return status;
    } catch (const common::UsageError& error) {
        complain(error.what(), " (see stage3 --help)");
        return 2;
    } catch (const std::system_error& error) {
        if (error.code() == std::errc::broken_pipe) // as with "| head"
            return stage3::cut_short_status;
        complain(error.what());
        return stage3::cut_short_status;
    } catch (const std::bad_alloc&) {
        complain(std::string(stage3::describe(Ending::no_memory)));
        return stage3::cut_short_status;
    } catch (const std::exception& error) {
        complain(error.what());
        return stage3::cut_short_status;
    }
}
