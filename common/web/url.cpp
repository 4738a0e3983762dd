#include "common/web/url.h"

#include "common/text/ascii.h"

#include <curl/curl.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <memory>

#include <locale.h> // NOLINT(modernize-deprecated-headers): POSIX's, for uselocale
#ifdef __APPLE__
#include <xlocale.h> // there it is declared here
#endif

namespace common {
namespace {

// The names below are the URL Standard's, where it has one: "path percent-encode set",
// "IPv4 parser", "shorten a path". Whoever reads both finds the same steps.

constexpr std::string_view hex_digits = "0123456789ABCDEF";

constexpr bool is_slash(char c) { return c == '/' || c == '\\'; }
constexpr bool is_web_scheme(std::string_view scheme) {
    return scheme == "http" || scheme == "https";
}
constexpr int default_port(std::string_view scheme) {
    return scheme == "https" ? 443 : 80;
}

/// The value of a hexadecimal digit; -1 for any other character.
constexpr int hex_value(char c) {
    if (is_digit(c))
        return c - '0';
    const char small = to_lower(c);
    return small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

// ---- Percent-encoding: section 1.3
// ------------------------------------------------------

/// A set of bytes.
using ByteSet = std::array<bool, 256>;

/// All that is not printable ASCII, and these characters besides.
constexpr ByteSet percent_encode_set(std::string_view characters) {
    ByteSet set{};
    for (std::size_t byte = 0; byte < set.size(); ++byte)
        set[byte] = byte <= 0x1f || byte >= 0x7f;
    for (const char c : characters)
        set[static_cast<unsigned char>(c)] = true;
    return set;
}

constexpr ByteSet special_query_set = percent_encode_set(" \"#<>'");
constexpr ByteSet path_set = percent_encode_set(" \"#<>?^`{}");

bool contains(const ByteSet& set, char c) { return set[static_cast<unsigned char>(c)]; }

void append_encoded(std::string& result, std::string_view text, const ByteSet& set) {
    while (!text.empty()) {
        const auto* end =
            std::ranges::find_if(text, [&](char c) { return contains(set, c); });
        result.append(text.begin(), end);
        text.remove_prefix(static_cast<std::size_t>(end - text.begin()));
        if (text.empty())
            return;
        const auto byte = static_cast<unsigned char>(text.front());
        result += {'%', hex_digits[byte >> 4U], hex_digits[byte & 0xfU]};
        text.remove_prefix(1);
    }
}

std::string percent_decoded(std::string_view text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool encoded = text[i] == '%' && i + 2 < text.size()
                             && hex_value(text[i + 1]) >= 0
                             && hex_value(text[i + 2]) >= 0;
        if (encoded) {
            result +=
                static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2]));
            i += 2;
        } else {
            result += text[i];
        }
    }
    return result;
}

// ---- Hosts: section 3
// -------------------------------------------------------------------

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

/// The "IPv6 parser", for what is between the brackets.
std::optional<Ipv6Pieces> ipv6_pieces(std::string_view text) {
    Ipv6Pieces pieces{};
    std::size_t count = 0;
    std::optional<std::size_t> gap; // how many pieces stand before "::"
    if (text.starts_with("::")) {
        gap = 0;
        text.remove_prefix(2);
    } else if (text.starts_with(':')) {
        return std::nullopt;
    }
    while (!text.empty()) {
        if (count == 8)
            return std::nullopt;
        const std::string_view piece = text.substr(0, text.find(':'));
        if (piece.find('.') != std::string_view::npos) {
            const auto address = ipv4_in_ipv6(piece);
            if (!address || count > 6 || piece.size() != text.size())
                return std::nullopt;
            pieces.at(count++) = static_cast<std::uint16_t>(*address >> 16U);
            pieces.at(count++) = static_cast<std::uint16_t>(*address & 0xffffU);
            break;
        }
        if (piece.empty()) { // a second colon
            if (gap)
                return std::nullopt;
            gap = count;
            text.remove_prefix(1);
            continue;
        }
        unsigned value = 0;
        for (const char c : piece) {
            if (hex_value(c) < 0 || piece.size() > 4)
                return std::nullopt;
            value = value << 4U | static_cast<unsigned>(hex_value(c));
        }
        pieces.at(count++) = static_cast<std::uint16_t>(value);
        text.remove_prefix(piece.size());
        if (text.starts_with(':')) {
            text.remove_prefix(1);
            if (text.empty()) // a single colon at the end
                return std::nullopt;
        }
    }
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

/// The "host parser", for special schemes. Nothing if it is no host.
std::optional<std::string> host(std::string_view text) {
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

// ---- Paths
// ------------------------------------------------------------------------------

bool is_single_dot(std::string_view segment) {
    return segment == "." || equal_ignoring_case(segment, "%2e");
}
bool is_double_dot(std::string_view segment) {
    return segment == ".." || equal_ignoring_case(segment, ".%2e")
           || equal_ignoring_case(segment, "%2e.")
           || equal_ignoring_case(segment, "%2e%2e");
}

/// "Shorten a path": without its last segment.
void shorten(std::string& path, std::size_t begin) {
    const auto slash = path.rfind('/');
    if (slash != std::string::npos && slash >= begin)
        path.resize(slash);
}

/// The "path state": appends the segments of `text` to `url`, whose path begins at
/// `begin`.
void append_path(std::string& url, std::size_t begin, std::string_view text) {
    while (true) {
        const auto* end = std::ranges::find_if(text, is_slash);
        const std::string_view segment(text.begin(), end);
        const bool last = end == text.end();
        const bool up = is_double_dot(segment);
        if (up)
            shorten(url, begin);
        if (!up && !is_single_dot(segment)) {
            url += '/';
            append_encoded(url, segment, path_set);
        } else if (last) {
            url += '/'; // "a/.." is a folder
        }
        if (last)
            return;
        text.remove_prefix(segment.size() + 1);
    }
}

/// The scheme that a text begins with, without its colon; empty if it begins with none.
std::string_view scheme_of(std::string_view text) {
    if (text.empty() || !is_alpha(text[0]))
        return {};
    const auto* end = std::ranges::find_if_not(text, [](char c) {
        return is_alpha(c) || is_digit(c) || c == '+' || c == '-' || c == '.';
    });
    return end != text.end() && *end == ':' ? std::string_view(text.begin(), end)
                                            : std::string_view();
}

/// What the parser removes before it begins: blanks and control characters at both ends,
/// and every tab and line break. Uses `storage` only if there is one to remove. What a
/// fragment says is for the browser, and never reaches a server: it goes as well.
std::string_view stripped(std::string_view text, std::string& storage) {
    const auto is_blank = [](char c) { return static_cast<unsigned char>(c) <= 0x20; };
    while (!text.empty() && is_blank(text.front()))
        text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back()))
        text.remove_suffix(1);
    text = text.substr(0, text.find('#'));
    constexpr std::string_view breaks = "\t\n\r";
    if (text.find_first_of(breaks) == std::string_view::npos)
        return text;
    for (const char c : text)
        if (breaks.find(c) == std::string_view::npos)
            storage += c;
    return storage;
}

/// What stands in a path or a query just as it is, and means nothing to the parser there.
constexpr ByteSet plain_set = [] {
    ByteSet set{};
    for (const char c :
         std::string_view("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                          "0123456789-_~!$&()*+,;=@/."))
        set[static_cast<unsigned char>(c)] = true;
    return set;
}();

// [plain-path]
/// True for a path in which nothing is to be decoded, encoded or shortened: it can stand
/// behind a folder just as it is. Many links are of this kind.
bool is_plain_path(std::string_view text) {
    // Each segment must begin with something else than a dot: then none is "." or "..",
    // and none is empty but the last one.
    bool at_begin = true;
    for (const char c : text) {
        if (!contains(plain_set, c) || (at_begin && (c == '.' || c == '/')))
            return false;
        at_begin = c == '/';
    }
    return !text.empty();
}
// [/plain-path]

} // namespace

/// The "basic URL parser", for http and https. Each function appends to `draft.href` what
/// it has understood.
class UrlParser {
  public:
    /// `login`, if there is one: gets what stands before the host, "user:password".
    static std::optional<Url> parse(std::string_view input, const Url* base,
                                    std::string* login = nullptr) {
        std::string storage;
        const std::string_view text = stripped(input, storage);
        if (base != nullptr && has_origin_of(*base, text))
            return relative(text.substr(base->origin().size()), *base);
        const std::string_view scheme = scheme_of(text);
        if (scheme.empty())
            return base != nullptr ? relative(text, *base) : std::nullopt;
        const std::string small = lower(scheme);
        if (!is_web_scheme(small))
            return std::nullopt;
        const std::string_view rest = text.substr(scheme.size() + 1);
        // "http:page" beside a base of the same scheme is relative. Nobody writes that
        // any more, and every browser reads it.
        if (base != nullptr && base->scheme() == small && !rest.starts_with("//"))
            return relative(rest, *base);
        return authority(small, rest, login);
    }

    /// The short way to resolve a reference. False: it must go the long way, `parse`.
    static bool resolve_plain(std::string_view reference, const Url& base,
                              std::optional<Url>& result) {
        const std::string_view href = base.href();
        std::string_view path = reference.substr(0, reference.find('#'));
        if (has_origin_of(base, path))
            path.remove_prefix(base.origin().size());
        const bool from_root = path.starts_with('/');
        path.remove_prefix(from_root ? 1 : 0);
        if (!is_plain_path(path) && !(from_root && path.empty()))
            return false;
        const std::size_t folder_end =
            from_root ? base.origin().size() : href.rfind('/', href.find('?'));
        const std::string_view folder = href.substr(0, folder_end + 1);
        if (folder.size() + path.size() <= max_url_length)
            result = Url(SharedText(folder, path), base.places_);
        return true;
    }

  private:
    /// A URL that is being written.
    struct Draft {
        std::string href;
        Url::Places places;
    };

    /// Does it begin with the base's origin, in normal form, and go on with a path? Many
    /// sites write their links so; and then the origin needn't be read again.
    static bool has_origin_of(const Url& base, std::string_view text) {
        const std::size_t path = base.places_.path_begin;
        return text.starts_with(base.origin()) && text.size() > path && text[path] == '/'
               && (text.size() == path + 1 || !is_slash(text[path + 1]));
    }

    /// The "relative state": a reference without a scheme.
    static std::optional<Url> relative(std::string_view text, const Url& base) {
        if (text.empty())
            return base;
        if (text.size() >= 2 && is_slash(text[0]) && is_slash(text[1]))
            return authority(base.scheme(), text);
        const std::size_t path = base.places_.path_begin;
        const std::size_t base_end =
            is_slash(text[0]) ? path : base.href().find('?', path);
        Draft draft{.href = std::string(base.href().substr(0, base_end)),
                    .places = base.places_};
        if (text[0] == '?') {
            append_query(draft, text);
            return finished(draft);
        }
        if (is_slash(text[0]))
            text.remove_prefix(1);
        else
            shorten(draft.href, path);
        return path_and_query(draft, text);
    }

    /// The "authority state" and what follows: user, host, port.
    static std::optional<Url> authority(std::string_view scheme, std::string_view text,
                                        std::string* login = nullptr) {
        while (!text.empty() && is_slash(text.front()))
            text.remove_prefix(1);
        std::string_view host_and_port = text.substr(0, text.find_first_of("/\\?"));
        text.remove_prefix(host_and_port.size());
        // A user and a password are no part of a Url: what is in front of the last @
        // goes.
        const auto login_end = host_and_port.rfind('@');
        if (login != nullptr && login_end != std::string_view::npos)
            *login = host_and_port.substr(0, login_end);
        host_and_port.remove_prefix(login_end + 1);

        const auto bracket = host_and_port.starts_with('[') ? host_and_port.find(']') : 0;
        const auto colon =
            host_and_port.find(':', std::min(bracket, host_and_port.size()));
        const auto known = host(host_and_port.substr(0, colon));
        const auto number = colon == std::string_view::npos
                                ? std::optional(default_port(scheme))
                                : port(host_and_port.substr(colon + 1), scheme);
        if (!known || !number)
            return std::nullopt;

        Draft draft;
        draft.href.append(scheme).append("://").append(*known);
        const std::size_t host_end = draft.href.size();
        if (*number != default_port(scheme))
            draft.href += fmt::format(":{}", *number);
        if (draft.href.size() >= max_url_length) // the path has at least a slash
            return std::nullopt;
        draft.places = {.scheme_end = static_cast<std::uint16_t>(scheme.size()),
                        .host_end = static_cast<std::uint16_t>(host_end),
                        .path_begin = static_cast<std::uint16_t>(draft.href.size()),
                        .port = static_cast<std::uint16_t>(*number)};
        if (!text.empty() && is_slash(text.front()))
            text.remove_prefix(1);
        return path_and_query(draft, text);
    }

    /// The "port state". An empty port is the default one.
    static std::optional<int> port(std::string_view digits, std::string_view scheme) {
        if (digits.empty())
            return default_port(scheme);
        int number = 0;
        for (const char c : digits) {
            number = is_digit(c) ? number * 10 + (c - '0') : 65536;
            if (number > 65535)
                return std::nullopt;
        }
        return number;
    }

    static std::optional<Url> path_and_query(Draft& draft, std::string_view text) {
        const auto query = std::min(text.find('?'), text.size());
        append_path(draft.href, draft.places.path_begin, text.substr(0, query));
        append_query(draft, text.substr(query));
        return finished(draft);
    }

    /// The "query state": `text` is empty, or begins with its question mark.
    static void append_query(Draft& draft, std::string_view text) {
        if (text.empty())
            return;
        draft.href += '?';
        append_encoded(draft.href, text.substr(1), special_query_set);
    }

    static std::optional<Url> finished(const Draft& draft) {
        if (draft.href.size() > max_url_length)
            return std::nullopt;
        return Url(SharedText(draft.href), draft.places);
    }
};

bool Url::host_is_address() const {
    const std::string_view name = host();
    // The parser takes every host for an IPv4 address whose last label is a number.
    return name.front() == '['
           || (is_digit(name.back())
               && name.find_first_not_of("0123456789.") == std::string_view::npos);
}

std::optional<Url> parse_url(std::string_view text) {
    return UrlParser::parse(text, nullptr);
}

namespace {

/// "localhost:8000" looks as if it had the scheme "localhost": a digit behind the colon
/// says that it is a port.
std::string with_scheme(std::string_view root) {
    const std::string_view scheme = scheme_of(root);
    const bool is_port =
        root.size() > scheme.size() + 1 && is_digit(root[scheme.size() + 1]);
    return (scheme.empty() || is_port ? "http://" : "") + std::string(root);
}

} // namespace

std::optional<Url> parse_root_url(std::string_view text) {
    return parse_url(with_scheme(text));
}

std::optional<Login> login_in(std::string_view root) {
    std::string both;
    if (!UrlParser::parse(with_scheme(root), nullptr, &both) || both.empty())
        return std::nullopt;
    const auto colon = std::min(both.find(':'), both.size());
    Login login{.user = percent_decoded(both.substr(0, colon)),
                .password = percent_decoded(both.substr(colon + (colon < both.size())))};
    if (login == Login{})
        return std::nullopt;
    return login;
}

std::optional<Url> resolve_url(std::string_view reference, const Url& base) {
    std::optional<Url> result;
    if (UrlParser::resolve_plain(reference, base, result))
        return result;
    return UrlParser::parse(reference, &base);
}

std::string_view without_www(std::string_view host) {
    constexpr std::string_view www = "www.";
    return host.starts_with(www) && host.size() > www.size() ? host.substr(www.size())
                                                             : host;
}

} // namespace common
