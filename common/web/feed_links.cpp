#include "common/web/feed_links.h"

#include "common/text/ascii.h"
#include "common/web/html_scanner.h"

#include <algorithm>
#include <array>
#include <optional>

namespace common {
namespace {

constexpr std::string_view atom = "http://www.w3.org/2005/Atom";
constexpr std::string_view media = "http://search.yahoo.com/mrss/";
constexpr std::string_view rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
constexpr std::array<std::string_view, 2> rss_in_rdf{
    "http://purl.org/rss/1.0/", "http://my.netscape.com/rdf/simple/0.9/"};
constexpr std::string_view xml = "http://www.w3.org/XML/1998/namespace";

/// An attribute's value; nothing if it isn't there.
std::optional<std::string> value_of(std::span<const XmlAttribute> attributes,
                                    std::string_view name, std::string_view space = "") {
    const auto found = std::ranges::find_if(attributes, [&](const XmlAttribute& one) {
        return one.name == name && one.space == space;
    });
    if (found == attributes.end())
        return {};
    std::string storage;
    return std::string(trim(decoded(found->raw, storage)));
}

/// What an Atom link with this `rel` is. Nothing: it's for programs only, such as the one
/// that edits the entry.
std::optional<LinkRole> role_of_link(std::string_view rel) {
    constexpr std::array<std::string_view, 12> to_follow{
        "alternate", "related", "via", "next",    "prev",         "previous",
        "first",     "last",    "up",  "replies", "prev-archive", "next-archive"};
    constexpr std::array<std::string_view, 3> to_check{"self", "license", "icon"};
    if (std::ranges::find(to_follow, rel) != to_follow.end())
        return LinkRole::hyperlink;
    if (rel == "enclosure")
        return LinkRole::media;
    if (std::ranges::find(to_check, rel) != to_check.end())
        return LinkRole::relation;
    return {};
}

} // namespace

bool is_feed(std::string_view space, std::string_view root) {
    return root == "rss" || (root == "RDF" && space == rdf)
           || (space == atom && (root == "feed" || root == "entry"));
}

void FeedReader::start(int depth, std::string_view space, std::string_view name,
                       std::span<const XmlAttribute> attributes) {
    if (const auto base = value_of(attributes, "base", xml);
        base && collector_.enter_part(LinkCollector::Part::element, 0)) {
        bases_.push_back(depth);
        collector_.add({.element = LinkElement::base, .href = *base});
    }
    if (space == atom) {
        start_of_atom(depth, name, attributes);
    } else if (space == media) {
        if (const auto url = value_of(attributes, "url"))
            if (name == "content" || name == "thumbnail")
                collector_.add_link(*url, name == "content" ? LinkRole::media
                                                            : LinkRole::image);
    } else if (space_ == rdf ? std::ranges::find(rss_in_rdf, space) != rss_in_rdf.end()
                             : space == space_) {
        start_of_rss(depth, name, attributes);
    }
}

void FeedReader::start_of_rss(int depth, std::string_view name,
                              std::span<const XmlAttribute> attributes) {
    if (name == "image" || name == "textInput" || name == "textinput") {
        container_ = name == "image" ? Container::image : Container::form;
        container_depth_ = depth;
    } else if (name == "link") {
        expect_text(depth,
                    container_ == Container::form ? LinkRole::form : LinkRole::hyperlink);
    } else if (name == "comments") {
        expect_text(depth, LinkRole::hyperlink);
    } else if (name == "guid") {
        if (value_of(attributes, "isPermaLink").value_or("true") == "true") {
            expect_text(depth, LinkRole::hyperlink);
            may_be_no_url_ = true;
        }
    } else if (name == "url" && container_ == Container::image) {
        expect_text(depth, LinkRole::image);
    } else if (name == "enclosure" || name == "source") {
        if (const auto url = value_of(attributes, "url"))
            collector_.add_link(*url, name == "enclosure" ? LinkRole::media
                                                          : LinkRole::relation);
    }
}

void FeedReader::start_of_atom(int depth, std::string_view name,
                               std::span<const XmlAttribute> attributes) {
    if (name == "link") {
        const auto role = role_of_link(value_of(attributes, "rel").value_or("alternate"));
        const auto href = value_of(attributes, "href");
        if (role && href)
            collector_.add_link(*href, *role);
    } else if (name == "content") {
        if (const auto src = value_of(attributes, "src"))
            collector_.add_link(*src, LinkRole::object);
    } else if (name == "icon" || name == "logo") {
        expect_text(depth, LinkRole::image);
    }
}

void FeedReader::expect_text(int depth, LinkRole role) {
    text_depth_ = depth;
    role_ = role;
    may_be_no_url_ = false;
    text_.clear();
}

void FeedReader::take_text(int depth, std::string_view text) {
    if (depth == text_depth_ && text_.size() <= 4 * max_url_length)
        text_ += text;
}

void FeedReader::end(int depth) {
    if (depth == text_depth_) {
        text_depth_ = 0;
        const std::string_view link = trim(text_);
        // Many a guid is just a number, though it doesn't say that it's no link.
        const bool is_url = !may_be_no_url_ || link.starts_with("http://")
                            || link.starts_with("https://");
        if (is_url && !link.empty())
            collector_.add_link(link, role_);
    }
    if (depth == container_depth_) {
        container_depth_ = 0;
        container_ = Container::other;
    }
    if (!bases_.empty() && bases_.back() == depth) {
        bases_.pop_back();
        collector_.leave_part();
    }
}

} // namespace common
