#include "common/web/nearest_id.h"

#include "common/text/ascii.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace common {
namespace {

/// Looks for variants of a text among hashes.
class Search {
  public:
    Search(std::string_view text, const IdSet& ids) : text_(text), ids_(ids) {}

    /// Empty if none is there.
    std::string find() {
        if (in_other_case() || with_other_separators() || with_one_edit())
            return found_;
        return {};
    }

  private:
    bool is_there(const std::string& variant) {
        if (variant.empty() || !ids_.contains(hash_of_id(variant)))
            return false;
        found_ = variant;
        return true;
    }

    /// All ways to write its letters; of a long text, only the usual ones.
    bool in_other_case() {
        constexpr std::size_t most_letters = 10;
        std::vector<std::size_t> letters;
        for (std::size_t i = 0; i < text_.size(); ++i)
            if (is_alpha(text_[i]))
                letters.push_back(i);
        std::string variant = lower(text_);
        if (letters.size() > most_letters)
            return is_there(variant) || is_there(upper(variant))
                   || is_there(title(variant));
        for (std::size_t bits = 0; bits < std::size_t{1} << letters.size(); ++bits) {
            for (std::size_t i = 0; i < letters.size(); ++i)
                variant[letters[i]] =
                    with_case(variant[letters[i]], (bits >> i & 1U) != 0);
            if (is_there(variant))
                return true;
        }
        return false;
    }

    bool with_other_separators() {
        constexpr std::string_view separators = "-_. ";
        for (const char separator : separators) {
            std::string variant = text_;
            std::ranges::replace_if(
                variant,
                [&](char c) { return separators.find(c) != std::string_view::npos; },
                separator);
            if (is_there(variant) || is_there(lower(variant)))
                return true;
        }
        return false;
    }

    /// One character more, less, or another one; or two that are swapped.
    bool with_one_edit() {
        constexpr std::string_view characters = "abcdefghijklmnopqrstuvwxyz0123456789-_";
        constexpr std::size_t longest = 64;
        if (text_.size() > longest)
            return false;
        for (std::size_t i = 0; i <= text_.size(); ++i) {
            const bool is_inside = i < text_.size();
            if (is_inside && is_there(std::string(text_).erase(i, 1)))
                return true;
            std::string variant = text_;
            if (i + 1 < text_.size()) {
                std::swap(variant[i], variant[i + 1]);
                if (is_there(variant))
                    return true;
                variant = text_;
            }
            for (const char c : characters) {
                if (is_there(std::string(text_).insert(i, 1, c)))
                    return true;
                if (!is_inside)
                    continue;
                variant[i] = c;
                if (is_there(variant))
                    return true;
            }
        }
        return false;
    }

    static char with_case(char c, bool is_upper) {
        const char small = to_lower(c);
        return is_upper ? static_cast<char>(small - 'a' + 'A') : small;
    }
    static std::string upper(std::string text) {
        std::ranges::transform(text, text.begin(), [](char c) {
            return is_alpha(c) ? with_case(c, true) : c;
        });
        return text;
    }
    /// The first letter of each word is a capital.
    static std::string title(std::string text) {
        for (std::size_t i = 0; i < text.size(); ++i)
            if (is_alpha(text[i]) && (i == 0 || !is_alpha(text[i - 1])))
                text[i] = with_case(text[i], true);
        return text;
    }

    const std::string text_;
    const IdSet& ids_;
    std::string found_;
};

} // namespace

std::string nearest_id(std::string_view fragment, const IdSet& ids) {
    constexpr std::size_t most_ids = 10'000;
    if (ids.size() == 0 || ids.size() > most_ids)
        return {};
    return Search(fragment, ids).find();
}

} // namespace common
