#include "tests/stage3/crawler/crawl_under_test.h"

#include "stage3_queue_crawler/runtime/task/run.h"
#include "stage3_queue_crawler/runtime/task/wait.h"

#include <fmt/core.h>

#include <utility>

namespace tests {
namespace {

Said said(const Record& record) {
    return {.url = std::string(record.url.href()),
            .parent = std::string(record.parent ? record.parent->href() : ""),
            .depth = record.depth,
            .outcome = record.outcome,
            .status = record.status,
            .next_url = record.next_url,
            .error = record.error,
            .content_type = record.content_type,
            .charset = record.charset,
            .bytes = record.bytes,
            .links = record.links,
            .new_links = record.new_links,
            .tries = record.tries,
            .seconds = record.seconds};
}

} // namespace

Reply page(const std::vector<std::string>& links) {
    std::string body;
    for (const std::string& link : links)
        body += fmt::format("<a href='{}'>x</a>\n", link);
    return html(body);
}

Result Setup::crawl(const std::vector<std::string>& roots) {
    Result result;
    std::vector<common::Url> urls;
    for (const std::string& root : roots)
        urls.push_back(*common::parse_url(root));
    events.on_record = [&](const Record& record, const auto&) {
        result.records.push_back(said(record));
        if (on_record)
            on_record(record);
    };
    events.on_note = [&](const std::string& note) {
        result.notes.push_back(note);
        if (on_note)
            on_note(note);
    };
    settings.robots.obey = obey_robots; // most tests count requests
    stage3::LoopOptions options;
    if (make_loop)
        options = make_loop();
    else
        options.clock = clock;
    EventLoop loop(std::move(options));
    const auto now = [&] { return make_loop ? loop.time() : Clock::now(); };
    stage3::Crawler crawler(loop, urls, stage3::Scope(reach, urls, std::move(excluded)),
                            settings, events, helpers);
    const auto start = now();
    auto task = create_task(loop, crawler.crawl());
    if (during)
        during(loop, task);
    result.ending = stage3::run_until_complete<Ending>(loop, task);
    result.seconds = std::chrono::duration<double>(now() - start).count();
    result.progress = crawler.progress();
    result.left_out = crawler.left_out();
    return result;
}

} // namespace tests
