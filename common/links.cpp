#include "common/links.h"

#include "common/ascii.h"

#include <libxml/HTMLparser.h>

#include <array>
#include <climits>
#include <memory>
#include <string>
#include <unordered_set>
#include <utility>

namespace common {
namespace {

/// The value of a header's parameter, such as the charset in "text/html; charset=utf-8".
std::string parameter(std::string_view header, std::string_view name) {
    for (auto semicolon = header.find(';'); semicolon != std::string_view::npos;
         semicolon = header.find(';')) {
        header.remove_prefix(semicolon + 1);
        const std::string_view pair = trim(header.substr(0, header.find(';')));
        const auto equals = pair.find('=');
        if (equals != std::string_view::npos
            && equal_ignoring_case(trim(pair.substr(0, equals)), name))
            return std::string(trim(pair.substr(equals + 1), " \t\"'"));
    }
    return {};
}

/// The URL in a meta refresh's content: "5; url=/next" or "0;URL='next.html'".
std::string_view refresh_target(std::string_view content) {
    const auto separator = content.find_first_of(";,");
    if (separator == std::string_view::npos)
        return {};
    std::string_view target = trim(content.substr(separator + 1));
    if (target.size() > 3 && equal_ignoring_case(target.substr(0, 3), "url")) {
        const std::string_view rest = trim(target.substr(3));
        if (rest.starts_with('='))
            target = trim(rest.substr(1));
    }
    if (target.starts_with('"') || target.starts_with('\''))
        target = target.substr(1, target.find(target[0], 1) - 1);
    return target;
}

/// Takes the start tags, one by one, and keeps the links.
class LinkCollector {
  public:
    explicit LinkCollector(Url base) : base_(std::move(base)) {}

    /// libxml2 calls this for each start tag: `attributes` holds name, value, name,
    /// value, …, null; a value may be null too.
    static void start_element(void* self, const xmlChar* name,
                              const xmlChar** attributes) {
        static_cast<LinkCollector*>(self)->element(text(name), attributes);
    }

    std::vector<Url> links;

  private:
    static std::string_view text(const xmlChar* characters) {
        return characters == nullptr ? "" : reinterpret_cast<const char*>(characters);
    }

    /// The value of an attribute, or null if the tag hasn't got it.
    static const xmlChar* attribute(const xmlChar** attributes, std::string_view wanted) {
        for (; attributes != nullptr && attributes[0] != nullptr; attributes += 2)
            if (text(attributes[0]) == wanted)
                return attributes[1];
        return nullptr;
    }

    void element(std::string_view name, const xmlChar** attributes) {
        if (name == "a" || name == "area") {
            add(attribute(attributes, "href"));
        } else if (name == "frame" || name == "iframe") {
            add(attribute(attributes, "src"));
        } else if (name == "base" && !base_seen_) {
            set_base(attribute(attributes, "href"));
        } else if (name == "meta"
                   && equal_ignoring_case(text(attribute(attributes, "http-equiv")),
                                          "refresh")) {
            const auto target = refresh_target(text(attribute(attributes, "content")));
            if (!target.empty())
                add(target);
        }
    }

    void add(const xmlChar* reference) {
        if (reference != nullptr)
            add(text(reference));
    }

    void add(std::string_view reference) {
        auto url = resolve_url(reference, base_);
        if (url && seen_.insert(*url).second)
            links.push_back(*std::move(url));
    }

    void set_base(const xmlChar* reference) {
        if (reference == nullptr)
            return;
        base_seen_ = true; // the first one counts, even where it is no URL
        if (auto url = resolve_url(text(reference), base_))
            base_ = *std::move(url);
    }

    Url base_;
    bool base_seen_ = false;
    std::unordered_set<Url> seen_;
};

} // namespace

bool may_hold_links(std::string_view content_type, std::string_view body) {
    if (trim(content_type).empty())
        return trim(body).starts_with('<');
    constexpr std::array<std::string_view, 4> types{"text/html", "application/xhtml+xml",
                                                    "application/xml", "text/xml"};
    const std::string_view type = trim(content_type.substr(0, content_type.find(';')));
    return std::ranges::any_of(
        types, [&](std::string_view known) { return equal_ignoring_case(type, known); });
}

std::vector<Url> find_links(std::string_view body, std::string_view content_type,
                            const Url& base) {
    if (!may_hold_links(content_type, body) || body.size() > INT_MAX)
        return {};
    LinkCollector collector(base);
    htmlSAXHandler handler{};
    handler.startElement = &LinkCollector::start_element;

    // With only this one handler set, libxml2 builds no tree and complains to nobody.
    const std::unique_ptr<htmlParserCtxt, decltype(&::htmlFreeParserCtxt)> parser(
        ::htmlCreatePushParserCtxt(&handler, &collector, nullptr, 0, nullptr,
                                   XML_CHAR_ENCODING_NONE),
        &::htmlFreeParserCtxt);
    const std::string charset = parameter(content_type, "charset");
    ::htmlCtxtReadMemory(parser.get(), body.data(), static_cast<int>(body.size()),
                         nullptr, charset.empty() ? nullptr : charset.c_str(),
                         HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING | HTML_PARSE_NONET);
    return std::move(collector.links);
}

} // namespace common
