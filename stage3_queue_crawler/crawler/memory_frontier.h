// A frontier in memory.
//
// It keeps the list: which URLs are known, which of them are to be visited, and when
// nothing is left. Where a URL waits until it may be fetched is another matter
// (host_lines.h). Page 18b of the book.
#pragma once

#include "common/web/fragments.h"
#include "common/web/links.h"
#include "common/web/url.h"
#include "stage3_queue_crawler/crawler/fragments.h"
#include "stage3_queue_crawler/crawler/frontier.h"
#include "stage3_queue_crawler/crawler/frontier_settings.h"
#include "stage3_queue_crawler/crawler/host_lines.h"
#include "stage3_queue_crawler/crawler/known_urls.h"
#include "stage3_queue_crawler/crawler/record.h"
#include "stage3_queue_crawler/crawler/sitemap.h"
#include "stage3_queue_crawler/crawler/visit.h"
#include "stage3_queue_crawler/runtime/loop/event_loop.h"
#include "stage3_queue_crawler/runtime/sync/event.h"
#include "stage3_queue_crawler/runtime/task/coroutine.h"
#include "stage3_queue_crawler/runtime/task/wait.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace stage3 {

class MemoryFrontier final : private HostLines {
  public:
    using HostLines::Item;

    /// `loop` must outlive it, and it must outlive the tasks that wait for it.
    explicit MemoryFrontier(EventLoop& loop, const FrontierSettings& settings = {},
                            FrontierHelpers helpers = {});

    // The concept's verbs: see frontier.h.
    Coroutine<> open(std::vector<common::Url> roots);
    void add_listed(const std::vector<ListedUrl>& listed);
    Coroutine<Visit<MemoryFrontier>> get() { return next_visit(*this, false); }
    Coroutine<Visit<MemoryFrontier>> get_foreign() { return next_visit(*this, true); }
    void began(Item& item);
    void done(const Item& item, Record& record, const Found& found);
    void put_off(Item item, EventLoop::Duration wait);
    void give_back(Item item);
    using HostLines::answered;
    using HostLines::busy;
    using HostLines::end_host;
    using HostLines::has_asked;
    using HostLines::hold;
    using HostLines::refused;
    using HostLines::was_hasty;
    Coroutine<> join(TimeLimit limit);
    Coroutine<> close();
    FrontierCounts counts() const {
        return {.unfinished = unfinished_, .out = out(), .has_left_some = has_left_some_};
    }
    std::vector<Record> missing_fragments() const;

    /// All URLs that it has met.
    const KnownUrls& urls() const { return urls_; }

  private:
    /// Where a URL comes from, and why to visit it.
    struct Origin {
        KnownUrl::Number page;
        std::uint32_t depth;
        int redirects_left;
        Purpose purpose = Purpose::follow;
        common::LinkRole role = common::LinkRole::hyperlink;
    };

    void add(KnownUrl& url, const Origin& origin);
    void add_found(const Found& found, KnownUrl::Number number, const Item& item,
                   Record& record);
    void add_reference(const Reference& reference, KnownUrl::Number page,
                       const Item& item);
    void admit_deferred();
    void admit(Item item) override;
    void drop(const Item& item) override;
    void look_at(Item& item) override;
    void note_ids(const Found& found, KnownUrl::Number page);
    void look_again_if_wanted(KnownUrl::Number number);
    bool may_be_unread_page(const Item& item, const Record& record) const;
    void end_second_look(const Item& item, const Found& found);
    void point(const common::LinkFragments& fragments, KnownUrl::Number page,
               const common::PlacesOnPage* places = nullptr);
    std::vector<KnownUrl::Number>
    numbers_of_targets(const Found& found, const common::PlacesOnPage& places) const;
    void note_places(const Found& found, const common::PlacesOnPage& places);
    void finish_one(Purpose purpose, std::uint32_t depth);

    KnownUrls urls_;
    std::vector<KnownUrl*> deferred_; // to be checked when nothing is left to follow
    std::size_t to_follow_ = 0;       // unfinished
    std::size_t unfinished_ = 0;
    bool has_left_some_ = false;
    Fragments fragments_;
    std::vector<KnownUrl::Number> numbers_of_links_; // those of the page that is done
    std::vector<KnownUrl::Number> numbers_of_references_;
    Event nothing_left_;
};
static_assert(Frontier<MemoryFrontier>);

} // namespace stage3
