#include "common/web/link_sorter.h"

#include "common/text/hash.h"
#include "common/web/malformed_url.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace common {
namespace {

/// Finds the number of a text, by the text's hash: a table of the pages' own references,
/// each of which is looked up once or twice. It doesn't hold the texts.
class Numbers {
  public:
    using Number = std::uint32_t;
    static constexpr Number none = std::numeric_limits<Number>::max();

    explicit Numbers(std::pmr::memory_resource* memory) : slots_(memory) {}

    /// So that it needn't grow until there are so many.
    void make_room_for(std::size_t numbers) {
        if (const std::size_t size = std::bit_ceil(2 * numbers); size > slots_.size())
            resize(size);
    }
    void clear() {
        std::ranges::fill(slots_, Slot());
        size_ = 0;
    }
    std::size_t size() const { return size_; }

    /// Where the text is, or would be. `is_it`: is that number the text's?
    template <class IsIt>
    Number find(std::uint32_t hash, IsIt is_it) const {
        if (slots_.empty())
            return none;
        std::size_t at = hash & (slots_.size() - 1);
        while (slots_[at].number != none
               && (slots_[at].hash != hash || !is_it(slots_[at].number)))
            at = (at + 1) & (slots_.size() - 1);
        return slots_[at].number;
    }
    /// Enters one that isn't there.
    void insert(std::uint32_t hash, Number number) {
        make_room_for(size_ + 1);
        put({.hash = hash, .number = number});
        ++size_;
    }

  private:
    struct Slot {
        std::uint32_t hash = 0;
        Number number = none;
    };

    void put(Slot slot) {
        std::size_t at = slot.hash & (slots_.size() - 1);
        while (slots_[at].number != none)
            at = (at + 1) & (slots_.size() - 1);
        slots_[at] = slot;
    }
    void resize(std::size_t size) {
        std::pmr::vector<Slot> slots(size, slots_.get_allocator());
        slots.swap(slots_);
        for (const Slot& slot : slots)
            if (slot.number != none)
                put(slot);
    }

    std::pmr::vector<Slot> slots_; // a power of two; at least half of them are free
    std::size_t size_ = 0;
};

/// Sorts references, as they are written, by what they lead to. Most pages refer to the
/// same URLs again and again, and resolving a URL takes longer than finding its text in a
/// table.
class LinkSorter {
    using Number = Numbers::Number;

  public:
    /// All but `ids` must outlive it. `ids` are those of the page.
    LinkSorter(const Url& page, const LinkLimits& limits, IdSet ids,
               const ReferencePlaces& places)
        : page_(page), limits_(limits), places_(places), most_written_(limits.links) {
        result_.ids = std::move(ids);
        if (places.are_wanted())
            result_.places.emplace();
    }

    /// The references must outlive it, too.
    void add(const ReferencesFrom& part) {
        base_ = &part.base;
        if (most_written_ > 0)
            make_room_for(std::min(part.references.list.size(), most_written_));
        std::size_t begin = 0;
        const std::vector<WrittenAt>& places = part.references.places;
        std::size_t number = 0;
        for (const auto [end, role] : part.references.list) {
            const auto reference =
                std::string_view(part.references.text).substr(begin, end - begin);
            add(reference, role, places.empty() ? nullptr : &places[number]);
            begin = end;
            ++number;
        }
        // In another part, a text may mean another URL.
        written_.clear();
        numbers_of_written_.clear();
        most_written_ = 0;
    }

    /// To be called once, at the end.
    Links links() {
        if (result_.places)
            places_.number(result_.places->list, written_at_);
        return std::move(result_);
    }

  private:
    static constexpr std::uint32_t none = Numbers::none;

    void make_room_for(std::size_t references) {
        written_.reserve(references);
        targets_.reserve(references);
        numbers_of_written_.make_room_for(references);
        numbers_of_targets_.make_room_for(references);
        result_.urls.reserve(std::min(references, limits_.links));
    }

    void add(std::string_view reference, LinkRole role, const WrittenAt* place) {
        const auto hash = std::min(reference.find('#'), reference.size());
        // With the '#': blanks count in front of it, and at an end they don't.
        const std::string_view text = reference.substr(0, hash + 1);
        const auto mark = static_cast<std::uint32_t>(hash_of(text));
        const Number known = numbers_of_written_.find(
            mark, [&](Number number) { return written_[number].text == text; });
        Target* target = known == none ? nullptr : &targets_[written_[known].target];
        if (target == nullptr || !target->is_listed(role)) {
            target = list(reference, role);
            if (target != nullptr && known == none && written_.size() < most_written_) {
                numbers_of_written_.insert(mark, static_cast<Number>(written_.size()));
                written_.push_back(
                    {.text = text,
                     .target = static_cast<Number>(target - targets_.data())});
            }
        }
        if (target == nullptr)
            return;
        const bool has_place =
            place != nullptr && note_place(reference, role, *place, *target);
        if (limits_.ids && role == LinkRole::hyperlink)
            note_fragment(reference.substr(hash), *target, has_place);
    }

    /// A URL that is among the results, and where it is among them.
    struct Target {
        bool is_wanted;
        Number link = none;  // in Links::urls
        Number other = none; // in Links::others
        Number page = none;  // in LinkFragments::pages
        Number place = none; // in PlacesOnPage::targets

        bool is_listed(LinkRole role) const {
            return link != none || (other != none && !(is_wanted && leads_on(role)));
        }
    };
    struct Written {
        std::string_view text;
        Number target;
    };

    const Url& url_of(const Target& target) const {
        return target.link != none ? result_.urls[target.link]
                                   : result_.others[target.other].url;
    }

    /// Puts it among the results, unless it's there already. Null: it doesn't belong
    /// there, or there is no more room.
    Target* list(std::string_view reference, LinkRole role) {
        auto url = resolve_url(reference, *base_);
        if (url && limits_.rename)
            limits_.rename(*url);
        if (!url)
            url = unresolved(reference);
        if (!url)
            return nullptr;
        const std::uint32_t mark = url->hash();
        const Number known = numbers_of_targets_.find(
            mark, [&](Number number) { return url_of(targets_[number]) == *url; });
        Target* target = known == none ? nullptr : &targets_[known];
        if (target != nullptr && target->is_listed(role))
            return target;
        const bool is_malformed = url->is_malformed();
        const bool is_wanted =
            target != nullptr ? target->is_wanted : !is_malformed && limits_.wanted(*url);
        if (!is_wanted && role == LinkRole::refresh && !is_malformed)
            result_.refreshes_to = url;
        if (!is_wanted && !is_malformed && (!limits_.foreign || !limits_.foreign(*url)))
            return nullptr;
        if (result_.urls.size() + result_.others.size() >= limits_.links
            || bytes_ + url->href().size() > limits_.bytes) {
            leave_out(left_out_, result_.left_out, *url);
            return target;
        }
        bytes_ += url->href().size();
        if (target == nullptr) {
            numbers_of_targets_.insert(mark, static_cast<Number>(targets_.size()));
            target = &targets_.emplace_back(Target{.is_wanted = is_wanted});
        }
        if (is_wanted && leads_on(role)) {
            target->link = static_cast<Number>(result_.urls.size());
            result_.urls.push_back(*std::move(url));
        } else {
            target->other = static_cast<Number>(result_.others.size());
            result_.others.push_back({*std::move(url), role, is_wanted});
        }
        return target;
    }

    /// If malformed ones are wanted, that; otherwise it's counted.
    std::optional<Url> unresolved(std::string_view reference) {
        auto url = limits_.malformed ? malformed_url(reference) : std::nullopt;
        if (!url)
            ++(is_wanted_but_too_long(reference) ? result_.too_long : result_.unreadable);
        return url;
    }

    /// Counts it once. But if there are very many, it doesn't remember all of them.
    static void leave_out(std::unordered_set<std::size_t>& known, std::size_t& count,
                          const Url& url, std::size_t place = 0) {
        constexpr std::size_t most_known = 50'000;
        const std::size_t hash = std::hash<Url>()(url) ^ place;
        if (known.size() < most_known ? known.insert(hash).second : !known.contains(hash))
            ++count;
    }

    /// False if the place is unknown.
    bool note_place(std::string_view reference, LinkRole role, const WrittenAt& place,
                    Target& target) {
        constexpr std::size_t longest = 2000;
        if (!result_.places || (place.offset == WrittenAt::nowhere && place.line == 0))
            return false;
        PlacesOnPage& places = *result_.places;
        if (target.place == none) {
            target.place = static_cast<std::uint32_t>(places.targets.size());
            places.targets.push_back(url_of(target));
        }
        reference = reference.substr(0, longest);
        const std::string_view words = places_.words(place);
        places.list.push_back({.target = target.place,
                               .line = 0,
                               .column = 0,
                               .begin = static_cast<std::uint32_t>(places.text.size()),
                               .href_size = static_cast<std::uint16_t>(reference.size()),
                               .text_size = static_cast<std::uint16_t>(words.size()),
                               .role = role});
        places.text.append(reference).append(words);
        written_at_.push_back(place);
        return true;
    }

    /// `hash` begins with the '#', if there is one. `has_place`: the last place is its.
    void note_fragment(std::string_view hash, Target& target, bool has_place) {
        const auto text = fragment_to_find(hash, storage_);
        LinkFragments& fragments = result_.fragments;
        if (!text || text->size() > longest_fragment)
            return;
        const Fragment fragment(*text);
        const Url& url = url_of(target);
        if (url == page_ && is_indicated(fragment, result_.ids))
            return;
        if (limits_.excludes_place && limits_.excludes_place(url, *text))
            return;
        if (!has_room_for(fragment, target))
            return;
        if (target.page == none) {
            target.page = static_cast<std::uint32_t>(fragments.pages.size());
            fragments.pages.push_back(url);
        }
        fragments.add(target.page, fragment);
        if (has_place)
            fragments.places.back().written =
                static_cast<std::uint32_t>(written_at_.size() - 1);
        if (!known_places_.empty())
            known_places_.insert(number_of(target.page, fragment.hash));
    }

    /// False if the links have pointed there before, or there are too many places. Only a
    /// page that seems to have too many is worth a table: until then, places may repeat.
    bool has_room_for(const Fragment& fragment, const Target& target) {
        auto& places = result_.fragments.places;
        if (places.size() >= limits_.fragments && known_places_.empty())
            std::erase_if(places, [this](const LinkFragments::Place& place) {
                return !known_places_.insert(number_of(place.page, place.hash)).second;
            });
        const bool is_known =
            target.page != none
            && known_places_.contains(number_of(target.page, fragment.hash));
        const bool has_room = places.size() < limits_.fragments;
        if (!has_room && !is_known)
            leave_out(places_left_out_, result_.places_left_out, url_of(target),
                      fragment.hash);
        return has_room && !is_known;
    }

    static std::uint64_t number_of(Number page, std::uint32_t hash) {
        return (std::uint64_t{page} << 32U) | hash;
    }

    /// Its beginning shows where it leads, which may be out of scope, and whether it is a
    /// link at all.
    bool is_wanted_but_too_long(std::string_view reference) const {
        constexpr std::size_t most_per_byte = 3; // if it's percent-encoded
        if (most_per_byte * reference.size() + base_->href().size() <= max_url_length)
            return false;
        auto beginning = resolve_url(reference.substr(0, max_url_length / 4), *base_);
        if (beginning && limits_.rename)
            limits_.rename(*beginning);
        return beginning && limits_.wanted(*beginning);
    }

    static constexpr std::size_t longest_fragment = 1024; // nobody's id is longer

    const Url& page_;
    const Url* base_ = nullptr;
    const LinkLimits& limits_;
    const ReferencePlaces& places_;
    std::size_t most_written_;
    Links result_;
    std::vector<WrittenAt> written_at_; // each of its places
    std::size_t bytes_ = 0;             // of the URLs in it
    // Hashes, of which few pages have any.
    std::unordered_set<std::size_t> left_out_;        // of URLs
    std::unordered_set<std::size_t> places_left_out_; // of URLs with their fragments
    std::unordered_set<std::uint64_t> known_places_;  // once there are too many
    std::string storage_;
    // Many small pieces that live equally long.
    std::array<std::byte, 8 * 1024> room_; // enough for most pages
    std::pmr::monotonic_buffer_resource memory_{room_.data(), room_.size()};
    std::pmr::vector<Target> targets_{&memory_};
    Numbers numbers_of_targets_{&memory_}; // by URL
    std::pmr::vector<Written> written_{&memory_};
    Numbers numbers_of_written_{&memory_};
};

} // namespace

Links sort_references(const std::vector<ReferencesFrom>& parts, const Url& page,
                      const LinkLimits& limits, IdSet ids,
                      const ReferencePlaces& places) {
    LinkSorter sorter(page, limits, std::move(ids), places);
    for (const ReferencesFrom& part : parts)
        sorter.add(part);
    return sorter.links();
}

} // namespace common
