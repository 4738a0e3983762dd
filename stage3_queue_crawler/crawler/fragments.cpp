#include "stage3_queue_crawler/crawler/fragments.h"

#include "common/web/nearest_id.h"
#include "common/web/percent_encoding.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace stage3 {
namespace {

/// For how many missing fragments the page is searched for a similar id.
constexpr std::size_t most_guesses = 500;

} // namespace

void Fragments::read(Number number, common::IdSet ids) {
    Page& page = pages_[number];
    page.ids = std::move(ids);
    settle(page, Page::State::read);
}

void Fragments::redirect(Number number, Number target) {
    Page& page = pages_[number];
    page.target = target;
    settle(page, Page::State::elsewhere);
    if (page.is_wanted || !page.missing.empty())
        want(target);
}

void Fragments::forget(Number number) { settle(pages_[number], Page::State::none); }

/// Now it's known what the page is, so no more links need to wait for that.
void Fragments::settle(Page& page, Page::State state) {
    page.state = state;
    const std::string text = std::exchange(page.text, {});
    std::vector<common::LinkPlace> places = std::exchange(page.places, {});
    places.resize(page.waiting.size());
    auto place = places.begin();
    for (const Waiting& link : std::exchange(page.waiting, {}))
        miss(page, link.source,
             {std::string_view(text).substr(link.begin, link.size), link.hash},
             std::move(*place++));
}

void Fragments::point(Number source, std::span<const Number> numbers,
                      const common::LinkFragments& fragments,
                      const common::PlacesOnPage* places) {
    std::vector<Page*> pages;
    for (const Number number : numbers)
        pages.push_back(number == KnownUrl::none ? nullptr : &pages_[number]);
    for (const auto& one : fragments.places) {
        Page* const page = pages[one.page];
        const common::Fragment fragment = fragments.fragment(one);
        if (page == nullptr)
            continue;
        common::LinkPlace place;
        if (places != nullptr && one.written < places->list.size())
            place = {*places, places->list[one.written]};
        if (page->state != Page::State::unread) {
            miss(*page, source, fragment, std::move(place));
            if (page->state == Page::State::elsewhere)
                want(page->target);
            continue;
        }
        page->waiting.push_back({.source = source,
                                 .hash = fragment.hash,
                                 .begin = static_cast<std::uint32_t>(page->text.size()),
                                 .size = one.size});
        page->text += fragment.text;
        if (!place.is_known())
            continue;
        page->places.resize(page->waiting.size());
        page->places.back() = std::move(place);
    }
}

/// A link on the page `source` points there. Notes it if the page hasn't such a place.
void Fragments::miss(Page& page, Number source, const common::Fragment& fragment,
                     common::LinkPlace place) {
    if (page.state == Page::State::none || common::is_indicated(fragment, page.ids))
        return;
    Pointers& pointers = page.missing[fragment.hash];
    if (pointers.times == 0)
        pointers.fragment = fragment.text;
    const bool is_same_page = pointers.times > 0 && pointers.last == source;
    if (!is_same_page)
        ++pointers.times;
    pointers.last = source;
    const bool has_room = pointers.from.size() < KnownUrls::least_mentions
                          || kept_ < KnownUrls::most_mentions;
    if (source == KnownUrl::none || !has_room || (is_same_page && !place.is_known()))
        return;
    pointers.from.push_back({.page = source, .place = std::move(place)});
    ++kept_;
}

Fragments::Number Fragments::end_of(Number number) const {
    for (std::size_t hops = 0; hops < pages_.size(); ++hops) {
        const auto page = pages_.find(number);
        if (page == pages_.end() || page->second.state != Page::State::elsewhere)
            break;
        number = page->second.target;
    }
    return number;
}

bool Fragments::wants(Number number) const {
    const auto page = pages_.find(number);
    return page != pages_.end() && page->second.state == Page::State::unread
           && (page->second.is_wanted || !page->second.waiting.empty());
}

/// A link's fragment comes here, and goes on if this redirects. If it was here before, it
/// has gone on.
void Fragments::want(Number number) {
    Page* page = &pages_[number];
    while (!std::exchange(page->is_wanted, true) && page->state == Page::State::elsewhere)
        page = &pages_[page->target];
}

/// Null: it isn't a page that was read.
const common::IdSet* Fragments::ids_of(Number number) const {
    const auto page = pages_.find(number);
    return page != pages_.end() && page->second.state == Page::State::read
               ? &page->second.ids
               : nullptr;
}

namespace {

std::size_t count_pages(const std::vector<Fragments::From>& links) {
    std::vector<Fragments::Number> pages;
    pages.reserve(links.size());
    for (const Fragments::From& link : links)
        pages.push_back(link.page);
    std::ranges::sort(pages);
    return pages.size() - std::ranges::unique(pages).size();
}

} // namespace

std::vector<Fragments::Missing> Fragments::missing() const {
    std::map<std::pair<Number, std::string>, Missing> all;
    for (const auto& [number, page] : pages_) {
        if (page.missing.empty())
            continue;
        const Number end = end_of(number);
        const common::IdSet* const ids = ids_of(end);
        if (ids == nullptr) // or its redirects go in a circle
            continue;
        for (const auto& [hash, pointers] : page.missing) {
            if (common::is_indicated({pointers.fragment, hash}, *ids))
                continue;
            const std::string name = common::readable_fragment(pointers.fragment);
            Missing& one = all[{number, name}]; // which may be spelled in several ways
            one.page = number;
            one.end = end;
            one.fragment = name;
            one.links.insert(one.links.end(), pointers.from.begin(), pointers.from.end());
            one.more_pages += pointers.times - count_pages(pointers.from);
        }
    }
    std::vector<Missing> result;
    for (auto& [key, missing] : all) {
        if (result.size() < most_guesses)
            missing.nearest_id = common::readable_fragment(common::nearest_id(
                common::percent_decoded(missing.fragment), *ids_of(missing.end)));
        result.push_back(std::move(missing));
    }
    return result;
}

std::vector<Record> records_of_missing(const Fragments& fragments,
                                       const KnownUrls& urls) {
    std::vector<Record> records;
    std::vector<Fragments::Missing> all = fragments.missing();
    for (Fragments::Missing& missing : all) {
        const KnownUrl& page = urls[missing.page];
        Record& record = records.emplace_back(page.url);
        if (!missing.links.empty()) { // else only the user has named it
            record.parent = urls[missing.links.front().page].url;
            record.role = common::LinkRole::hyperlink;
            record.place = missing.links.front().place;
        }
        record.depth = page.depth;
        record.is_foreign = is_foreign(page.purpose);
        // Nobody can mend a foreign page, and many make their elements by scripts.
        const bool is_sure = !is_foreign(urls[missing.end].purpose);
        record.outcome = is_sure ? Outcome::error : Outcome::unclear;
        record.status = 200;
        record.error = is_sure ? "no element has this id"
                               : "no element has this id, unless a script makes it";
        record.fragment = missing.fragment;
        record.nearest_id = missing.nearest_id;
        for (Fragments::From& from : missing.links)
            record.mentions.push_back(
                {.page = urls[from.page].url, .place = std::move(from.place)});
        record.more_mentions = missing.more_pages;
    }
    return records;
}

} // namespace stage3
