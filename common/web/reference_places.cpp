#include "common/web/reference_places.h"

#include "common/text/ascii.h"
#include "common/web/link_place.h"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

namespace common {
namespace {

/// The values in which references are.
constexpr std::array values_with_references{
    &LinkTag::href,   &LinkTag::src,         &LinkTag::content,    &LinkTag::action,
    &LinkTag::data,   &LinkTag::srcset,      &LinkTag::poster,     &LinkTag::background,
    &LinkTag::style,  &LinkTag::imagesrcset, &LinkTag::xlink_href, &LinkTag::text,
    &LinkTag::srcdoc, &LinkTag::presentation};

bool is_part_of(std::string_view part, std::string_view whole) {
    const std::less_equal<> not_after; // "<=" compares only pointers into one array
    return is_there(whole) && not_after(whole.data(), part.data())
           && not_after(part.data() + part.size(), whole.data() + whole.size());
}

/// The text that a link's words are in, from its tag up to its end tag, or to the next
/// link's.
std::string_view content_of_link(std::string_view behind) {
    constexpr std::string_view ends = " \t\r\n\f/>";
    behind = behind.substr(0, LinkPlace::most_words);
    for (auto at = behind.find('<'); at < behind.size(); at = behind.find('<', at + 1)) {
        const std::size_t name = at + (behind.substr(at + 1).starts_with('/') ? 2 : 1);
        if (name + 1 < behind.size() && to_lower(behind[name]) == 'a'
            && ends.find(behind[name + 1]) != std::string_view::npos)
            return behind.substr(0, at);
    }
    return behind;
}

/// The text that the words are in which a reader would use for what a tag refers to.
std::string_view text_with_words(const LinkTag& tag, std::string_view behind) {
    switch (tag.element) {
    case LinkElement::a:
    case LinkElement::svg_a: return content_of_link(behind);
    case LinkElement::area:
    case LinkElement::img:
    case LinkElement::input:
    case LinkElement::frame:
    case LinkElement::iframe: return tag.written.substr(0, LinkPlace::most_words);
    default: return {};
    }
}

/// Lines as browsers and editors count them: a line ends with LF, CR, or both.
class LineCounter {
  public:
    explicit LineCounter(std::string_view text) : text_(text) {
        for (auto at = text.find('\r'); at != std::string_view::npos && !has_lone_cr_;
             at = text.find('\r', at + 1))
            has_lone_cr_ = !text.substr(at + 1).starts_with('\n');
        end_ = end_of_line();
    }

    /// Offsets must not decrease.
    void go_to(std::size_t offset) {
        while (end_ < offset) {
            at_ = end_ + 1;
            end_ = end_of_line();
            column_ = 1;
            ++line_;
        }
        for (; at_ < offset; ++at_)
            column_ += (static_cast<unsigned char>(text_[at_]) & 0xc0U) != 0x80 ? 1 : 0;
    }
    std::uint32_t line() const { return line_; }
    std::uint32_t column() const { return column_; }

  private:
    /// Of the line that `at_` is in: the last byte of its end.
    std::size_t end_of_line() const {
        if (!has_lone_cr_)
            return text_.find('\n', at_);
        const auto end = text_.find_first_of("\r\n", at_);
        const bool is_pair =
            end != std::string_view::npos && text_.substr(end).starts_with("\r\n");
        return is_pair ? end + 1 : end;
    }

    std::string_view text_;
    bool has_lone_cr_ = false;
    std::size_t at_ = 0;
    std::size_t end_;
    std::uint32_t line_ = 1;
    std::uint32_t column_ = 1;
};

} // namespace

void ReferencePlaces::are_of(const LinkTag& tag, const LinkTag& written,
                             std::string_view behind) {
    tag_ = &tag;
    written_ = &written;
    behind_ = behind;
    has_words_ = false;
    if (is_in_page(written.written)) // else it's in the last one that was
        of_tag_ = {.offset =
                       static_cast<std::uint32_t>(written.written.data() - page_.data())};
}

void ReferencePlaces::are_on(std::uint32_t line) {
    tag_ = written_ = nullptr;
    of_tag_ = {.line = line};
}

bool ReferencePlaces::is_in_page(std::string_view text) const {
    return is_part_of(text, page_);
}

WrittenAt ReferencePlaces::place_of(std::string_view reference) {
    if (left_ == 0)
        return {};
    --left_;
    if (tag_ != nullptr && !has_words_)
        find_words();
    WrittenAt place = of_tag_;
    place.offset = offset_of(reference);
    return place;
}

void ReferencePlaces::find_words() {
    has_words_ = true;
    const std::string_view words = text_with_words(*written_, behind_);
    of_tag_.words_size = static_cast<std::uint16_t>(words.size());
    of_tag_.has_own_words = !is_in_page(words);
    if (of_tag_.has_own_words) { // it may be gone soon
        of_tag_.words = static_cast<std::uint32_t>(words_.size());
        words_ += words;
    } else {
        of_tag_.words = static_cast<std::uint32_t>(words.data() - page_.data());
    }
}

/// Of the reference itself; or else of the value that it's in; or else of its tag.
std::uint32_t ReferencePlaces::offset_of(std::string_view reference) const {
    const auto offset_in_page = [this](const char* at) {
        return static_cast<std::uint32_t>(at - page_.data());
    };
    if (is_in_page(reference))
        return offset_in_page(reference.data());
    if (tag_ == nullptr)
        return of_tag_.offset;
    for (const auto value : values_with_references) {
        const std::string_view resolved = tag_->*value;
        const std::string_view written = written_->*value;
        if (!is_part_of(reference, resolved) || !is_in_page(written))
            continue;
        const bool is_same = resolved.size() == written.size();
        return offset_in_page(written.data()
                              + (is_same ? reference.data() - resolved.data() : 0));
    }
    return of_tag_.offset;
}

void ReferencePlaces::number(std::vector<PlacesOnPage::One>& places,
                             const std::vector<WrittenAt>& written) const {
    std::vector<std::uint32_t> order(places.size());
    std::iota(order.begin(), order.end(), 0U);
    const auto offset = [&written](std::uint32_t i) { return written[i].offset; };
    if (!std::ranges::is_sorted(order, {}, offset))
        std::ranges::sort(order, {}, offset);
    LineCounter counter(page_);
    for (const std::uint32_t i : order) {
        if (written[i].offset == WrittenAt::nowhere) {
            places[i].line = written[i].line;
            continue;
        }
        counter.go_to(written[i].offset);
        places[i].line = counter.line();
        places[i].column = counter.column();
    }
}

} // namespace common
