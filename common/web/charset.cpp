#include "common/web/charset.h"

#include "common/text/ascii.h"
#include "common/web/html_scanner.h"
#include "common/web/iconv_handle.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#include <iconv.h>

namespace common {
namespace {

constexpr std::string_view replacement = "\xef\xbf\xbd"; // U+FFFD

// ---- UTF-8
// ------------------------------------------------------------------------------

/// True if so many bytes are ASCII other than zero. (Compilers make some 30 instructions
/// of it for 64 bytes, and 60 for 256, with what each processor has.)
template <std::size_t Size>
bool is_ascii_block(const char* bytes) {
    unsigned char largest = 0;
    for (std::size_t i = 0; i < Size; ++i) // a zero, less one, is the largest of all
        largest = std::max(largest, static_cast<unsigned char>(bytes[i] - 1));
    return largest < 0x7f;
}

/// How many of the first bytes are ASCII other than zero.
std::size_t ascii_length(std::string_view text) {
    std::size_t i = 0;
    for (; i + 8 <= text.size(); i += 8) {
        // After some ASCII, there is probably much. (Where every other word has an
        // umlaut, this would be in vain.)
        if (i >= 64) {
            while (i + 256 <= text.size() && is_ascii_block<256>(text.data() + i))
                i += 256;
            while (i + 64 <= text.size() && is_ascii_block<64>(text.data() + i))
                i += 64;
        }
        if (i + 8 > text.size())
            break;
        std::uint64_t word = 0;
        std::memcpy(&word, text.data() + i, 8);
        // A byte of zero, or one with its highest bit set, leaves a trace here.
        constexpr std::uint64_t ones = 0x0101010101010101U;
        constexpr std::uint64_t highs = ones << 7U;
        if (((word | ((word - ones) & ~word)) & highs) != 0)
            break;
    }
    while (i < text.size() && static_cast<signed char>(text[i]) > 0)
        ++i;
    return i;
}

/// How long the character is that a text begins with; 0 if it begins with none, and then
/// `wrong` is how many bytes one U+FFFD stands for.
/// Source: the Unicode Standard, table 3-7, well-formed UTF-8.
std::size_t utf8_length(std::string_view text, std::size_t& wrong) {
    const auto byte = [&](std::size_t i) {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
    };
    const auto continues = [&](std::size_t i) { return (byte(i) & 0xc0U) == 0x80; };
    const unsigned first = byte(0);
    wrong = 1;
    if (first != 0 && first < 0x80)
        return 1;
    if (first < 0xc2 || first > 0xf4)
        return 0;
    // After some first bytes, not every second byte will do: the same character must not
    // have two spellings, and there are no surrogates.
    unsigned low = 0x80;
    unsigned high = 0xbf;
    switch (first) {
    case 0xe0: low = 0xa0; break;
    case 0xed: high = 0x9f; break;
    case 0xf0: low = 0x90; break;
    case 0xf4: high = 0x8f; break;
    default: break;
    }
    if (byte(1) < low || byte(1) > high)
        return 0;
    std::size_t length = 2;
    if (first >= 0xe0)
        length = first < 0xf0 ? 3 : 4;
    for (std::size_t i = 2; i < length; ++i)
        if (!continues(i)) {
            wrong = i;
            return 0;
        }
    return length;
}

/// How much of a text is valid UTF-8 without zeros.
std::size_t valid_length(std::string_view text) {
    std::size_t at = 0;
    while (true) {
        at += ascii_length(text.substr(at));
        std::size_t wrong = 0;
        const std::size_t length = utf8_length(text.substr(at), wrong);
        if (at == text.size() || length == 0)
            return at;
        at += length;
    }
}

/// True if nothing but zeros keeps it from being valid UTF-8.
bool is_utf8(std::string_view text) {
    while (true) {
        text.remove_prefix(valid_length(text));
        if (!text.starts_with('\0'))
            return text.empty();
        text.remove_prefix(1);
    }
}

// ---- Other character sets
// ---------------------------------------------------------------

class Converter {
  public:
    explicit Converter(const std::string& charset)
        : handle_("utf-8", charset), unit_(charset.starts_with("utf-16") ? 2 : 1) {}

    /// False if the system doesn't know this character set.
    explicit operator bool() const { return static_cast<bool>(handle_); }

    /// Appends `text` in UTF-8. What can't be converted becomes U+FFFD, one for each
    /// unit.
    void convert(std::string_view text, std::string& result) {
        auto* in = const_cast<char*>(text.data()); // iconv only reads
        std::size_t left = text.size();
        while (left > 0) {
            std::array<char, 4096> buffer; // not initialised: it is written first
            char* out = buffer.data();
            std::size_t room = buffer.size();
            const bool failed = ::iconv(handle_.get(), &in, &left, &out, &room)
                                == static_cast<std::size_t>(-1);
            const int error = errno;
            result.append(buffer.data(), buffer.size() - room);
            if (failed && error != E2BIG) { // E2BIG: the buffer is full, that's all
                result += replacement;
                const std::size_t skipped = std::min(unit_, left);
                in += skipped;
                left -= skipped;
            }
        }
        // The last letter of a text may be held back, for an accent that could follow.
        std::array<char, 16> rest;
        char* out = rest.data();
        std::size_t room = rest.size();
        ::iconv(handle_.get(), nullptr, nullptr, &out, &room);
        result.append(rest.data(), rest.size() - room);
    }

  private:
    IconvHandle handle_;
    std::size_t unit_; // what is skipped where nothing can be read, in bytes
};

/// The system's name for a label. The Encoding Standard reads some labels as others than
/// they seem, since pages lie in ways that are known.
std::string known_name(std::string_view label) {
    using Name = std::pair<std::string_view, std::string_view>;
    constexpr std::array<Name, 33> names{{
        {"utf8", "utf-8"},
        {"unicode-1-1-utf-8", "utf-8"},
        {"ascii", "windows-1252"},
        {"us-ascii", "windows-1252"},
        {"iso-8859-1", "windows-1252"},
        {"iso8859-1", "windows-1252"},
        {"iso_8859-1", "windows-1252"},
        {"latin1", "windows-1252"},
        {"l1", "windows-1252"},
        {"cp1252", "windows-1252"},
        {"x-cp1252", "windows-1252"},
        {"iso-8859-9", "windows-1254"},
        {"latin5", "windows-1254"},
        {"iso-8859-11", "windows-874"},
        {"tis-620", "windows-874"},
        {"gb2312", "gbk"},
        {"x-gbk", "gbk"},
        {"shift_jis", "cp932"},
        {"shift-jis", "cp932"},
        {"sjis", "cp932"},
        {"x-sjis", "cp932"},
        {"euc-kr", "cp949"},
        {"ks_c_5601-1987", "cp949"},
        {"utf-16", "utf-16le"},
        {"windows-31j", "cp932"},
        {"ms932", "cp932"},
        {"ms_kanji", "cp932"},
        {"csshiftjis", "cp932"},
        {"windows-949", "cp949"},
        {"korean", "cp949"},
        {"ksc5601", "cp949"},
        {"ks_c_5601-1989", "cp949"},
        {"x-euc-jp", "euc-jp"},
    }};
    const std::string small = lower(trim(label));
    const auto* found = std::ranges::find(names, small, &Name::first);
    return found == names.end() ? small : std::string(found->second);
}

/// True for the character sets that browsers read. Systems know more, and some of them
/// (UTF-7, EBCDIC) turn harmless bytes into tags.
bool is_of_the_web(std::string_view name) {
    constexpr std::array<std::string_view, 15> families{
        "utf-8",       "utf-16le", "utf-16be",  "windows-", "iso-8859-",
        "iso-2022-jp", "koi8-",    "big5",      "euc-jp",   "gb18030",
        "cp932",       "cp949",    "macintosh", "ibm866",   "gbk"};
    return name.find_first_of("/,") == std::string_view::npos
           && std::ranges::any_of(families,
                                  [&](auto family) { return name.starts_with(family); });
}

/// What the page says about itself in the first 1,024 bytes; empty if nothing.
std::string declared_in(std::string_view page) {
    HtmlScanner scanner(page.substr(0, 1024));
    LinkTag tag;
    while (scanner.next(tag)) {
        std::string_view label = tag.charset;
        if (!is_there(label) && equal_ignoring_case(trim(tag.http_equiv), "content-type"))
            label = header_parameter(tag.content, "charset");
        if (tag.element != LinkElement::meta || trim(label).empty())
            continue;
        const std::string name = known_name(label);
        // The declaration could be read, so it can't be in UTF-16.
        return name.starts_with("utf-16") ? "utf-8" : name;
    }
    return {};
}

/// The text in UTF-8 if its character set is known.
std::optional<std::string_view>
converted(std::string_view text, const std::string& charset, std::string& storage) {
    if (!is_of_the_web(charset))
        return std::nullopt;
    if (charset == "utf-8")
        return repaired_utf8(text, storage);
    Converter converter(charset);
    if (!converter)
        return std::nullopt;
    std::string utf8;
    utf8.reserve(text.size() + text.size() / 8);
    converter.convert(text, utf8);
    // A zero is valid for iconv, but not for us.
    std::string repaired_text;
    const std::string_view result = repaired_utf8(utf8, repaired_text);
    if (result.data() == utf8.data())
        storage = std::move(utf8);
    else
        storage = std::move(repaired_text);
    return storage;
}

} // namespace

std::string_view repaired_utf8(std::string_view text, std::string& storage) {
    storage.clear();
    while (true) {
        const std::size_t valid = valid_length(text);
        if (valid == text.size() && storage.empty())
            return text;
        storage += text.substr(0, valid);
        if (valid == text.size())
            return storage;
        std::size_t wrong = 0;
        utf8_length(text.substr(valid), wrong);
        storage += replacement;
        text.remove_prefix(valid + wrong);
    }
}

std::string_view header_parameter(std::string_view header, std::string_view name) {
    for (auto semicolon = header.find(';'); semicolon != std::string_view::npos;
         semicolon = header.find(';')) {
        header.remove_prefix(semicolon + 1);
        const std::string_view pair = trim(header.substr(0, header.find(';')));
        const auto equals = pair.find('=');
        if (equals != std::string_view::npos
            && equal_ignoring_case(trim(pair.substr(0, equals)), name))
            return trim(pair.substr(equals + 1), " \t\"'");
    }
    return {};
}

std::string_view to_utf8(std::string_view bytes, std::string_view content_type,
                         std::string& storage, std::string* charset) {
    std::string unused;
    std::string& name = charset != nullptr ? *charset : unused;
    using Mark = std::pair<std::string_view, const char*>;
    constexpr std::array<Mark, 3> marks{
        {{"\xef\xbb\xbf", "utf-8"}, {"\xfe\xff", "utf-16be"}, {"\xff\xfe", "utf-16le"}}};
    for (const auto& [mark, marked] : marks)
        if (bytes.starts_with(mark)) {
            name = marked;
            return converted(bytes.substr(mark.size()), name, storage).value_or("");
        }
    name = known_name(header_parameter(content_type, "charset"));
    if (const auto text = converted(bytes, name, storage))
        return *text;
    name = declared_in(bytes);
    if (const auto text = converted(bytes, name, storage))
        return *text;
    name = "windows-1252";
    if (!is_utf8(bytes))
        if (const auto text = converted(bytes, name, storage))
            return *text;
    name = "utf-8";
    return repaired_utf8(bytes, storage);
}

std::string charset_of_xml(std::string_view document) {
    if (!document.starts_with("<?xml"))
        return "utf-8"; // or UTF-16
    const std::string_view declaration = document.substr(0, document.find("?>"));
    const auto equals = declaration.find('=', declaration.find("encoding"));
    if (equals == std::string_view::npos)
        return "utf-8";
    const std::string_view value = trim(declaration.substr(equals + 1));
    const std::string name =
        value.empty() ? "" : known_name(value.substr(1, value.find(value[0], 1) - 1));
    return is_of_the_web(name) ? name : "utf-8";
}

} // namespace common
