// What do the tags of a page say about links?
//
// The readers of HTML and XML hand over tags, and this keeps what they refer to, and in
// which role. Where that leads is known only at the end, because the page's base may come
// after it: then `links` says. Page 27 of the book.
#pragma once

#include "common/web/fragments.h"
#include "common/web/html_scanner.h"
#include "common/web/link_sorter.h"
#include "common/web/links.h"
#include "common/web/query_encoder.h"
#include "common/web/reference_places.h"
#include "common/web/url.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace common {

/// For one page.
class LinkCollector {
  public:
    /// `page` is where the page was fetched from.
    LinkCollector(Url page, LinkLimits limits)
        : page_(std::move(page)), limits_(std::move(limits)), places_(limits_.places) {
        references_.text.reserve(1000); // so that it seldom moves as it grows
        references_.list.reserve(50);
    }

    /// The page's character set, which counts for the queries of its links. To be called
    /// first, if at all.
    void encode_queries_in(std::string_view charset);
    /// What the reader of the page should hand over.
    LookFor look_for() const {
        return {.assets = limits_.assets,
                .ids = limits_.ids && around_.empty(),
                .places = limits_.places > 0};
    }
    /// Takes a tag. Its attributes' character references are resolved.
    void add(const LinkTag& tag);
    /// Takes a style sheet, or a part of one.
    void add_css(std::string_view css);

    /// Takes a reference that isn't an attribute of a tag. It counts only if it's asked
    /// for.
    void add_link(std::string_view reference, LinkRole role);

    /// What a part is, besides that it may have a base of its own.
    enum class Part : std::uint8_t {
        document, ///< in UTF-8, whatever the page is written in
        element,
    };
    /// A part begins: what is added from here on belongs to that, up to `leave_part`.
    /// False if it must not be read, since the page has too much of that.
    bool enter_part(Part part, std::size_t size);
    void leave_part();
    bool is_in_part() const { return !around_.empty(); }

    /// To be told where the tags are, if that's wanted.
    ReferencePlaces& places() { return places_; }

    /// To be called once, at the end.
    Links links();

  private:
    void add_base(const LinkTag& tag);
    void add_meta(const LinkTag& tag);
    void add_form(const LinkTag& tag);
    void add_asset(const LinkTag& tag);
    void add_svg(const LinkTag& tag);
    void add_relation(const LinkTag& tag);
    void add_srcset(std::string_view srcset, LinkRole role);
    void add_id(std::string_view id);
    void add_reference(std::string_view reference, LinkRole role);
    void add_reference(std::string_view reference, LinkRole role,
                       std::string_view written);
    std::string_view spelled(std::string_view reference);

    /// What a part interrupts.
    struct Around {
        std::size_t references; // so many were there before the part
        std::size_t apart;
        bool base_seen;
        bool frames_count;
        bool form_gets;
        std::string base_of_part;
        Part part;
    };
    /// References that aren't resolved against the page's base.
    struct Apart {
        std::vector<std::string> bases; // each is relative to the next, or to the page's
        References references;
    };

    References take_references_from(std::size_t first);
    bool has_room_for_part(const Around& around);
    bool is_in_document() const;
    Url base_of(const Apart& apart) const;

    const Url page_;
    Url base_ = page_;
    const LinkLimits limits_;
    ReferencePlaces places_;
    bool base_seen_ = false;
    std::optional<QueryEncoder> query_encoder_; // nearly all pages need none
    bool form_gets_ = true;                     // the last form sends GET
    bool frames_count_ = false; // where a frame is in no frameset, HTML has none
    References references_;
    std::vector<Around> around_; // the innermost part last
    std::string base_of_part_;   // empty: it has none
    std::vector<Apart> apart_;
    std::size_t bytes_of_parts_ = 0;
    std::size_t left_out_ = 0; // references, since there was no room for their parts
    IdSet ids_;
    bool has_more_ids_ = false;
};

} // namespace common
