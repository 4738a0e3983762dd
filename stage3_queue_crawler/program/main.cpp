// stage3: crawls web sites with a queue of workers, and reports what is dead.
//
// Exit status (exit_status.h): 0 all is well, 1 some URLs are dead, 2 wrong usage, 3 none
// is dead but the crawl isn't complete. By Ctrl-C, SIGTERM and SIGHUP it dies, once its
// results are written (interrupt.h). What it does besides crawling is on page 17 of the
// book.
#include "common/command_line/usage_error.h"
#include "common/system/descriptors.h"
#include "common/system/selector.h"
#include "common/trace/trace.h"
#include "stage3_queue_crawler/program/console.h"
#include "stage3_queue_crawler/program/crawl_alone.h"
#include "stage3_queue_crawler/program/crawl_together.h"
#include "stage3_queue_crawler/program/exit_status.h"
#include "stage3_queue_crawler/program/formats/escape.h"
#include "stage3_queue_crawler/program/interrupt.h"
#include "stage3_queue_crawler/program/memory_reserve.h"
#include "stage3_queue_crawler/program/options.h"
#include "stage3_queue_crawler/program/output.h"
#include "stage3_queue_crawler/program/write.h"
#include "stage3_queue_crawler/runtime/task/run.h"

#include <curl/curl.h>

#include <algorithm>
#include <csignal>
#include <exception>
#include <new>
#include <string>
#include <system_error>
#include <utility>

#include <unistd.h>

namespace {

/// libcurl has to be set up before there are threads.
struct Libcurl {
    Libcurl() { stage3::init_curl_with_reserve(); }
    Libcurl(const Libcurl&) = delete;
    Libcurl& operator=(const Libcurl&) = delete;
    ~Libcurl() { curl_global_cleanup(); }
};

/// For the user; not an error if the text isn't read, or can't be.
void complain(const std::string& what, const char* hint = "") {
    const std::string line = "stage3: " + stage3::for_terminal(what) + hint + '\n';
    stage3::write_patiently(stage3::WriteEnd(STDERR_FILENO), line);
}

/// All that `main` does. Returns the exit status.
int run_stage3(int argc, char** argv) {
    try {
        stage3::Options options = stage3::read_options(argc, argv);
        if (!options.help.empty()) {
            stage3::print_on_stdout(options.help);
            return 0;
        }
        const Libcurl libcurl;
        stage3::LoopOptions how;
        how.selector = common::make_selector(options.selector);
        common::Tracer tracer = stage3::open_for("--trace", [&] {
            return options.trace.empty() ? common::Tracer()
                                         : common::Tracer(options.trace, "stage3");
        });
        how.tracer = &tracer;
        how.threads = options.parse_threads;
        const bool is_shared = !options.shared.servers.empty();
        const int status =
            stage3::run(is_shared ? stage3::crawl_together(std::move(options))
                                  : stage3::crawl_alone(std::move(options)),
                        std::move(how));
        if (const std::error_code why = tracer.close()) {
            complain("--trace: the trace is cut off: " + why.message());
            return status == 0 ? stage3::incomplete_status : status;
        }
        return status;
    } catch (const common::UsageError& error) {
        complain(error.what(), " (see stage3 --help)");
        return 2;
    } catch (const std::system_error& error) {
        if (error.code() == std::errc::broken_pipe) // as with "| head"
            return stage3::incomplete_status;
        complain(error.what());
        return stage3::incomplete_status;
    } catch (const std::bad_alloc&) {
        complain(std::string(stage3::describe(stage3::Ending::no_memory)));
        return stage3::incomplete_status;
    } catch (const std::exception& error) {
        complain(error.what());
        return stage3::incomplete_status;
    }
}

} // namespace

int main(int argc, char** argv) {
    std::signal(SIGPIPE, SIG_IGN); // a server that goes away is an error, not the end
    std::signal(SIGXFSZ, SIG_IGN); // so is a file that may not grow (ulimit -f)
    std::signal(SIGQUIT, SIG_IGN); // until there are tasks to show
    stage3::let_signals_end_process_1();
    common::occupy_standard_descriptors();
    const int status = run_stage3(argc, argv);
    stage3::die_if_interrupted();
    return status;
}
