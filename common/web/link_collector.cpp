#include "common/web/link_collector.h"

#include "common/text/ascii.h"
#include "common/web/embedded_urls.h"

#include <algorithm>
#include <array>
#include <functional>
#include <ranges>

namespace common {
namespace {

constexpr std::size_t most_bytes = std::size_t{4} * 1024 * 1024; // of all parts

} // namespace

void LinkCollector::encode_queries_in(std::string_view charset) {
    if (!charset.starts_with("utf-")) // UTF-16 can't be percent-encoded: it's UTF-8, too
        query_encoder_.emplace(charset);
}

void LinkCollector::add(const LinkTag& tag) {
    using Role = LinkRole;
    switch (tag.element) {
    case LinkElement::a:
        add_reference(tag.href, Role::hyperlink);
        add_id(tag.name);
        break;
    case LinkElement::area: add_reference(tag.href, Role::hyperlink); break;
    case LinkElement::frameset: frames_count_ = true; break;
    case LinkElement::frame:
        if (frames_count_)
            add_reference(tag.src, Role::frame);
        break;
    case LinkElement::iframe:
        if (!is_there(tag.srcdoc)) // else that's the document
            add_reference(tag.src, Role::frame);
        break;
    case LinkElement::base: add_base(tag); break;
    case LinkElement::meta: add_meta(tag); break;
    default: add_asset(tag);
    }
    add_id(tag.id);
    if (is_there(tag.style))
        add_css(tag.style);
}

void LinkCollector::add_base(const LinkTag& tag) {
    if (base_seen_ || !is_there(tag.href))
        return;
    base_seen_ = true; // the first one counts, even if it is no URL
    if (!around_.empty())
        base_of_part_ = spelled(tag.href);
    else if (auto url = resolve_url(spelled(tag.href), base_))
        base_ = *std::move(url);
}

void LinkCollector::add_meta(const LinkTag& tag) {
    if (!equal_ignoring_case(tag.http_equiv, "refresh"))
        return;
    if (const auto target = refresh_target(tag.content); !target.empty())
        add_reference(target, around_.empty() ? LinkRole::refresh : LinkRole::frame);
}

void LinkCollector::add_asset(const LinkTag& tag) {
    using Role = LinkRole;
    switch (tag.element) {
    case LinkElement::img:
        add_reference(tag.src, Role::image);
        add_srcset(tag.srcset, Role::image);
        break;
    case LinkElement::source:
        add_reference(tag.src, Role::media);
        add_srcset(tag.srcset, Role::image);
        break;
    case LinkElement::video: add_reference(tag.poster, Role::image); [[fallthrough]];
    case LinkElement::audio:
    case LinkElement::track: add_reference(tag.src, Role::media); break;
    case LinkElement::script: add_reference(tag.src, Role::script); break;
    case LinkElement::embed: add_reference(tag.src, Role::object); break;
    case LinkElement::object: add_reference(tag.data, Role::object); break;
    case LinkElement::input: add_reference(tag.src, Role::image); [[fallthrough]];
    case LinkElement::button:
    case LinkElement::form: add_form(tag); break;
    case LinkElement::link: add_relation(tag); break;
    case LinkElement::style: add_css(tag.text); break;
    default:
        if (is_of_svg(tag.element))
            add_svg(tag);
        else if (limits_.assets && tag.element == LinkElement::other)
            add_reference(tag.background, Role::image);
    }
}

/// A form, or one of its buttons, which may send it elsewhere, or otherwise.
void LinkCollector::add_form(const LinkTag& tag) {
    const bool is_form = tag.element == LinkElement::form;
    bool gets = is_form || form_gets_;
    if (is_there(tag.method))
        gets = equal_ignoring_case(tag.method, "get");
    if (is_form)
        form_gets_ = gets;
    if (gets)
        add_reference(tag.action, LinkRole::form);
}

void LinkCollector::add_svg(const LinkTag& tag) {
    using Role = LinkRole;
    const std::string_view href = is_there(tag.href) ? tag.href : tag.xlink_href;
    if (tag.element == LinkElement::svg_a)
        add_reference(href, Role::hyperlink);
    if (!limits_.assets)
        return;
    if (is_there(tag.presentation))
        add_css(tag.presentation);
    if (tag.element == LinkElement::svg_style)
        add_css(tag.text);
    if (trim(href).starts_with('#'))
        return; // an element of the same document, whatever its base is
    switch (tag.element) {
    case LinkElement::svg_image: add_reference(href, Role::image); break;
    case LinkElement::svg_script: add_reference(href, Role::script); break;
    case LinkElement::svg_use: add_reference(href, Role::use); break;
    default: break;
    }
}

/// A link element. Those that only prepare a connection, or are names, are no links.
void LinkCollector::add_relation(const LinkTag& tag) {
    constexpr std::array known{
        "alternate", "apple-touch-icon", "apple-touch-icon-precomposed",
        "author",    "canonical",        "help",
        "icon",      "license",          "manifest",
        "mask-icon", "modulepreload",    "next",
        "prefetch",  "preload",          "prev",
        "search"};
    bool is_style = false;
    bool is_known = false;
    for (std::string_view rest = trim(tag.rel); !rest.empty(); rest = trim(rest)) {
        const auto end = std::min(rest.find_first_of(" \t\r\n\f"), rest.size());
        const std::string_view word = rest.substr(0, end);
        rest.remove_prefix(end);
        is_style = is_style || equal_ignoring_case(word, "stylesheet");
        is_known = is_known || std::ranges::any_of(known, [&](const char* name) {
                       return equal_ignoring_case(word, name);
                   });
    }
    if (!is_style && !is_known)
        return;
    add_reference(tag.href, is_style ? LinkRole::style_sheet : LinkRole::relation);
    add_srcset(tag.imagesrcset, LinkRole::image);
}

void LinkCollector::add_srcset(std::string_view srcset, LinkRole role) {
    if (is_there(srcset))
        find_srcset_urls(srcset, [&](std::string_view url) { add_reference(url, role); });
}

void LinkCollector::add_css(std::string_view css) {
    if (limits_.assets && css.size() > 5) // else it has no url()
        find_css_urls(css, [this, css](std::string_view url, bool is_import) {
            const std::less_equal<> not_after;
            const bool is_in_css = not_after(css.data(), url.data())
                                   && not_after(url.data(), css.data() + css.size());
            const std::string_view written = is_in_css ? url : css;
            // CSS has no encoding to hand to the URL parser, whatever the page has.
            std::string utf8;
            if (query_encoder_)
                url = utf8 = query_encoder_->in_utf8(url);
            add_reference(url, is_import ? LinkRole::style_sheet : LinkRole::css,
                          written);
        });
}

void LinkCollector::add_link(std::string_view reference, LinkRole role) {
    if (limits_.assets || leads_on(role))
        add_reference(reference, role);
}

void LinkCollector::add_id(std::string_view id) {
    if (!limits_.ids || id.empty() || !around_.empty())
        return;
    if (ids_.size() < limits_.ids_of_page)
        ids_.insert(id);
    else
        has_more_ids_ = has_more_ids_ || !ids_.contains(hash_of_id(id));
}

void LinkCollector::add_reference(std::string_view reference, LinkRole role) {
    add_reference(reference, role, reference);
}

/// `written` is a text in the page, which says where the reference is.
void LinkCollector::add_reference(std::string_view reference, LinkRole role,
                                  std::string_view written) {
    if (!is_there(reference) || (reference.empty() && !leads_on(role)))
        return; // (an empty src is no reference)
    if (!around_.empty() && trim(reference).starts_with('#'))
        return; // into the part itself
    if (limits_.places > 0)
        references_.places.push_back(places_.place_of(written));
    references_.text += spelled(reference);
    references_.list.push_back({references_.text.size(), role});
}

/// A reference that means the same, whatever the page's character set is. Fragments and
/// blanks may be long, but a URL may not: no more of it is kept than it takes to see that
/// it is too long.
std::string_view LinkCollector::spelled(std::string_view reference) {
    constexpr std::size_t longest = 4 * max_url_length;
    reference = reference.substr(0, longest);
    if (!query_encoder_)
        return reference;
    return (is_in_document() ? query_encoder_->in_utf8(reference)
                             : query_encoder_->in_charset(reference))
        .substr(0, longest);
}

/// In a part that is a document of its own.
bool LinkCollector::is_in_document() const {
    return std::ranges::any_of(
        around_, [](const Around& one) { return one.part == Part::document; });
}

bool LinkCollector::enter_part(Part part, std::size_t size) {
    constexpr std::ptrdiff_t deepest = 4; // documents in each other
    if (part == Part::document
        && std::ranges::count(around_, Part::document, &Around::part) >= deepest)
        return false;
    if (size > most_bytes - bytes_of_parts_)
        return false;
    bytes_of_parts_ += size;
    around_.push_back({.references = references_.list.size(),
                       .apart = apart_.size(),
                       .base_seen = std::exchange(base_seen_, false),
                       .frames_count = std::exchange(frames_count_, false),
                       .form_gets = std::exchange(form_gets_, true),
                       .base_of_part = std::exchange(base_of_part_, {}),
                       .part = part});
    return true;
}

/// A part with a base of its own is kept with that, and with the URL that it makes. There
/// may be very many parts, and bases may be long.
bool LinkCollector::has_room_for_part(const Around& around) {
    const std::size_t parts = 1 + apart_.size() - around.apart;
    const std::size_t bytes =
        parts * (sizeof(Apart) + 2 * base_of_part_.size() + page_.href().size());
    if (bytes > most_bytes - std::min(most_bytes, bytes_of_parts_))
        return false;
    bytes_of_parts_ += bytes;
    return true;
}

/// Most parts have no base of their own: then their references stay with those around.
/// Those of a part for which there is no room are left out.
void LinkCollector::leave_part() {
    Around around = std::move(around_.back());
    around_.pop_back();
    const bool has_some = references_.list.size() > around.references;
    const bool matters = has_some || apart_.size() > around.apart;
    if (!base_of_part_.empty() && matters) {
        References references = take_references_from(around.references);
        const bool has_room = has_room_for_part(around);
        if (!has_room) {
            left_out_ += references.list.size();
            for (std::size_t i = around.apart; i < apart_.size(); ++i)
                left_out_ += apart_[i].references.list.size();
            apart_.resize(around.apart);
        }
        for (std::size_t i = around.apart; i < apart_.size(); ++i)
            apart_[i].bases.push_back(base_of_part_);
        if (has_room && has_some)
            apart_.push_back({.bases = {std::move(base_of_part_)},
                              .references = std::move(references)});
    }
    base_seen_ = around.base_seen;
    frames_count_ = around.frames_count;
    form_gets_ = around.form_gets;
    base_of_part_ = std::move(around.base_of_part);
}

References LinkCollector::take_references_from(std::size_t first) {
    const std::size_t begin = first == 0 ? 0 : references_.list[first - 1].end;
    const auto from = references_.list.begin() + static_cast<std::ptrdiff_t>(first);
    References taken{.text = references_.text.substr(begin),
                     .list = {from, references_.list.end()}};
    if (!references_.places.empty()) {
        const auto place =
            references_.places.begin() + static_cast<std::ptrdiff_t>(first);
        taken.places = {place, references_.places.end()};
        references_.places.resize(first);
    }
    for (References::One& one : taken.list)
        one.end -= begin;
    references_.text.resize(begin);
    references_.list.resize(first);
    return taken;
}

Url LinkCollector::base_of(const Apart& apart) const {
    Url base = base_;
    for (const std::string& href : std::ranges::reverse_view(apart.bases))
        if (auto url = resolve_url(href, base))
            base = *std::move(url);
    return base;
}

Links LinkCollector::links() {
    while (!around_.empty()) // the page ends within it
        leave_part();
    std::vector<ReferencesFrom> parts;
    parts.push_back({references_, base_});
    for (const Apart& apart : apart_)
        parts.push_back({apart.references, base_of(apart)});
    Links result = sort_references(parts, page_, limits_, std::move(ids_), places_);
    result.has_more_ids = has_more_ids_;
    result.left_out += left_out_;
    return result;
}

} // namespace common
