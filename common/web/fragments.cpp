#include "common/web/fragments.h"

#include "common/text/ascii.h"
#include "common/web/percent_encoding.h"
#include "common/web/readable_text.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <random>

namespace common {
namespace {

/// Up to eight bytes as a number, the first one being the lowest.
std::uint64_t word_of(std::string_view text) {
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < text.size(); ++i)
        word |= std::uint64_t{static_cast<unsigned char>(text[i])} << (8 * i);
    return word;
}

} // namespace

// std::hash may differ from machine to machine, and processes that share a crawl compare
// these.
std::uint32_t hash_of_id(std::string_view id) {
    constexpr std::uint64_t factor = 0x9e3779b97f4a7c15U;
    std::uint64_t hash = id.size();
    const auto mix = [&hash](std::uint64_t word) {
        hash = (hash ^ word) * factor;
        hash ^= hash >> 32U;
    };
    for (; id.size() >= 8; id.remove_prefix(8))
        mix(word_of(id.substr(0, 8)));
    mix(word_of(id));
    return std::max(static_cast<std::uint32_t>(hash * factor >> 32U), 1U); // 0: empty
}

void IdSet::insert(std::uint32_t hash) {
    if (2 * (size_ + 1) > slots_.size()) {
        std::vector<std::uint32_t> slots(std::max<std::size_t>(16, 2 * slots_.size()));
        slots.swap(slots_);
        for (const std::uint32_t known : slots)
            if (known != empty)
                slots_[find_slot(known)] = known;
    }
    std::uint32_t& slot = slots_[find_slot(hash)];
    size_ += slot == empty ? 1 : 0;
    slot = hash;
}

bool IdSet::contains(std::uint32_t hash) const {
    return !slots_.empty() && slots_[find_slot(hash)] == hash;
}

std::vector<std::uint32_t> IdSet::hashes() const {
    std::vector<std::uint32_t> result;
    std::ranges::copy_if(slots_, std::back_inserter(result),
                         [](std::uint32_t hash) { return hash != empty; });
    return result;
}

/// Where the hash is, or would be. Nobody can choose ids that all belong in one place,
/// since that depends on a random number.
std::size_t IdSet::find_slot(std::uint32_t hash) const {
    static const std::uint64_t factor = [] {
        std::random_device random;
        return (std::uint64_t{random()} << 32U) | random() | 1U;
    }();
    std::size_t at =
        static_cast<std::size_t>((hash * factor) >> 32U) & (slots_.size() - 1);
    while (slots_[at] != empty && slots_[at] != hash)
        at = (at + 1) & (slots_.size() - 1);
    return at;
}

std::optional<std::string_view> fragment_to_find(std::string_view reference,
                                                 std::string& storage) {
    const auto hash = reference.find('#');
    if (hash == std::string_view::npos)
        return {};
    std::string_view fragment = reference.substr(hash + 1);
    const auto is_special = [](char c) { return (c >= 0 && c <= ' ') || c == ':'; };
    if (std::ranges::any_of(fragment, is_special)) {
        storage = trim(fragment);
        std::erase_if(storage,
                      [](char c) { return c == '\t' || c == '\r' || c == '\n'; });
        fragment = std::string_view(storage).substr(0, storage.find(":~:"));
    }
    if (fragment.empty() || fragment[0] == '!' || fragment[0] == '/'
        || fragment.starts_with("svgView("))
        return {};
    constexpr std::size_t longest_top = 9; // "%74%6f%70"
    if (fragment.size() <= longest_top
        && (to_lower(fragment[0]) == 't' || fragment[0] == '%')
        && equal_ignoring_case(percent_decoded(fragment), "top"))
        return {};
    return fragment;
}

bool is_for_scripts(std::string_view fragment) {
    if (fragment.find('=') != std::string_view::npos)
        return true;
    // One letter, and a number: "L10"; further ones may follow, as in "L10C3-L20C5".
    const auto take_digits = [&fragment] {
        const auto size =
            std::min(fragment.find_first_not_of("0123456789"), fragment.size());
        fragment.remove_prefix(size);
        return size > 0;
    };
    const auto take = [&fragment](char c) {
        const bool is_next = fragment.starts_with(c);
        fragment.remove_prefix(is_next ? 1 : 0);
        return is_next;
    };
    const auto take_column = [&] { return !take('C') || take_digits(); };
    if (!take('L') || !take_digits() || !take_column())
        return false;
    if (take('-')) {
        take('L');
        if (!take_digits() || !take_column())
            return false;
    }
    return fragment.empty();
}

std::string readable_fragment(std::string_view fragment) {
    constexpr ByteSet ends_url = percent_encode_set(" \"<>`%");
    constexpr ByteSet all = [] {
        ByteSet set{};
        set.fill(true);
        return set;
    }();
    const std::string decoded = percent_decoded(fragment);
    std::string result;
    for (std::string_view rest = decoded; !rest.empty();) {
        const Utf8Character character = first_character(rest);
        const std::string_view bytes =
            rest.substr(0, std::max<std::size_t>(1, character.bytes));
        if (character.bytes > 1 && is_readable(character.code))
            result += bytes;
        else
            append_encoded(result, bytes, character.bytes == 1 ? ends_url : all);
        rest.remove_prefix(bytes.size());
    }
    return result;
}

bool is_indicated(const Fragment& fragment, const IdSet& ids) {
    if (ids.contains(fragment.hash))
        return true;
    const std::string decoded = percent_decoded(fragment.text);
    return (decoded != fragment.text && ids.contains(hash_of_id(decoded)))
           || ids.contains(hash_of_id("user-content-" + decoded));
}

void LinkFragments::add(std::uint32_t page, const Fragment& fragment) {
    places.push_back({.page = page,
                      .hash = fragment.hash,
                      .begin = static_cast<std::uint32_t>(text.size()),
                      .size = static_cast<std::uint32_t>(fragment.text.size())});
    text += fragment.text;
}

} // namespace common
