#include "stage3_queue_crawler/program/supervised_crawl.h"

#include "common/system/descriptors.h"
#include "stage3_queue_crawler/crawler/url_name.h"
#include "stage3_queue_crawler/program/descriptors.h"
#include "stage3_queue_crawler/program/interrupt.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include <sys/select.h>

namespace stage3 {

void fit_to_process(Options& options, Console& console) {
    if (!options.found_config.empty())
        console.note(fmt::format("stage3: options from {} (--no-config: without them)",
                                 options.found_config));
    std::size_t descriptors = common::allow_descriptors();
    if (options.selector == "select")
        descriptors = std::min<std::size_t>(descriptors, FD_SETSIZE);
    if (std::ranges::any_of(options.remaps, [](const auto& one) { return !one.to; }))
        descriptors /= 3; // our server's end of each connection, and the file
    if (const auto note = fit_to_descriptors(options.crawl, descriptors); !note.empty())
        console.note("stage3: " + note);
    if (options.crawl.session.tls.insecure)
        console.note("stage3: --insecure: certificates are not checked, so anything on "
                     "the way could read and change what is fetched");
    if (options.crawl.session.http_version == HttpVersion::two && !can_trust_http2())
        console.note("stage3: --http2: this version of libcurl, unlike 8.14, may take a "
                     "response that was cut off for a whole one");
    options.helpers.is_asked_to_end = is_interrupted;
}

CrawlEvents events_on(Console& console, bool verbose) {
    CrawlEvents events;
    events.on_note = [&console](const std::string& note) {
        console.note("stage3: " + note);
    };
    if (verbose)
        events.on_start = [&console](std::string_view worker, const Item& item) {
            console.note(
                fmt::format("{}, depth {}: {}", worker, item.depth, name_of(item.url)));
        };
    return events;
}

SupervisedCrawl::SupervisedCrawl(EventLoop& loop, Coroutine<Ending> crawl)
    : crawl_(create_task(loop, std::move(crawl), "crawl")), memory_(loop, crawl_.task()) {
    end_on_ctrl_c(loop, crawl_.task());
    end_on_hangup(loop, crawl_.task());
}

Coroutine<> SupervisedCrawl::wait(std::function<Progress()> progress, Console& console,
                                  bool wanted) {
    try {
        ending_ =
            co_await await_and_tell(crawl_.task(), std::move(progress), console, wanted);
    } catch (const std::bad_alloc&) {
        ending_ = Ending::no_memory;
    }
    memory_.crawl_has_ended();
}

} // namespace stage3
