// What a response means: a record to report, and what was found there.
//
// Is a page alive, dead, or elsewhere? That is decided here, and nowhere else; which
// links to follow, it asks Scope and Traps. This class doesn't know how a page is
// fetched, or which URL comes next. Page 18b of the book.
#pragma once

#include "common/web/links.h"
#include "stage3_queue_crawler/crawler/answers.h"
#include "stage3_queue_crawler/crawler/checks.h"
#include "stage3_queue_crawler/crawler/item.h"
#include "stage3_queue_crawler/crawler/left_out.h"
#include "stage3_queue_crawler/crawler/page_response.h"
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
        : record(item.url),
          is_foreign(stage3::is_foreign(item.purpose) || item.url.is_malformed()) {
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

/// True for a redirect whose target leads back to it, with what `circles` has seen
/// before: then it's dead, and the record says so now. (Processes that share a crawl see
/// only some of its redirects each, so that the one that reports must look again.)
bool judge_circle(Record& record, RedirectCircles& circles);

class PageJudge {
  public:
    /// For a crawl of what `scope` contains. `on_note` is called with messages for the
    /// user: one or more lines, without the final newline. `answers` keeps what was
    /// answered, unless it's null. `circles` must outlive it.
    PageJudge(std::shared_ptr<const Scope> scope, RedirectCircles& circles,
              const TrapLimits& limits, Checks checks,
              std::function<void(const std::string&)> on_note, Answers* answers)
        : scope_(std::move(scope)), checks_(std::move(checks)), circles_(circles),
          traps_(limits), on_note_(std::move(on_note)), answers_(answers) {}

    /// What a response says, and which of its page's links to follow. Whatever goes wrong
    /// is the page's failure, and part of the result, except for std::bad_alloc. `links`:
    /// none if it was no page to be read.
    Page judge(const Item& item, const PageResponse& response,
               std::optional<common::Links> links);
    /// What it means that an item may not be fetched. `tries`: how many the failure of
    /// its robots.txt was worth, if it has failed.
    Page judge_refusal(const Item& item, int tries);

    /// Links in scope that were not followed.
    const std::vector<LeftOut>& left_out() const { return left_out_; }

  private:
    void decide(const Item& item, const PageResponse& response, bool is_read, Page& page);
    void keep(const Item& item, const PageResponse& response, const Record& record,
              const std::optional<common::Links>& links);
    void keep_failure(const Item& item, const Record& record);
    void choose(common::Links links, const Item& item, Page& page);
    void read_headers(const PageResponse& response, Page& page) const;
    void read_location(const Item& item, const PageResponse& response, Page& page);
    std::optional<Purpose> purpose_of(const common::Url& url, bool leads_on) const;
    void take_ids(common::Links& links, Page& page) const;
    void take_references(common::Links& links, const Item& item, Page& page);
    bool is_trap(const common::Url& link, const Item& item);
    void leave_out(std::size_t links, const std::string& what, const Item& item);
    void leave_out_beyond_limits(const common::Links& links, const Item& item);

    const std::shared_ptr<const Scope> scope_;
    const Checks checks_;
    RedirectCircles& circles_;
    Traps traps_;
    const std::function<void(const std::string&)> on_note_;
    Answers* const answers_;
    std::vector<LeftOut> left_out_;
};

} // namespace stage3
