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

/// Of the page where its redirects end. Null: they lead to no page, or in a circle.
const common::IdSet* Fragments::ids_at_the_end_of(const Page& page) const {
    const Page* end = &page;
    for (std::size_t hops = 0; hops < pages_.size(); ++hops) {
        if (end->state != Page::State::elsewhere)
            return end->state == Page::State::read ? &end->ids : nullptr;
        const auto next = pages_.find(end->target);
        if (next == pages_.end())
            return nullptr;
        end = &next->second;
    }
    return nullptr;
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
        const common::IdSet* const ids =
            page.missing.empty() ? nullptr : ids_at_the_end_of(page);
        if (ids == nullptr)
            continue;
        for (const auto& [hash, pointers] : page.missing) {
            if (common::is_indicated({pointers.fragment, hash}, *ids))
                continue;
            const std::string name = common::readable_fragment(pointers.fragment);
            Missing& one = all[{number, name}]; // which may be spelled in several ways
            one.page = number;
            one.fragment = name;
            one.links.insert(one.links.end(), pointers.from.begin(), pointers.from.end());
            one.more_pages += pointers.times - count_pages(pointers.from);
        }
    }
    std::vector<Missing> result;
    for (auto& [key, missing] : all) {
        if (result.size() < most_guesses)
            missing.nearest_id = common::readable_fragment(
                common::nearest_id(common::percent_decoded(missing.fragment),
                                   *ids_at_the_end_of(pages_.at(missing.page))));
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
        record.outcome = Outcome::error;
        record.status = 200;
        record.error = "no element has this id";
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
