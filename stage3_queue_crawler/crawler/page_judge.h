// What a response means: a record to report, and what was found there.
//
// Is a page alive, dead, or elsewhere? That is decided here, and nowhere else; which
// links to follow, it asks Scope and Traps. This class doesn't know how a page is
// fetched, or which URL comes next. Page 18b of the book.
#pragma once

#include "common/trace/stack_trace.h"
#include "stage3_queue_crawler/crawler/answers.h"
#include "stage3_queue_crawler/crawler/item.h"
#include "stage3_queue_crawler/crawler/left_out.h"
#include "stage3_queue_crawler/crawler/page_fetch.h"
#include "stage3_queue_crawler/crawler/page_reader.h"
#include "stage3_queue_crawler/crawler/purpose.h"
#include "stage3_queue_crawler/crawler/record.h"
#include "stage3_queue_crawler/crawler/redirect_circles.h"
#include "stage3_queue_crawler/crawler/scope.h"
#include "stage3_queue_crawler/crawler/traps.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stage3 {

/// The result for a URL that was taken out of the frontier.
struct Page {
    explicit Page(const Item& item)
        : record(item.url), is_foreign(item.purpose == Purpose::check_foreign) {
        record.tries = item.tries;
        record.is_foreign = is_foreign;
    }

    /// Records that it's dead, and why.
    void fail(std::string why, Outcome outcome = Outcome::failed) {
        record.outcome = outcome;
        record.error = std::move(why);
    }
    /// Records that it may be alive or dead.
    void leave_open(std::string why) { fail(std::move(why), Outcome::unclear); }

    Record record;
    Found found;
    bool is_foreign;
};

class PageJudge {
  public:
    /// For a crawl of what `scope` contains. `reader` must outlive it. `on_note` is
    /// called with messages for the user: one or more lines, without the final newline.
    /// `answers` keeps what was answered, unless it's null.
    PageJudge(PageReader& reader, std::shared_ptr<const Scope> scope,
              const TrapLimits& limits, std::function<void(const std::string&)> on_note,
              Checks checks = {}, Answers* answers = nullptr)
        : reader_(reader), scope_(std::move(scope)), checks_(std::move(checks)),
          answers_(answers), traps_(limits), on_note_(std::move(on_note)) {}

    /// What a response says, and what was found in it. Failures are part of the result.
    /// `item` must live until this has ended.
    Coroutine<Page> judge(const Item& item, PageResponse response);

    /// Links in scope that were not followed.
    const std::vector<LeftOut>& left_out() const { return left_out_; }

    /// Tells `answers` that there was none, so that the URL is asked about again.
    void keep_failure(const Item& item, const Page& page);

  private:
    void read_headers(const Item& item, const PageResponse& response, Page& page);
    void read_location(const Item& item, const PageResponse& response, Page& page);
    std::optional<Purpose> purpose_of(const common::Url& url, bool leads_on) const;
    void take_references(common::Links& links, const Item& item, Page& page);
    bool is_style_sheet(const PageResponse& response) const;
    Coroutine<std::optional<common::Links>> links_on(const Item& item,
                                                     PageResponse& response);
    void take_links(common::Links links, const Item& item, const PageResponse& response,
                    Page& page);
    void keep(const Item& item, const PageResponse& response, Outcome outcome,
              const common::Links* links = nullptr);
    bool is_trap(const common::Url& link, const Item& item);
    void leave_out(std::size_t links, const std::string& what, const Item& item);
    void leave_out_beyond_limits(const common::Links& links, const Item& item);
    void tell_way(const Item& item, const common::TracedError& error);

    PageReader& reader_;
    const std::shared_ptr<const Scope> scope_;
    const Checks checks_;
    Answers* const answers_;
    RedirectCircles circles_;
    Traps traps_;
    const std::function<void(const std::string&)> on_note_;
    std::vector<LeftOut> left_out_;
};

} // namespace stage3
