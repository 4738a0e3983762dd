// Links in feeds: RSS 2.0, RSS 1.0 and Atom.
//
// A feed is XML, and lists what is new on a site. Its links are in elements of its own,
// some as their text. Page 27 of the book.
#pragma once

#include "common/web/link_collector.h"
#include "common/web/xml_parser.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace common {

/// True for a document whose root has this namespace and name.
bool is_feed(std::string_view space, std::string_view root);

/// For one feed. `depth` is how deep in others an element is.
/// Source: https://www.rssboard.org/rss-specification, https://web.resource.org/rss/1.0/,
/// RFC 4287.
class FeedReader {
  public:
    /// `space` is the namespace of the feed's root.
    FeedReader(LinkCollector& collector, std::string_view space)
        : collector_(collector), space_(space) {}

    /// At the start tag of an element.
    void start(int depth, std::string_view space, std::string_view name,
               std::span<const XmlAttribute> attributes);
    /// A piece of an element's text.
    void take_text(int depth, std::string_view text);
    /// At the end tag.
    void end(int depth);

  private:
    /// What an element's parent means for it.
    enum class Container : std::uint8_t { other, image, form };

    void start_of_rss(int depth, std::string_view name,
                      std::span<const XmlAttribute> attributes);
    void start_of_atom(int depth, std::string_view name,
                       std::span<const XmlAttribute> attributes);
    void expect_text(int depth, LinkRole role);

    LinkCollector& collector_;
    const std::string space_;
    Container container_ = Container::other;
    int container_depth_ = 0;
    std::vector<int> bases_; // the depths of the elements with an xml:base
    // Of the element whose text is a link; depth 0: it's in none.
    int text_depth_ = 0;
    LinkRole role_ = LinkRole::hyperlink;
    bool may_be_no_url_ = false;
    std::string text_;
};

} // namespace common
