#include "common/web/links.h"

#include "common/text/ascii.h"
#include "common/web/charset.h"
#include "common/web/embedded_urls.h"
#include "common/web/html_scanner.h"
#include "common/web/xml_parser.h"

#include <libxml/parser.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <memory_resource>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace common {
namespace {

/// Sorts references, as they are written, by what they lead to. Most pages refer to the
/// same URLs again and again, and resolving a URL takes longer than finding its text in a
/// table.
class LinkSorter {
  public:
    /// All but `ids` must outlive it. `ids` are those of the page.
    LinkSorter(const Url& page, const Url& base, const LinkLimits& limits, IdSet ids)
        : page_(page), base_(base), limits_(limits) {
        result_.ids = std::move(ids);
    }

    /// `reference` must outlive it, too.
    void add(std::string_view reference, LinkRole role) {
        const auto hash = std::min(reference.find('#'), reference.size());
        // With the '#': blanks count in front of it, and at an end they don't.
        const auto known = written_.find(reference.substr(0, hash + 1));
        Target* target = known == written_.end() ? nullptr : known->second;
        if (target == nullptr || !target->is_listed(role)) {
            target = list(reference, role);
            if (target != nullptr && written_.size() < limits_.links)
                written_.emplace(reference.substr(0, hash + 1), target);
        }
        if (limits_.ids && target != nullptr && role == LinkRole::hyperlink)
            note_fragment(reference.substr(hash), *target);
    }

    /// To be called once, at the end.
    Links links() { return std::move(result_); }

  private:
    static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

    /// A URL that is among the results.
    struct Target {
        Url url;
        bool is_wanted;
        bool is_link = false;      // in Links::urls
        bool is_other = false;     // in Links::others
        std::uint32_t page = none; // in LinkFragments::pages

        bool is_listed(LinkRole role) const {
            return is_link || (is_other && !(is_wanted && leads_on(role)));
        }
    };

    /// Puts it among the results, unless it's there already. Null: it doesn't belong
    /// there, or there is no more room.
    Target* list(std::string_view reference, LinkRole role) {
        auto url = resolve_url(reference, base_);
        if (!url) {
            ++(is_wanted_but_too_long(reference) ? result_.too_long : result_.unreadable);
            return nullptr;
        }
        const auto known = targets_.find(url->href());
        Target* target = known == targets_.end() ? nullptr : &known->second;
        if (target != nullptr && target->is_listed(role))
            return target;
        const bool is_wanted =
            target != nullptr ? target->is_wanted : limits_.wanted(*url);
        if (!is_wanted && role == LinkRole::refresh)
            result_.refreshes_to = url;
        if (!is_wanted && (!limits_.foreign || !limits_.foreign(*url)))
            return nullptr;
        if (result_.urls.size() + result_.others.size() >= limits_.links
            || bytes_ + url->href().size() > limits_.bytes) {
            leave_out(left_out_, result_.left_out, *url);
            return target;
        }
        bytes_ += url->href().size();
        if (target == nullptr)
            target =
                &targets_.try_emplace(url->href(), Target{*url, is_wanted}).first->second;
        if (is_wanted && leads_on(role)) {
            result_.urls.push_back(*std::move(url));
            target->is_link = true;
        } else {
            result_.others.push_back({*std::move(url), role, is_wanted});
            target->is_other = true;
        }
        return target;
    }

    /// Counts it once. But if there are very many, it doesn't remember all of them.
    static void leave_out(std::unordered_set<std::size_t>& known, std::size_t& count,
                          const Url& url, std::size_t place = 0) {
        constexpr std::size_t most_known = 50'000;
        const std::size_t hash = std::hash<Url>()(url) ^ place;
        if (known.size() < most_known ? known.insert(hash).second : !known.contains(hash))
            ++count;
    }

    /// `hash` begins with the '#', if there is one.
    void note_fragment(std::string_view hash, Target& target) {
        const auto text = fragment_to_find(hash, storage_);
        LinkFragments& fragments = result_.fragments;
        if (!text || text->size() > longest_fragment)
            return;
        const Fragment fragment(*text);
        if (target.url == page_ && is_indicated(fragment, result_.ids))
            return;
        if (!has_room_for(fragment, target))
            return;
        if (target.page == none) {
            target.page = static_cast<std::uint32_t>(fragments.pages.size());
            fragments.pages.push_back(target.url);
        }
        fragments.add(target.page, fragment);
        if (!known_places_.empty())
            known_places_.insert(number_of(target.page, fragment.hash));
    }

    /// False if the links have pointed there before, or there are too many places. Only a
    /// page that seems to have too many is worth a table: until then, places may repeat.
    bool has_room_for(const Fragment& fragment, const Target& target) {
        auto& places = result_.fragments.places;
        if (places.size() >= limits_.fragments && known_places_.empty())
            std::erase_if(places, [this](const LinkFragments::Place& place) {
                return !known_places_.insert(number_of(place.page, place.hash)).second;
            });
        const bool is_known =
            target.page != none
            && known_places_.contains(number_of(target.page, fragment.hash));
        const bool has_room = places.size() < limits_.fragments;
        if (!has_room && !is_known)
            leave_out(places_left_out_, result_.places_left_out, target.url,
                      fragment.hash);
        return has_room && !is_known;
    }

    static std::uint64_t number_of(std::uint32_t page, std::uint32_t hash) {
        return (std::uint64_t{page} << 32U) | hash;
    }

    /// Its beginning shows where it leads, which may be out of scope, and whether it is a
    /// link at all.
    bool is_wanted_but_too_long(std::string_view reference) const {
        if (reference.size() + base_.href().size() <= max_url_length)
            return false;
        const auto beginning =
            resolve_url(reference.substr(0, max_url_length / 4), base_);
        return beginning && limits_.wanted(*beginning);
    }

    static constexpr std::size_t longest_fragment = 1024; // nobody's id is longer

    const Url& page_;
    const Url& base_;
    const LinkLimits& limits_;
    Links result_;
    std::size_t bytes_ = 0; // of the URLs in it
    // Hashes, of which few pages have any.
    std::unordered_set<std::size_t> left_out_;        // of URLs
    std::unordered_set<std::size_t> places_left_out_; // of URLs with their fragments
    std::unordered_set<std::uint64_t> known_places_;  // once there are too many
    std::string storage_;
    // Many small pieces that live equally long.
    std::pmr::monotonic_buffer_resource memory_;
    std::pmr::unordered_map<std::string_view, Target> targets_{&memory_}; // by URL
    std::pmr::unordered_map<std::string_view, Target*> written_{&memory_};
};

/// Collects references as they come. Where they lead is known only at the end, because
/// the base may come after them.
class LinkCollector {
  public:
    LinkCollector(Url page, LinkLimits limits)
        : page_(std::move(page)), limits_(std::move(limits)) {}

    LookFor look_for() const { return {.assets = limits_.assets, .ids = limits_.ids}; }

    /// Takes attributes with their character references resolved.
    void add(const LinkTag& tag) {
        using Role = LinkRole;
        switch (tag.element) {
        case LinkElement::a:
            add_reference(tag.href, Role::hyperlink);
            add_id(tag.name);
            break;
        case LinkElement::area: add_reference(tag.href, Role::hyperlink); break;
        case LinkElement::frame:
        case LinkElement::iframe: add_reference(tag.src, Role::frame); break;
        case LinkElement::base:
            if (!base_seen_ && is_there(tag.href)) {
                base_seen_ = true; // the first one counts, even if it is no URL
                if (auto url = resolve_url(tag.href, base_))
                    base_ = *std::move(url);
            }
            break;
        case LinkElement::meta:
            if (equal_ignoring_case(tag.http_equiv, "refresh")) {
                const auto target = refresh_target(tag.content);
                if (!target.empty())
                    add_reference(target, Role::refresh);
            }
            break;
        default: add_asset(tag);
        }
        add_id(tag.id);
        if (is_there(tag.style))
            add_css(tag.style);
    }

    /// Takes a style sheet, or a part of one.
    void add_css(std::string_view css) {
        if (limits_.assets && css.size() > 5) // else it has no url()
            find_css_urls(css, [this](std::string_view url, bool is_import) {
                add_reference(url, is_import ? LinkRole::style_sheet : LinkRole::css);
            });
    }

    Links links() {
        LinkSorter sorter(page_, base_, limits_, std::move(ids_));
        std::size_t begin = 0;
        for (const auto [end, role] : references_) {
            sorter.add(std::string_view(text_).substr(begin, end - begin), role);
            begin = end;
        }
        Links result = sorter.links();
        result.has_more_ids = has_more_ids_;
        return result;
    }

  private:
    struct Reference {
        std::size_t end; // in `text_`
        LinkRole role;
    };

    void add_asset(const LinkTag& tag) {
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
        case LinkElement::input: add_reference(tag.src, Role::image); break;
        case LinkElement::form:
            if (!is_there(tag.method) || equal_ignoring_case(tag.method, "get"))
                add_reference(tag.action, Role::form);
            break;
        case LinkElement::link: add_relation(tag); break;
        case LinkElement::style: add_css(tag.text); break;
        default: break;
        }
    }

    /// A link element. Those that only prepare a connection, or are names, are no links.
    void add_relation(const LinkTag& tag) {
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

    void add_srcset(std::string_view srcset, LinkRole role) {
        if (is_there(srcset))
            find_srcset_urls(srcset,
                             [&](std::string_view url) { add_reference(url, role); });
    }

    void add_id(std::string_view id) {
        if (!limits_.ids || id.empty())
            return;
        if (ids_.size() < limits_.ids_of_page)
            ids_.insert(id);
        else
            has_more_ids_ = has_more_ids_ || !ids_.contains(hash_of_id(id));
    }

    void add_reference(std::string_view reference, LinkRole role) {
        if (!is_there(reference) || (reference.empty() && !leads_on(role)))
            return; // (an empty src is no reference)
        // Fragments and blanks may be long, but a URL may not: no more of it is kept than
        // it takes to see that it is too long.
        text_ += reference.substr(0, 4 * max_url_length);
        references_.push_back({text_.size(), role});
    }

    const Url page_;
    Url base_ = page_;
    const LinkLimits limits_;
    bool base_seen_ = false;
    std::string text_; // of all references, one after the other
    std::vector<Reference> references_;
    IdSet ids_;
    bool has_more_ids_ = false;
};

// ---- HTML
// -------------------------------------------------------------------------------

/// Those of any element come first, then those of the elements up to `meta`.
constexpr std::size_t values_of_others = 2;
constexpr std::size_t values_of_links = 7;
constexpr std::array values_of_tags{
    &LinkTag::id,   &LinkTag::style,       &LinkTag::href,    &LinkTag::src,
    &LinkTag::name, &LinkTag::http_equiv,  &LinkTag::content, &LinkTag::action,
    &LinkTag::data, &LinkTag::imagesrcset, &LinkTag::method,  &LinkTag::poster,
    &LinkTag::rel,  &LinkTag::srcset};

std::size_t count_values(LinkElement element) {
    if (element == LinkElement::other)
        return values_of_others;
    return element <= LinkElement::meta ? values_of_links : values_of_tags.size();
}

void collect_from_html(std::string_view page, LinkCollector& collector) {
    HtmlScanner scanner(page, collector.look_for());
    LinkTag tag;
    std::array<std::string, values_of_tags.size()> storage;
    while (scanner.next(tag)) {
        const std::size_t values = count_values(tag.element);
        for (std::size_t i = 0; i < values; ++i)
            if (is_there(tag.*values_of_tags.at(i)))
                tag.*values_of_tags.at(i) =
                    decoded(tag.*values_of_tags.at(i), storage.at(i));
        collector.add(tag);
    }
}

// ---- XML
// --------------------------------------------------------------------------------

/// What libxml2 hands back to the functions below.
struct XmlReader {
    LinkCollector& collector;
    xmlParserCtxt* parser = nullptr;
    int declared_attributes = 0;
};

/// libxml2 calls this for each start tag. An attribute takes five places: name, prefix,
/// namespace, and where its value begins and ends.
void start_element(void* reader, const xmlChar* name, const xmlChar* /*prefix*/,
                   const xmlChar* /*uri*/, int /*namespaces*/,
                   const xmlChar** /*namespace_list*/, int attributes, int /*defaulted*/,
                   const xmlChar** list) {
    const auto text = [](const xmlChar* begin) {
        return reinterpret_cast<const char*>(begin);
    };
    LinkCollector& collector = static_cast<XmlReader*>(reader)->collector;
    const auto [assets, ids] = collector.look_for();
    const std::string_view element_name = text(name); // in XML, case makes a difference
    std::optional<LinkElement> element;
    if (std::ranges::equal(element_name, element_name, {}, to_lower))
        element = link_element(element_name, assets);
    if (!element && !assets && !ids)
        return;
    LinkTag tag;
    tag.element = element.value_or(LinkElement::other);
    std::deque<std::string> values; // none moves
    for (int i = 0; i < attributes; ++i) {
        const xmlChar** const attribute = list + static_cast<std::ptrdiff_t>(5) * i;
        if (attribute[1] != nullptr)
            continue; // xlink:href and its like
        const std::string_view key = text(attribute[0]);
        const std::string_view raw(text(attribute[3]),
                                   static_cast<std::size_t>(attribute[4] - attribute[3]));
        if (std::string_view* const place = tag.place_of(key);
            place != nullptr && std::ranges::equal(key, key, {}, to_lower))
            *place = decoded(raw, values.emplace_back()); // libxml2 leaves "&#38;" to us
    }
    collector.add(tag);
}

/// libxml2 calls this when a document refers to further declarations. Up to 2.9 it reads
/// no further, but 2.15 does, so we stop here, and both find the same links.
xmlEntity* get_parameter_entity(void* reader, const xmlChar* /*name*/) {
    ::xmlStopParser(static_cast<XmlReader*>(reader)->parser);
    return nullptr;
}

/// libxml2 calls this when a document says which attributes an element may have. Each tag
/// then gets those that have a default, which a few thousand lines turn into hours.
void declare_attribute(void* reader, const xmlChar* /*element*/, const xmlChar* /*name*/,
                       int /*type*/, int /*default*/, const xmlChar* /*value*/,
                       xmlEnumeration* values) {
    constexpr int most = 100;
    ::xmlFreeEnumeration(values);
    if (++static_cast<XmlReader*>(reader)->declared_attributes > most)
        ::xmlStopParser(static_cast<XmlReader*>(reader)->parser);
}

/// Passes a document on in parts, up to a tag with more attributes than any has: for
/// those, libxml2 needs time that grows with the square of their number.
void parse_in_parts(std::string_view document, XmlParser& parser) {
    constexpr std::size_t longest_part = std::size_t{16} * 1024;
    constexpr std::size_t most_attributes = 2000;
    std::size_t attributes = 0; // of a tag whose end isn't there yet
    do {
        const std::string_view part = document.substr(0, longest_part);
        document.remove_prefix(part.size());
        parser.take(part, document.empty());
        const std::string_view unread = parser.unread();
        if (unread.size() < part.size() || unread.starts_with("<!--"))
            attributes = 0;
        else
            attributes += static_cast<std::size_t>(std::ranges::count(part, '='));
    } while (!document.empty() && attributes <= most_attributes);
}

/// Reads XML up to its first error. Entities that the document defines are not replaced,
/// because a few lines of them can unfold to gigabytes.
void collect_from_xml(std::string_view document, LinkCollector& collector) {
    xmlSAXHandler handler{};
    handler.initialized = XML_SAX2_MAGIC;
    handler.startElementNs = &start_element;
    handler.getParameterEntity = &get_parameter_entity;
    handler.attributeDecl = &declare_attribute;
    XmlReader reader{collector};
    XmlParser parser(handler, &reader);
    reader.parser = parser.get();
    parse_in_parts(document, parser);
}

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
    constexpr std::array<std::string_view, 4> types{"text/html", "application/xhtml+xml",
                                                    "application/xml", "text/xml"};
    return std::ranges::any_of(types, [&](std::string_view known) {
        return equal_ignoring_case(media_type(content_type), known);
    });
}

bool is_style_sheet(std::string_view content_type) {
    return equal_ignoring_case(media_type(content_type), "text/css");
}

std::string_view name_of(LinkRole role) {
    constexpr std::array names{"a",      "frame", "refresh", "stylesheet",
                               "css",    "form",  "img",     "media",
                               "object", "link",  "script",  "sitemap"};
    return names.at(static_cast<std::size_t>(role));
}

Links find_links(std::string_view body, std::string_view content_type, const Url& base,
                 const LinkLimits& limits) {
    const bool is_css = limits.assets && is_style_sheet(content_type);
    if (!(is_css || may_hold_links(content_type, body)) || body.size() > INT_MAX / 4)
        return {};
    LinkCollector collector(base, limits);
    const std::string_view type = media_type(content_type);
    if (is_css) {
        collector.add_css(body);
    } else if (type.empty() || equal_ignoring_case(type, "text/html")) {
        std::string storage;
        collect_from_html(to_utf8(body, content_type, storage), collector);
    } else {
        collect_from_xml(body, collector); // XML says itself which encoding it has
    }
    return collector.links();
}

} // namespace common
