#include "common/web/url.h"

#include "common/text/ascii.h"
#include "common/text/byte_set.h"
#include "common/web/host_parser.h"
#include "common/web/percent_encoding.h"
#include "common/web/url_syntax.h"

#include <fmt/core.h>

#include <algorithm>

namespace common {
namespace {

// The names below are the URL Standard's, where it has one: "path percent-encode set",
// "port state", "shorten a path". If you read both, you find the same steps.

constexpr int default_port(std::string_view scheme) {
    return scheme == "https" ? 443 : 80;
}

constexpr ByteSet path_set = percent_encode_set(" \"#<>?^`{}");

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

/// What stands in a path or a query just as it is, and means nothing to the parser there.
constexpr ByteSet plain_set =
    byte_set_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                "0123456789-_~!$&()*+,;=@/.");

// [plain-path]
/// True for a path in which nothing is to be decoded, encoded or shortened: it can stand
/// behind a folder just as it is. Many links are of this kind.
bool is_plain_path(std::string_view text) {
    // Each segment must begin with something else than a dot: then none is "." or "..",
    // and none is empty but the last one.
    bool at_begin = true;
    for (const char c : text) {
        if (!is_in(plain_set, c) || (at_begin && (c == '.' || c == '/')))
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

    static std::optional<Url> resolve(std::string_view reference, const Url& base) {
        const std::string_view href = base.href();
        std::string_view path = reference.substr(0, reference.find('#'));
        if (has_origin_of(base, path))
            path.remove_prefix(base.origin().size());
        const bool from_root = path.starts_with('/');
        path.remove_prefix(from_root ? 1 : 0);
        if (!is_plain_path(path) && !(from_root && path.empty()))
            return parse(reference, &base);
        // The short way: the rest of the reference can stand behind a folder of the base.
        const std::size_t folder_end =
            from_root ? base.origin().size() : href.rfind('/', href.find('?'));
        const std::string_view folder = href.substr(0, folder_end + 1);
        if (folder.size() + path.size() > max_url_length)
            return std::nullopt;
        return Url(SharedText(folder, path), base.places_);
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

    /// The "authority state": user, host and port, and then the path.
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

        std::optional<Draft> draft = origin(scheme, host_and_port);
        if (!draft)
            return std::nullopt;
        if (!text.empty() && is_slash(text.front()))
            text.remove_prefix(1);
        return path_and_query(*draft, text);
    }

    /// The "host state".
    static std::optional<Draft> origin(std::string_view scheme,
                                       std::string_view host_and_port) {
        const auto bracket = host_and_port.starts_with('[') ? host_and_port.find(']') : 0;
        const auto colon =
            host_and_port.find(':', std::min(bracket, host_and_port.size()));
        const auto host = parse_host(host_and_port.substr(0, colon));
        const auto number = colon == std::string_view::npos
                                ? std::optional(default_port(scheme))
                                : port(host_and_port.substr(colon + 1), scheme);
        if (!host || !number)
            return std::nullopt;

        std::optional<Draft> draft(std::in_place);
        std::string& href = draft->href;
        href.append(scheme).append("://").append(*host);
        const std::size_t host_end = href.size();
        if (*number != default_port(scheme))
            href += fmt::format(":{}", *number);
        if (href.size() >= max_url_length) // the path has at least a slash
            return std::nullopt;
        draft->places = {.scheme_end = static_cast<std::uint16_t>(scheme.size()),
                         .host_end = static_cast<std::uint16_t>(host_end),
                         .path_begin = static_cast<std::uint16_t>(href.size()),
                         .port = static_cast<std::uint16_t>(*number)};
        return draft;
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
    return UrlParser::resolve(reference, base);
}

std::string_view without_www(std::string_view host) {
    constexpr std::string_view www = "www.";
    return host.starts_with(www) && host.size() > www.size() ? host.substr(www.size())
                                                             : host;
}

} // namespace common
