#include "stage3_queue_crawler/state/link_bytes.h"

#include "common/web/malformed_url.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

namespace stage3 {
namespace {

using common::Url;

class Writer {
  public:
    explicit Writer(const Url& page) : last_(page.href()) {}

    void number(std::uint64_t number) {
        for (; number > 0x7f; number >>= 7U)
            bytes_ += static_cast<char>((number & 0x7fU) | 0x80U);
        bytes_ += static_cast<char>(number);
    }
    void hash(std::uint32_t hash) {
        for (unsigned shift = 0; shift < 32; shift += 8)
            bytes_ += static_cast<char>((hash >> shift) & 0xffU);
    }
    void text(std::string_view text) {
        number(text.size());
        bytes_ += text;
    }
    void url(const Url& url) {
        const std::string_view href = url.href();
        const auto [end, other] = std::ranges::mismatch(href, last_);
        const auto shared = static_cast<std::size_t>(end - href.begin());
        number(shared);
        text(href.substr(shared));
        last_ = href;
    }
    std::string take() { return std::move(bytes_); }

  private:
    std::string bytes_;
    std::string_view last_; // a URL that the links own
};

/// Once something is wrong, all that follows is 0 or empty.
class Reader {
  public:
    Reader(std::string_view bytes, const Url& page)
        : rest_(bytes), page_(page), last_(page.href()) {}

    std::uint64_t number() {
        std::uint64_t number = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            const auto byte = static_cast<unsigned char>(take(1).front());
            number |= std::uint64_t{byte & 0x7fU} << shift;
            if (byte < 0x80)
                return number;
        }
        fail();
        return 0;
    }
    /// How many follow, each of which takes at least a byte.
    std::size_t count() {
        const std::uint64_t count = number();
        if (count > rest_.size())
            fail();
        return is_good_ ? static_cast<std::size_t>(count) : 0;
    }
    std::uint32_t hash() {
        std::uint32_t hash = 0;
        const std::string_view bytes = take(4);
        for (unsigned i = 0; i < 4; ++i)
            hash |= std::uint32_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
        return hash;
    }
    std::string_view text() { return take(count()); }
    std::optional<Url> url() {
        auto url = any_url();
        if (url && url->is_malformed())
            fail();
        return is_good_ ? url : std::nullopt;
    }
    /// It may be malformed.
    std::optional<Url> any_url() {
        const std::uint64_t shared = number();
        if (shared > last_.size())
            fail();
        if (!is_good_)
            return {};
        last_.resize(static_cast<std::size_t>(shared));
        last_ += text();
        auto url = common::resolve_url(last_, page_); // the short way, on one site
        if (!url)
            url = common::malformed_url(last_);
        if (!url || url->href() != last_)
            fail();
        return is_good_ ? url : std::nullopt;
    }
    bool is_good() const { return is_good_; }
    bool is_at_end() const { return rest_.empty(); }

  private:
    void fail() { is_good_ = false; }
    std::string_view take(std::size_t size) {
        constexpr std::string_view zeros("\0\0\0\0", 4);
        if (size > rest_.size())
            fail();
        if (!is_good_)
            return zeros.substr(0, size);
        const std::string_view taken = rest_.substr(0, size);
        rest_.remove_prefix(size);
        return taken;
    }

    std::string_view rest_;
    const Url page_;
    std::string last_;
    bool is_good_ = true;
};

void write_fragments(Writer& to, const common::LinkFragments& fragments) {
    to.number(fragments.pages.size());
    for (const Url& page : fragments.pages)
        to.url(page);
    to.number(fragments.places.size());
    for (const common::LinkFragments::Place& place : fragments.places) {
        to.number(place.page);
        to.hash(place.hash);
        to.text(fragments.fragment(place).text);
    }
}

// Each comes before what few pages have: limits for places that they exceed, a refresh
// that leads away, and where links are written, if anyone has asked for that.
constexpr std::uint64_t mark_of_limits = 1;
constexpr std::uint64_t mark_of_refresh = 2;
constexpr std::uint64_t mark_of_places = 3;

/// Where the links are written, and then which of these places each fragment has.
void write_places(Writer& to, const common::PlacesOnPage& places,
                  const common::LinkFragments& fragments) {
    to.number(places.targets.size());
    for (const Url& target : places.targets)
        to.url(target);
    to.number(places.list.size());
    std::uint32_t last_line = 0;
    for (const common::PlacesOnPage::One& one : places.list) {
        to.number(one.target);
        to.number(one.line - last_line); // in the order of the page, it's small
        last_line = one.line;
        to.number(one.column);
        to.number(static_cast<std::uint64_t>(one.role));
        to.text(places.href(one));
        to.text(places.words(one));
    }
    for (const common::LinkFragments::Place& place : fragments.places)
        to.number(place.written == common::LinkFragments::nowhere
                      ? 0
                      : std::uint64_t{place.written} + 1);
}

bool read_places(Reader& from, common::Links& links) {
    common::PlacesOnPage& places = links.places.emplace();
    for (std::size_t left = from.count(); left > 0; --left) {
        auto target = from.any_url();
        if (!target)
            return false;
        places.targets.push_back(std::move(*target));
    }
    std::uint32_t last_line = 0;
    for (std::size_t left = from.count(); left > 0; --left) {
        const std::uint64_t target = from.number();
        last_line += static_cast<std::uint32_t>(from.number());
        const auto column = static_cast<std::uint32_t>(from.number());
        const std::uint64_t role = from.number();
        const std::string_view href = from.text();
        const std::string_view words = from.text();
        constexpr std::size_t longest = std::numeric_limits<std::uint16_t>::max();
        if (!from.is_good() || target >= places.targets.size()
            || role >= common::link_roles || href.size() > longest
            || words.size() > longest)
            return false;
        places.list.push_back({.target = static_cast<std::uint32_t>(target),
                               .line = last_line,
                               .column = column,
                               .begin = static_cast<std::uint32_t>(places.text.size()),
                               .href_size = static_cast<std::uint16_t>(href.size()),
                               .text_size = static_cast<std::uint16_t>(words.size()),
                               .role = static_cast<common::LinkRole>(role)});
        places.text.append(href).append(words);
    }
    for (common::LinkFragments::Place& place : links.fragments.places)
        if (const std::uint64_t written = from.number(); written > 0)
            place.written = static_cast<std::uint32_t>(written - 1);
    return from.is_good();
}

bool read_fragments(Reader& from, common::LinkFragments& fragments) {
    for (std::size_t left = from.count(); left > 0; --left) {
        auto page = from.any_url();
        if (!page)
            return false;
        fragments.pages.push_back(std::move(*page));
    }
    for (std::size_t left = from.count(); left > 0; --left) {
        const std::uint64_t page = from.number();
        const std::uint32_t hash = from.hash();
        const std::string_view text = from.text();
        if (page >= fragments.pages.size() || !from.is_good())
            return false;
        fragments.add(static_cast<std::uint32_t>(page), common::Fragment(text, hash));
    }
    return from.is_good();
}

} // namespace

std::string to_bytes(const common::Links& links, const Url& page) {
    Writer to(page);
    to.number(links.urls.size());
    for (const Url& url : links.urls)
        to.url(url);
    to.number(links.left_out);
    to.number(links.too_long);
    to.number(links.unreadable);
    to.number(links.others.size());
    for (const common::OtherLink& other : links.others) {
        to.url(other.url);
        to.number(2 * static_cast<std::uint64_t>(other.role)
                  + (other.is_wanted ? 1U : 0U));
    }
    to.number(links.ids.size());
    for (const std::uint32_t hash : links.ids.hashes())
        to.hash(hash);
    write_fragments(to, links.fragments);
    if (links.places_left_out > 0 || links.has_more_ids) { // hardly ever
        to.number(mark_of_limits);
        to.number(links.places_left_out);
        to.number(links.has_more_ids ? 1 : 0);
    }
    if (links.refreshes_to) {
        to.number(mark_of_refresh);
        to.url(*links.refreshes_to);
    }
    if (links.places) {
        to.number(mark_of_places);
        write_places(to, *links.places, links.fragments);
    }
    return to.take();
}

std::optional<common::Links> read_links(std::string_view bytes, const Url& page) {
    constexpr auto sitemap = static_cast<std::uint64_t>(common::LinkRole::sitemap);
    Reader from(bytes, page);
    common::Links links;
    for (std::size_t left = from.count(); left > 0; --left) {
        auto url = from.url();
        if (!url)
            return {};
        links.urls.push_back(std::move(*url));
    }
    links.left_out = static_cast<std::size_t>(from.number());
    links.too_long = static_cast<std::size_t>(from.number());
    links.unreadable = static_cast<std::size_t>(from.number());
    for (std::size_t left = from.count(); left > 0; --left) {
        auto url = from.any_url();
        const std::uint64_t kind = from.number();
        if (!url || kind / 2 >= common::link_roles || kind / 2 == sitemap)
            return {};
        links.others.push_back({.url = std::move(*url),
                                .role = static_cast<common::LinkRole>(kind / 2),
                                .is_wanted = kind % 2 == 1});
    }
    for (std::size_t left = from.count(); left > 0; --left)
        links.ids.insert(from.hash());
    if (!read_fragments(from, links.fragments))
        return {};
    while (!from.is_at_end()) {
        const std::uint64_t mark = from.number();
        if (mark == mark_of_limits) {
            links.places_left_out = static_cast<std::size_t>(from.number());
            links.has_more_ids = from.number() == 1;
        } else if (mark == mark_of_refresh) {
            links.refreshes_to = from.url();
        } else if (mark == mark_of_places) {
            if (!read_places(from, links))
                return {};
        } else {
            return {};
        }
    }
    if (!from.is_good() || !from.is_at_end())
        return {};
    return links;
}

} // namespace stage3
