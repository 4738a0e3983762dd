#include "stage3_queue_crawler/crawler/fragments.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace stage3 {

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
    for (const Waiting& link : std::exchange(page.waiting, {}))
        miss(page, link.source,
             {std::string_view(text).substr(link.begin, link.size), link.hash});
}

void Fragments::point(Number source, std::span<const Number> numbers,
                      const common::LinkFragments& fragments) {
    std::vector<Page*> pages;
    for (const Number number : numbers)
        pages.push_back(number == KnownUrl::none ? nullptr : &pages_[number]);
    for (const auto& place : fragments.places) {
        Page* const page = pages[place.page];
        const common::Fragment fragment = fragments.fragment(place);
        if (page == nullptr)
            continue;
        if (page->state != Page::State::unread) {
            miss(*page, source, fragment);
            continue;
        }
        page->waiting.push_back({.source = source,
                                 .hash = fragment.hash,
                                 .begin = static_cast<std::uint32_t>(page->text.size()),
                                 .size = place.size});
        page->text += fragment.text;
    }
}

/// A link on the page `source` points there. Notes it if the page hasn't such a place.
void Fragments::miss(Page& page, Number source, const common::Fragment& fragment) {
    if (page.state == Page::State::none || common::is_indicated(fragment, page.ids))
        return;
    Pointers& pointers = page.missing[fragment.hash];
    if (pointers.times == 0)
        pointers.fragment = fragment.text;
    if (pointers.times > 0 && pointers.last == source)
        return; // the page has two such links
    pointers.last = source;
    if (source != KnownUrl::none && pointers.from.size() < most_pages)
        pointers.from.push_back(source);
    ++pointers.times;
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

std::vector<Fragments::Missing> Fragments::missing() const {
    std::vector<Missing> all;
    for (const auto& [number, page] : pages_) {
        const common::IdSet* const ids =
            page.missing.empty() ? nullptr : ids_at_the_end_of(page);
        if (ids == nullptr)
            continue;
        for (const auto& [hash, pointers] : page.missing)
            if (!common::is_indicated({pointers.fragment, hash}, *ids))
                all.push_back({.page = number,
                               .fragment = pointers.fragment,
                               .pointed_from = pointers.from,
                               .times = pointers.times});
    }
    std::ranges::sort(all, {}, [](const Missing& one) {
        return std::pair(one.page, std::string_view(one.fragment));
    });
    return all;
}

std::vector<Record> records_of_missing(const Fragments& fragments,
                                       const KnownUrls& urls) {
    std::vector<Record> records;
    for (const Fragments::Missing& missing : fragments.missing()) {
        const KnownUrl& page = urls[missing.page];
        Record& record = records.emplace_back(page.url);
        if (!missing.pointed_from.empty()) { // else only the user has named it
            record.parent = urls[missing.pointed_from.front()].url;
            record.role = common::LinkRole::hyperlink;
        }
        record.depth = page.depth;
        record.outcome = Outcome::error;
        record.status = 200;
        record.error = "no element has this id";
        record.fragment = missing.fragment;
        for (const KnownUrl::Number from : missing.pointed_from)
            record.pages.push_back(urls[from].url);
    }
    return records;
}

} // namespace stage3
