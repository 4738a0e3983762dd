// What a response means: a record for whoever runs the crawl, and what was found there.
//
// Is a page alive, dead, or elsewhere? Which links on it are to be followed? It's decided
// here, and nowhere else. How a page is fetched, and which URL comes next, is not known
// here. Page 16 of the book.
#pragma once

#include "common/trace/stack_trace.h"
#include "stage3_queue_crawler/crawler/left_out.h"
#include "stage3_queue_crawler/crawler/page_fetch.h"
#include "stage3_queue_crawler/crawler/page_reader.h"
#include "stage3_queue_crawler/crawler/record.h"
#include "stage3_queue_crawler/crawler/redirect_circles.h"
#include "stage3_queue_crawler/crawler/scope.h"
#include "stage3_queue_crawler/crawler/traps.h"
#include "stage3_queue_crawler/crawler/work.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stage3 {

/// What becomes of a URL that was taken out of the frontier.
struct Page {
    explicit Page(const Work& work) : record(work.url) { record.tries = work.tries; }

    /// It's dead, and that is why.
    void fail(std::string why, Outcome outcome = Outcome::failed) {
        record.outcome = outcome;
        record.error = std::move(why);
    }

    Record record;
    Found found;
};

class PageJudge {
  public:
    /// For a crawl of what `scope` contains. `reader` must outlive it. `on_note` is
    /// called with what the user should read: some lines, without the last line end.
    PageJudge(PageReader& reader, std::shared_ptr<const Scope> scope,
              const TrapLimits& limits, std::function<void(const std::string&)> on_note)
        : reader_(reader), scope_(std::move(scope)), traps_(limits),
          on_note_(std::move(on_note)) {}

    /// What a response says, and what is found in it. Whatever goes wrong is part of
    /// that. `work` must live until this has ended.
    Coroutine<Page> judge(const Work& work, PageResponse response);

    /// Links that were not followed though they are in scope.
    const std::vector<LeftOut>& left_out() const { return left_out_; }

  private:
    void read_headers(const Work& work, const PageResponse& response, Page& page);
    void read_location(const Work& work, const PageResponse& response, Page& page);
    Coroutine<> read_links(const Work& work, PageResponse response, Page& page);
    bool is_trap(const common::Url& link, const Work& work);
    void leave_out(std::size_t links, std::string_view why, const Work& work);
    void tell_way(const Work& work, const common::TracedError& error);

    PageReader& reader_;
    const std::shared_ptr<const Scope> scope_;
    RedirectCircles circles_;
    Traps traps_;
    const std::function<void(const std::string&)> on_note_;
    std::vector<LeftOut> left_out_;
};

} // namespace stage3
