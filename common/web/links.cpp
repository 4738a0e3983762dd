#include "common/web/links.h"

#include "common/text/ascii.h"
#include "common/web/charset.h"
#include "common/web/html_links.h"
#include "common/web/link_collector.h"
#include "common/web/xml_links.h"

#include <algorithm>
#include <array>
#include <climits>
#include <cstddef>
#include <string>

namespace common {
namespace {

std::string_view media_type(std::string_view content_type) {
    return trim(content_type.substr(0, content_type.find(';')));
}

} // namespace

bool may_hold_links(std::string_view content_type, std::string_view body) {
    if (trim(content_type).empty()) {
        constexpr std::string_view mark = "\xef\xbb\xbf"; // UTF-8's byte order mark
        if (body.starts_with(mark))
            body.remove_prefix(mark.size());
        return trim(body).starts_with('<');
    }
    constexpr std::array<std::string_view, 8> types{"text/html",
                                                    "application/xhtml+xml",
                                                    "application/xml",
                                                    "text/xml",
                                                    "image/svg+xml",
                                                    "application/rss+xml",
                                                    "application/atom+xml",
                                                    "application/rdf+xml"};
    return std::ranges::any_of(types, [&](std::string_view known) {
        return equal_ignoring_case(media_type(content_type), known);
    });
}

bool is_style_sheet(std::string_view content_type) {
    return equal_ignoring_case(media_type(content_type), "text/css");
}

std::string_view name_of(LinkRole role) {
    constexpr std::array<std::string_view, link_roles> names{
        "a",     "frame",  "refresh", "stylesheet", "css",     "form", "img",
        "media", "object", "link",    "script",     "sitemap", "use"};
    return names.at(static_cast<std::size_t>(role));
}

Links find_links(std::string_view body, std::string_view content_type, const Url& base,
                 const LinkLimits& limits) {
    const bool is_css = limits.assets && is_style_sheet(content_type);
    if (!(is_css || may_hold_links(content_type, body)) || body.size() > INT_MAX / 4)
        return {};
    std::string storage; // of the page in UTF-8, as long as someone asks for places in it
    LinkCollector collector(base, limits);
    const std::string_view type = media_type(content_type);
    if (is_css) {
        collector.places().are_in(body);
        collector.add_css(body);
    } else if (type.empty() || equal_ignoring_case(type, "text/html")) {
        std::string charset;
        const std::string_view page = to_utf8(body, content_type, storage, &charset);
        collector.encode_queries_in(charset);
        collect_from_html(page, collector);
    } else {
        collector.encode_queries_in(charset_of_xml(body));
        collect_from_xml(body, collector); // XML says itself which encoding it has
    }
    return collector.links();
}

} // namespace common
