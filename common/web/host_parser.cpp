#include "common/web/host_parser.h"

#include "common/text/ascii.h"
#include "common/web/percent_encoding.h"

#include <curl/curl.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <locale.h> // NOLINT(modernize-deprecated-headers): POSIX's, for uselocale
#ifdef __APPLE__
#include <xlocale.h> // there it is declared here
#endif

namespace common {
namespace {

/// A part of an IPv4 address: decimal, octal ("017") or hexadecimal ("0xf").
std::optional<std::uint64_t> ipv4_number(std::string_view text) {
    if (text.empty())
        return std::nullopt;
    int base = 10;
    if (text.size() >= 2 && text[0] == '0') {
        base = to_lower(text[1]) == 'x' ? 16 : 8;
        text.remove_prefix(base == 16 ? 2 : 1);
    }
    std::uint64_t value = 0;
    for (const char c : text) {
        const int digit = hex_value(c);
        if (digit < 0 || digit >= base)
            return std::nullopt;
        // More than this is too much for any part; it must not overflow, either.
        value = std::min<std::uint64_t>(value * static_cast<unsigned>(base)
                                            + static_cast<unsigned>(digit),
                                        std::uint64_t{1} << 32U);
    }
    return value;
}

/// The last label of a host, not counting an empty one behind a final dot.
std::string_view last_label(std::string_view host) {
    if (host.ends_with('.'))
        host.remove_suffix(1);
    return host.substr(host.rfind('.') + 1); // npos + 1 is 0: no dot, all of it
}

/// The "ends in a number checker": such a host must be an IPv4 address.
bool ends_in_a_number(std::string_view host) {
    const std::string_view last = last_label(host);
    return !last.empty()
           && (std::ranges::all_of(last, is_digit) || ipv4_number(last).has_value());
}

/// The "IPv4 parser" and "serializer": "0x7f.1" → "127.0.0.1".
std::optional<std::string> ipv4(std::string_view host) {
    if (host.ends_with('.'))
        host.remove_suffix(1);
    std::uint64_t address = 0;
    for (int part = 0;; ++part) {
        const auto dot = host.find('.');
        const auto number = ipv4_number(host.substr(0, dot));
        const bool last = dot == std::string_view::npos;
        if (!number || part == 4 || (!last && (*number > 255 || part == 3)))
            return std::nullopt;
        if (last) {
            // The last part fills all bytes that are left: "1.2" is 1.0.0.2.
            if (*number >= std::uint64_t{1} << (8U * static_cast<unsigned>(4 - part)))
                return std::nullopt;
            address += *number;
            break;
        }
        address += *number << (8U * static_cast<unsigned>(3 - part));
        host.remove_prefix(dot + 1);
    }
    return fmt::format("{}.{}.{}.{}", address >> 24U, (address >> 16U) & 255U,
                       (address >> 8U) & 255U, address & 255U);
}

/// The last 32 bits of an IPv6 address may be written like IPv4, but only in its plainest
/// form: four decimal numbers without leading zeros.
std::optional<std::uint32_t> ipv4_in_ipv6(std::string_view text) {
    std::uint32_t address = 0;
    for (int part = 0; part < 4; ++part) {
        const std::string_view digits = text.substr(0, text.find('.'));
        const bool right_end = (part == 3) == (digits.size() == text.size());
        if (digits.empty() || digits.size() > 3 || !right_end
            || (digits.size() > 1 && digits[0] == '0')
            || !std::ranges::all_of(digits, is_digit))
            return std::nullopt;
        const auto number = ipv4_number(digits);
        if (!number || *number > 255)
            return std::nullopt;
        address = address << 8U | static_cast<std::uint32_t>(*number);
        text.remove_prefix(std::min(digits.size() + 1, text.size()));
    }
    return address;
}

using Ipv6Pieces = std::array<std::uint16_t, 8>;

/// An IPv6 address that is being read.
struct Ipv6Draft {
    Ipv6Pieces pieces{};
    std::size_t count = 0;
    std::optional<std::size_t> gap = {}; // how many pieces stand before "::"
};

/// Adds "7f00", in up to four digits.
bool add_ipv6_piece(Ipv6Draft& draft, std::string_view digits) {
    unsigned value = 0;
    for (const char c : digits) {
        if (hex_value(c) < 0 || digits.size() > 4)
            return false;
        value = value << 4U | static_cast<unsigned>(hex_value(c));
    }
    draft.pieces.at(draft.count++) = static_cast<std::uint16_t>(value);
    return true;
}

/// Adds "127.0.0.1", as two pieces.
bool add_ipv4_pieces(Ipv6Draft& draft, std::string_view digits) {
    const auto address = ipv4_in_ipv6(digits);
    if (!address || draft.count > 6)
        return false;
    draft.pieces.at(draft.count++) = static_cast<std::uint16_t>(*address >> 16U);
    draft.pieces.at(draft.count++) = static_cast<std::uint16_t>(*address & 0xffffU);
    return true;
}

/// Takes the next piece off `text`, with the colon behind it. False if it is none.
bool take_ipv6_piece(std::string_view& text, Ipv6Draft& draft) {
    if (draft.count == 8)
        return false;
    const std::string_view piece = text.substr(0, text.find(':'));
    text.remove_prefix(piece.size());
    if (piece.empty()) { // a second colon
        if (draft.gap)
            return false;
        draft.gap = draft.count;
        text.remove_prefix(1);
        return true;
    }
    if (piece.find('.') != std::string_view::npos)
        return text.empty() && add_ipv4_pieces(draft, piece);
    if (!add_ipv6_piece(draft, piece))
        return false;
    if (text.empty())
        return true;
    text.remove_prefix(1);
    return !text.empty(); // else there is a single colon at the end
}

/// The "IPv6 parser", for what is between the brackets.
std::optional<Ipv6Pieces> ipv6_pieces(std::string_view text) {
    Ipv6Draft draft;
    if (text.starts_with("::")) {
        draft.gap = 0;
        text.remove_prefix(2);
    } else if (text.starts_with(':')) {
        return std::nullopt;
    }
    while (!text.empty())
        if (!take_ipv6_piece(text, draft))
            return std::nullopt;
    auto& [pieces, count, gap] = draft;
    if (!gap ? count != 8 : count == 8)
        return std::nullopt;
    if (gap) // what stands behind the gap moves to the end
        std::ranges::rotate(pieces.begin() + static_cast<std::ptrdiff_t>(*gap),
                            pieces.begin() + static_cast<std::ptrdiff_t>(count),
                            pieces.end());
    return pieces;
}

/// The "IPv6 serializer": the longest run of zeros, if it is longer than one, becomes
/// "::"; of several, the first.
std::string ipv6_text(const Ipv6Pieces& pieces) {
    std::size_t gap = 8;
    std::size_t gap_length = 1;
    for (std::size_t i = 0; i < 8; ++i) {
        std::size_t length = 0;
        while (i + length < 8 && pieces.at(i + length) == 0)
            ++length;
        if (length > gap_length) {
            gap = i;
            gap_length = length;
        }
    }
    std::string text = "[";
    for (std::size_t i = 0; i < 8;) {
        if (i == gap) {
            text += i == 0 ? "::" : ":";
            i += gap_length;
        } else {
            text += fmt::format("{:x}", pieces.at(i));
            text += ++i < 8 ? ":" : "";
        }
    }
    return text + "]";
}

/// Makes this thread's character set UTF-8 as long as it lives: libcurl's converter of
/// host names reads its input in the locale's character set, whatever that is.
class Utf8Locale {
  public:
    Utf8Locale() : utf8_(::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr)) {
        if (utf8_ != nullptr)
            before_ = ::uselocale(utf8_);
    }
    ~Utf8Locale() {
        if (utf8_ != nullptr) {
            ::uselocale(before_);
            ::freelocale(utf8_);
        }
    }
    Utf8Locale(const Utf8Locale&) = delete;
    Utf8Locale& operator=(const Utf8Locale&) = delete;

  private:
    locale_t utf8_;
    locale_t before_ = nullptr;
};

/// "bücher.example" → "xn--bcher-kva.example", by libcurl. Nothing if it can't be done.
std::optional<std::string> idna_to_ascii(const std::string& host) {
    const Utf8Locale locale;
    const std::unique_ptr<CURLU, decltype(&::curl_url_cleanup)> handle(
        ::curl_url(), &::curl_url_cleanup);
    const std::string url = "http://" + host + "/";
    if (::curl_url_set(handle.get(), CURLUPART_URL, url.c_str(), 0) != CURLUE_OK)
        return std::nullopt;
    char* text = nullptr;
    const CURLUcode code =
        ::curl_url_get(handle.get(), CURLUPART_HOST, &text, CURLU_PUNYCODE);
    // Owned before the code is looked at: libcurl 7.88 hands over a text with an error.
    const std::unique_ptr<char, decltype(&::curl_free)> owner(text, &::curl_free);
    if (code != CURLUE_OK || text == nullptr)
        return std::nullopt;
    std::string ascii = lower(text);
    if (std::ranges::any_of(ascii,
                            [](char c) { return static_cast<signed char>(c) < 0; }))
        return std::nullopt;
    return ascii;
}

} // namespace

std::optional<std::string> parse_host(std::string_view text) {
    if (text.starts_with('[')) {
        if (!text.ends_with(']'))
            return std::nullopt;
        const auto pieces = ipv6_pieces(text.substr(1, text.size() - 2));
        return pieces ? std::optional(ipv6_text(*pieces)) : std::nullopt;
    }
    std::optional<std::string> domain = lower(percent_decoded(text));
    // Before the conversion, too: libcurl would take a slash for the end of the host.
    constexpr std::string_view forbidden = " #%/:<>?@[\\]^|\x7f";
    const auto is_forbidden = [&](char c) {
        return (static_cast<unsigned char>(c) < 0x20)
               || forbidden.find(c) != std::string_view::npos;
    };
    if (std::ranges::any_of(*domain, is_forbidden))
        return std::nullopt;
    if (std::ranges::any_of(*domain,
                            [](char c) { return static_cast<signed char>(c) < 0; }))
        domain = idna_to_ascii(*domain);
    if (!domain || domain->empty() || std::ranges::any_of(*domain, is_forbidden))
        return std::nullopt;
    return ends_in_a_number(*domain) ? ipv4(*domain) : domain;
}

} // namespace common
