#include "common/web/query_encoder.h"

#include "common/web/html_scanner.h"
#include "common/web/percent_encoding.h"
#include "common/web/url.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace common {
namespace {

constexpr char32_t replacement_character = 0xfffd;

/// Longer queries are cut off: no URL made of them would be followed.
constexpr std::size_t longest = 4 * max_url_length;

/// Takes the first character off a text in UTF-8, which may be cut off at its end.
char32_t take_character(std::string_view& text) {
    const auto first = static_cast<unsigned char>(text.front());
    std::size_t length = 1;
    if (first >= 0xc0)
        length = 2;
    if (first >= 0xe0)
        length = first < 0xf0 ? 3 : 4;
    if (length > text.size()) {
        text = {};
        return replacement_character;
    }
    char32_t character = length == 1 ? first : first & (0x7fU >> length);
    for (std::size_t i = 1; i < length; ++i)
        character = character << 6U | (static_cast<unsigned char>(text[i]) & 0x3fU);
    text.remove_prefix(length);
    return character;
}

/// Where the query of a reference begins, behind its question mark, and where it ends.
struct Range {
    std::size_t begin;
    std::size_t end;
};
Range query_in(std::string_view reference) {
    const auto end = std::min(reference.find('#'), reference.size());
    const auto mark = reference.substr(0, end).find('?');
    return {mark == std::string_view::npos ? end : mark + 1, end};
}

/// True for nearly all queries: nothing but printable ASCII.
bool is_plain(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
}

/// Half-width katakana have no place in ISO-2022-JP; these stand for them, from U+FF61.
constexpr std::u16string_view full_width =
    u"。「」、・ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテト"
    u"ナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン゛゜";
static_assert(full_width.size() == 63);

/// Unicode has these characters twice, and to the web's Japanese character sets belongs
/// the second one.
struct Twins {
    char32_t systems;
    char32_t webs;
};
constexpr std::array<Twins, 6> twins{{{0xa2, 0xffe0},
                                      {0xa3, 0xffe1},
                                      {0xac, 0xffe2},
                                      {0x2014, 0x2015},
                                      {0x2016, 0x2225},
                                      {0x301c, 0xff5e}}};

} // namespace

// ISO-2022-JP's letters are EUC-JP's, without the highest bits.
QueryEncoder::QueryEncoder(std::string_view charset)
    : charset_(charset),
      converter_(charset_ == "iso-2022-jp" ? "euc-jp" : charset_, "utf-8") {}

std::string_view QueryEncoder::in_charset(std::string_view reference) {
    const auto [begin, end] = query_in(reference);
    const std::string_view query = reference.substr(begin, end - begin);
    if (is_plain(query))
        return reference;
    if (!converter_)
        return in_utf8(reference);
    result_ = reference.substr(0, begin);
    if (charset_ == "iso-2022-jp")
        append_iso_2022_jp(query);
    else
        append_query(query);
    result_ += reference.substr(end);
    return result_;
}

std::string_view QueryEncoder::in_utf8(std::string_view reference) {
    constexpr ByteSet not_ascii = [] {
        ByteSet set{};
        for (std::size_t byte = 0x80; byte < set.size(); ++byte)
            set[byte] = true;
        return set;
    }();
    const auto [begin, end] = query_in(reference);
    result_ = reference.substr(0, begin);
    append_encoded(result_, reference.substr(begin, end - begin), not_ascii);
    result_ += reference.substr(end);
    return result_;
}

/// ASCII stays as it is: the URL parser encodes what must be.
void QueryEncoder::append_query(std::string_view query) {
    while (!query.empty() && result_.size() <= longest) {
        const char32_t character = take_character(query);
        if (character < 0x80)
            result_ += static_cast<char>(character);
        else
            append_character(character);
    }
}

void QueryEncoder::append_character(char32_t character) {
    const std::string bytes = bytes_of(character);
    if (bytes.empty())
        result_ += fmt::format("%26%23{}%3B", static_cast<std::uint32_t>(character));
    else
        append_encoded(result_, bytes, special_query_set);
}

/// The "ISO-2022-JP encoder": all bytes are ASCII, and escape sequences say what they
/// mean. glibc's chooses others.
void QueryEncoder::append_iso_2022_jp(std::string_view query) {
    enum class State : std::uint8_t { ascii, roman, jis0208 };
    State state = State::ascii;
    const auto enter = [&](State wanted) {
        constexpr std::array sequences{"%1B(B", "%1B(J", "%1B$B"};
        if (state != wanted)
            result_ += sequences.at(static_cast<std::size_t>(wanted));
        state = wanted;
    };
    while (!query.empty() && result_.size() <= longest) {
        char32_t c = take_character(query);
        if (c == '\t' || c == '\n' || c == '\r')
            continue;                          // the URL parser has removed them before
        if (c == 0xe || c == 0xf || c == 0x1b) // these could be taken for escapes
            c = replacement_character;
        if (c >= 0xff61 && c < 0xff61 + full_width.size())
            c = full_width[c - 0xff61];
        if (c == 0xa5 || c == 0x203e) {
            enter(State::roman);
            result_ += c == 0xa5 ? '\\' : '~';
            continue;
        }
        const std::string bytes = bytes_of(c);
        if (bytes.size() == 2) {
            enter(State::jis0208);
            const std::array jis{static_cast<char>(bytes[0] & 0x7f),
                                 static_cast<char>(bytes[1] & 0x7f)};
            append_encoded(result_, {jis.data(), jis.size()}, special_query_set);
            continue;
        }
        if (state != State::roman || c == '\\' || c == '~')
            enter(State::ascii);
        if (c < 0x80)
            result_ += static_cast<char>(c);
        else
            append_character(c);
    }
    enter(State::ascii);
}

bool QueryEncoder::is_japanese() const {
    return charset_ == "cp932" || charset_ == "euc-jp" || charset_ == "iso-2022-jp";
}

/// A character in the page's character set; empty if it isn't in there.
std::string QueryEncoder::bytes_of(char32_t c) {
    if (charset_ == "gbk" && c == 0x20ac)
        return "\x80";
    if (is_japanese()) {
        if (c == 0xa5 || c == 0x203e)
            return c == 0xa5 ? "\\" : "~";
        if (c == 0x2212) // the minus sign
            c = 0xff0d;
        const auto* twin = std::ranges::find(twins, c, &Twins::systems);
        if (twin != twins.end()) {
            if (charset_ != "iso-2022-jp")
                return {};
            c = twin->webs; // the system's decoder has made the other one of it
        }
    }
    const std::string bytes = converted(c);
    return is_of_the_web(c, bytes) ? bytes : "";
}

/// The systems' tables have more characters than the Encoding Standard's.
bool QueryEncoder::is_of_the_web(char32_t c, std::string_view bytes) const {
    if (bytes.empty() || charset_ == "gb18030")
        return !bytes.empty() && c != 0xe5e5;
    const bool is_big5 = charset_.starts_with("big5");
    const bool has_two =
        is_japanese() || is_big5 || charset_ == "gbk" || charset_ == "cp949";
    if (!has_two) // else iconv has made two of a letter with an accent
        return bytes.size() == 1;
    if (bytes.size() > 2 || (c >= 0x80 && c < 0xa0))
        return false;
    if (is_japanese())
        return c < 0xe000 || c >= 0xf900; // not for private use
    // What Hong Kong has added to Big5 is only read.
    return !is_big5 || c < 0x80 || static_cast<unsigned char>(bytes[0]) >= 0xa1;
}

/// By iconv; empty if it can't be done exactly.
std::string QueryEncoder::converted(char32_t character) {
    std::string utf8;
    append_utf8(utf8, character);
    char* in = utf8.data();
    std::size_t left = utf8.size();
    std::array<char, 16> buffer{};
    char* out = buffer.data();
    std::size_t room = buffer.size();
    ::iconv(converter_.get(), nullptr, nullptr, nullptr, nullptr); // from the beginning
    // Some systems write "*" instead of failing, and then say how often.
    if (::iconv(converter_.get(), &in, &left, &out, &room) != 0
        // Big5-HKSCS waits for an accent that may follow.
        || ::iconv(converter_.get(), nullptr, nullptr, &out, &room) != 0)
        return {};
    return {buffer.data(), buffer.size() - room};
}

} // namespace common
