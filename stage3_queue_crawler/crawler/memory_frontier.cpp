#include "stage3_queue_crawler/crawler/memory_frontier.h"

#include "common/web/http_response.h"

#include <optional>
#include <utility>

namespace stage3 {

namespace {

bool wants_page(common::LinkRole role) {
    return common::leads_on(role) || role == common::LinkRole::sitemap;
}

} // namespace

MemoryFrontier::MemoryFrontier(EventLoop& loop, const FrontierSettings& settings,
                               FrontierHelpers helpers)
    : HostLines(loop, settings, std::move(helpers)) {
    nothing_left_.set();
}

Coroutine<> MemoryFrontier::open(std::vector<common::Url> roots) {
    for (const common::Url& root : roots)
        add(urls_[root], {.page = KnownUrl::none,
                          .depth = 0,
                          .redirects_left = settings_.max_redirects});
    if (helpers_.checks.fragments)
        point(settings_.of_roots, KnownUrl::none);
    co_return;
}

void MemoryFrontier::add_listed(const std::vector<ListedUrl>& listed) {
    for (const ListedUrl& one : listed)
        add(urls_[one.url], {.page = urls_.number_of(one.sitemap),
                             .depth = 0,
                             .redirects_left = settings_.max_redirects,
                             .role = common::LinkRole::sitemap});
}

/// Makes a URL an item, unless it already is or was one. A check waits until nothing is
/// left to follow: until then, a link may turn it into a page to be read.
void MemoryFrontier::add(KnownUrl& url, const Origin& origin) {
    const bool was_deferred = url.is_deferred && origin.purpose == Purpose::follow;
    if (url.state != KnownUrl::State::met && !was_deferred)
        return;
    url.state = KnownUrl::State::queued;
    url.parent = origin.page;
    url.depth = origin.depth;
    url.purpose = origin.purpose;
    url.role = origin.role;
    url.is_deferred = false;
    if (was_deferred)
        --unfinished_;
    if (is_full()) {
        has_left_some_ = true;
        return;
    }
    ++unfinished_;
    nothing_left_.clear();
    if (url.purpose == Purpose::follow) {
        ++to_follow_;
        remembered().begin_page(url.depth);
    }
    if (url.purpose == Purpose::check && to_follow_ > 0) {
        url.is_deferred = true;
        deferred_.push_back(&url);
        return;
    }
    Item item(url.url);
    item.is_root = origin.page == KnownUrl::none;
    item.depth = origin.depth;
    item.redirects_left = origin.redirects_left;
    item.purpose = origin.purpose;
    item.wants_page = wants_page(origin.role);
    admit(std::move(item));
}

void MemoryFrontier::admit_deferred() {
    for (KnownUrl* const url : std::exchange(deferred_, {})) {
        if (!std::exchange(url->is_deferred, false))
            continue; // it's a page, too
        if (is_full()) {
            has_left_some_ = true;
            finish_one(Purpose::check, url->depth);
            continue;
        }
        Item item(url->url);
        item.depth = url->depth;
        item.redirects_left = settings_.max_redirects;
        item.purpose = Purpose::check;
        item.wants_page = wants_page(url->role);
        admit(std::move(item));
    }
}

/// On a foreign server, asking for robots.txt has to wait for its turn, too.
void MemoryFrontier::admit(Item item) {
    if (is_closed())
        return;
    // [remembered]
    item.is_remembered =
        helpers_.answers != nullptr && helpers_.answers->will_do(item.url, item.purpose);
    if (item.is_remembered)
        remembered().enter(std::move(item));
    // [/remembered]
    else if (item.url.is_malformed())
        let_in(std::move(item)); // there is no server to ask
    else if (has_ended(item))
        let_in_ended(std::move(item));
    else if (!is_foreign(item.purpose) && has_robots_line())
        enter_robots_line(std::move(item));
    else
        enter_gate(std::move(item));
}

void MemoryFrontier::drop(const Item& item) {
    has_left_some_ = true;
    finish_one(item.purpose, item.depth);
}

void MemoryFrontier::began(Item& item) {
    item.has_begun = true;
    if (!item.is_remembered) // else its answer may be gone
        item.epoch = begin_request(host_of(item.url));
}

void MemoryFrontier::done(const Item& item, Record& record, const Found& found) {
    if (item.is_told) {
        end_second_look(item, found);
        return;
    }
    const KnownUrl::Number number = urls_.number_of(item.url);
    add_found(found, number, item, record);
    if (found.places)
        note_places(found, *found.places);
    KnownUrl& page = urls_[number];
    page.is_unread = may_be_unread_page(item, record);
    if (helpers_.checks.fragments) {
        note_ids(found, number);
        point(found.fragments, number, found.places ? &*found.places : nullptr);
    }
    if (page.parent != KnownUrl::none) {
        record.parent = urls_[page.parent].url;
        record.role = page.role;
        record.place = urls_.place_on_parent(number);
    }
    record.depth = page.depth;
    page.state =
        is_dead(record.outcome) ? KnownUrl::State::dead : KnownUrl::State::fetched;
    page.is_redirect = record.outcome == Outcome::redirect;
    if (record.outcome == Outcome::page || record.outcome == Outcome::file)
        urls_.note_alive(number);
    end_visit(host_of(item.url), {.is_inside = item.is_inside,
                                  .has_begun = item.has_begun,
                                  .is_foreign = is_foreign(item.purpose)});
    finish_one(item.purpose, item.depth);
}

void MemoryFrontier::add_found(const Found& found, KnownUrl::Number number,
                               const Item& item, Record& record) {
    numbers_of_links_.clear();
    numbers_of_references_.clear();
    for (const common::Url& link : found.links) {
        const KnownUrl::Number to = urls_.number_of(link);
        if (found.places)
            numbers_of_links_.push_back(to);
        KnownUrl& known = urls_[to];
        if (known.is_new())
            ++record.new_links;
        urls_.meet(to, number);
        if (item.depth < settings_.max_depth)
            add(known, {.page = number,
                        .depth = item.depth + 1,
                        .redirects_left = settings_.max_redirects});
    }
    for (const Reference& reference : found.references)
        add_reference(reference, number, item);
    if (!found.redirect)
        return;
    const KnownUrl::Number to = urls_.number_of(*found.redirect);
    urls_.redirect(to, number);
    add(urls_[to], {.page = number,
                    .depth = item.depth, // the same: a redirect isn't a link
                    .redirects_left = item.redirects_left - 1,
                    .purpose = found.redirect_purpose,
                    .role = urls_[number].role});
}

/// The numbers of the places' targets. They come in nearly the same order as the links
/// and the other references, and a comparison is cheaper than a look into the table.
std::vector<KnownUrl::Number>
MemoryFrontier::numbers_of_targets(const Found& found,
                                   const common::PlacesOnPage& places) const {
    std::vector<KnownUrl::Number> numbers;
    numbers.reserve(places.targets.size());
    std::size_t link = 0;
    std::size_t reference = 0;
    for (const common::Url& target : places.targets)
        if (link < found.links.size() && found.links[link] == target)
            numbers.push_back(numbers_of_links_[link++]);
        else if (reference < found.references.size()
                 && found.references[reference].url == target)
            numbers.push_back(numbers_of_references_[reference++]);
        else
            numbers.push_back(urls_.find_number(target));
    return numbers;
}

/// Where the page's links are written, of those that may be dead.
void MemoryFrontier::note_places(const Found& found, const common::PlacesOnPage& places) {
    const std::vector<KnownUrl::Number> numbers = numbers_of_targets(found, places);
    for (const common::PlacesOnPage::One& one : places.list)
        if (numbers[one.target] != KnownUrl::none)
            urls_.add_place(numbers[one.target], places, one);
}

void MemoryFrontier::add_reference(const Reference& reference, KnownUrl::Number page,
                                   const Item& item) {
    const KnownUrl::Number number = urls_.number_of(reference.url);
    numbers_of_references_.push_back(number);
    KnownUrl& known = urls_[number];
    urls_.meet(number, page);
    // What belongs to a page isn't further away from a root.
    const bool is_link = common::leads_on(reference.role);
    if (is_link && item.depth >= settings_.max_depth)
        return;
    add(known, {.page = page,
                .depth = is_link ? item.depth + 1 : item.depth,
                .redirects_left = settings_.max_redirects,
                .purpose = reference.purpose,
                .role = reference.role});
}

void MemoryFrontier::note_ids(const Found& found, KnownUrl::Number page) {
    if (found.ids)
        fragments_.read(page, *found.ids);
    else if (found.redirect && !found.redirect_has_fragment)
        fragments_.redirect(page, urls_.number_of(*found.redirect));
    else if (!urls_[page].is_unread)
        fragments_.forget(page);
    if (helpers_.checks.foreign)
        look_again_if_wanted(page);
}

// ---- Places on pages that aren't followed ----

/// Only a page to which a link with a fragment leads is searched. Most such links are met
/// while the URL still waits in line, so that one request does for both questions.
void MemoryFrontier::look_at(Item& item) {
    if (helpers_.checks.foreign && helpers_.checks.fragments && is_check(item.purpose)
        && fragments_.wants(urls_.find_number(item.url)))
        item.purpose = with_ids(item.purpose);
}

/// A HEAD has said no more than that it's alive.
bool MemoryFrontier::may_be_unread_page(const Item& item, const Record& record) const {
    return helpers_.checks.foreign && helpers_.checks.fragments && is_check(item.purpose)
           && common::is_success(record.status)
           && common::may_hold_links(record.content_type, "<");
}

/// The fragment came too late. So it's asked for once more, when it's its host's turn;
/// but it has a record, and counts among `max_pages`.
void MemoryFrontier::look_again_if_wanted(KnownUrl::Number number) {
    const KnownUrl::Number end = fragments_.end_of(number);
    KnownUrl& url = urls_[end];
    if (!url.is_unread || !fragments_.wants(end))
        return;
    url.is_unread = false;
    ++unfinished_;
    nothing_left_.clear();
    Item item(url.url);
    item.depth = url.depth;
    item.purpose = with_ids(url.purpose);
    item.was_tried = true;
    item.is_told = true;
    admit(std::move(item));
}

/// Whatever else it says now: its record said something else, so nothing is missing.
void MemoryFrontier::end_second_look(const Item& item, const Found& found) {
    const KnownUrl::Number number = urls_.number_of(item.url);
    if (found.ids)
        fragments_.read(number, *found.ids);
    else
        fragments_.forget(number);
    end_visit(host_of(item.url), {.is_inside = item.is_inside,
                                  .has_begun = item.has_begun,
                                  .is_foreign = is_foreign(item.purpose)});
    finish_one(item.purpose, item.depth);
}

void MemoryFrontier::point(const common::LinkFragments& fragments, KnownUrl::Number page,
                           const common::PlacesOnPage* places) {
    std::vector<KnownUrl::Number> numbers;
    numbers.reserve(fragments.pages.size());
    for (const common::Url& url : fragments.pages)
        numbers.push_back(urls_.find_number(url));
    fragments_.point(page, numbers, fragments, places);
    if (!helpers_.checks.foreign)
        return;
    for (const KnownUrl::Number number : numbers)
        if (number != KnownUrl::none)
            look_again_if_wanted(number);
}

std::vector<Record> MemoryFrontier::missing_fragments() const {
    return records_of_missing(fragments_, urls_);
}

void MemoryFrontier::put_off(Item item, EventLoop::Duration wait) {
    if (has_ended(item))
        wait = {};
    park(std::move(item), wait);
}

void MemoryFrontier::give_back(Item item) {
    come_in(item);
    if (item.tries > 0)
        --item.tries;
    item.goes_first = true;
    admit(std::move(item));
}

void MemoryFrontier::finish_one(Purpose purpose, std::uint32_t depth) {
    if (purpose == Purpose::follow) {
        remembered().end_page(depth);
        if (--to_follow_ == 0)
            admit_deferred();
    }
    if (--unfinished_ == 0)
        nothing_left_.set();
}

Coroutine<> MemoryFrontier::join(TimeLimit limit) {
    if (limit)
        co_await wait_for(nothing_left_.wait(), *limit);
    else
        co_await nothing_left_.wait();
    if (!has_left_some_)
        urls_.check_that_none_is_lost();
}

Coroutine<> MemoryFrontier::close() {
    close_lines();
    co_return;
}

} // namespace stage3
