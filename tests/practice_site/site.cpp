#include "tests/practice_site/site.h"

#include "common/text/ascii.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <stdexcept>
#include <utility>

namespace practice_site {
namespace {

constexpr std::array<std::string_view, 40> words{
    "amber",  "anchor",  "bridge", "candle",  "cedar",  "chalk",   "cliff",   "clover",
    "copper", "coral",   "ember",  "feather", "fern",   "garden",  "granite", "harbour",
    "hazel",  "heron",   "island", "juniper", "kettle", "lantern", "linen",   "maple",
    "meadow", "mirror",  "needle", "orchard", "pebble", "quarry",  "quiet",   "raven",
    "river",  "saffron", "silver", "thistle", "timber", "velvet",  "willow",  "winter"};

// Every twentieth page has moved once, every hundredth twice.
bool has_moved(std::size_t page) { return page % 20 == 7; }
bool has_moved_twice(std::size_t page) { return page % 100 == 7; }

std::string page_path(std::size_t page) {
    return page == 0 ? "/" : fmt::format("/p/{}", page);
}

std::string old_path(std::size_t page) { return fmt::format("/old/{}", page); }

/// The first address that the page ever had.
std::string oldest_path(std::size_t page) {
    if (has_moved_twice(page))
        return fmt::format("/older/{}", page);
    return has_moved(page) ? old_path(page) : page_path(page);
}

/// "/p/17" after "/p/" is 17. There is only one spelling: "/p/017" doesn't exist.
std::optional<std::size_t> number_after(std::string_view prefix, std::string_view path) {
    if (!path.starts_with(prefix))
        return std::nullopt;
    path.remove_prefix(prefix.size());
    std::size_t number = 0;
    const char* const end = path.data() + path.size();
    // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): `end` is its size
    const auto result = std::from_chars(path.data(), end, number);
    if (result.ec != std::errc{} || result.ptr != end || path.front() == '0')
        return std::nullopt;
    return number;
}

/// A path as a link on a page, relative to that page.
std::string relative(std::size_t page, std::string_view path) {
    if (page == 0)
        return "./" + std::string(path.substr(1));
    return path.starts_with("/p/") ? std::string(path.substr(3))
                                   : ".." + std::string(path);
}

std::string_view any_word(std::mt19937_64& random) {
    return words[random() % words.size()];
}

/// Appends exactly `length` bytes of words, in paragraphs.
void append_words(std::string& text, std::size_t length, std::mt19937_64& random) {
    const std::size_t end = text.size() + length;
    for (std::size_t count = 1; text.size() < end; ++count) {
        text += any_word(random);
        const bool paragraph = count % 80 == 0 && end - std::min(text.size(), end) > 100;
        const std::string_view pause = count % 12 == 0 ? ".\n" : " ";
        text += paragraph ? ".</p>\n<p>" : pause;
    }
    text.resize(end); // this may cut the last word short, but never a tag
}

} // namespace

Site::Site(const SiteOptions& options)
    : options_(options),
      children_(options.links == 1 ? 1 : std::max<std::size_t>(2, options.links / 2)),
      missing_pages_(std::max<std::size_t>(1, options.pages * 3 / 100)) {
    if (options.pages < 1 || options.links < 1)
        throw std::invalid_argument("a site has at least one page and one link a page");
}

Site::Place Site::find(std::string_view path) const {
    if (path == "/")
        return {Kind::page, 0};
    if (const auto page = number_after("/p/", path); page && *page < options_.pages)
        return {Kind::page, *page};
    if (const auto page = number_after("/old/", path);
        page && *page < options_.pages && has_moved(*page))
        return {Kind::old, *page};
    if (const auto page = number_after("/older/", path);
        page && *page < options_.pages && has_moved_twice(*page))
        return {Kind::older, *page};
    return {};
}

Site::Random Site::random_for(std::size_t page) const {
    return Random(options_.seed * 1'000'003 + page);
}

Site::Link Site::random_link(std::size_t page, std::string_view origin,
                             Random& random) const {
    const auto roll = random() % 100;
    if (roll < 3)
        return {"", "mailto:nobody@example.com", "Write to nobody"};
    if (roll < 6)
        return {"", "#words", "Down to the words"};
    Link link;
    if (roll < 10) {
        link.path = fmt::format("/missing/{}", random() % missing_pages_);
        link.text = "A page that is gone";
    } else {
        const std::size_t to = random() % options_.pages;
        link.path = random() % 2 == 0 ? oldest_path(to) : page_path(to);
        link.text = fmt::format("Page {}", to);
    }
    switch (random() % 5) { // five ways to say the same
    case 0: link.href = relative(page, link.path); break;
    case 1: link.href = std::string(origin) + link.path; break;
    case 2: link.href = link.path + "#words"; break;
    default: link.href = link.path;
    }
    return link;
}

std::vector<Site::Link> Site::links(std::size_t page, std::string_view origin,
                                    Random& random) const {
    std::vector<Link> links;
    const std::size_t first = page * children_ + 1;
    for (std::size_t child = first; child < std::min(first + children_, options_.pages);
         ++child) {
        const std::string path = oldest_path(child);
        links.push_back({path, child % 3 == 0 ? relative(page, path) : path,
                         fmt::format("Page {}", child)});
    }
    while (links.size() < options_.links) {
        if (!links.empty() && random() % 16 == 0)
            links.emplace_back(links[random() % links.size()]); // said twice
        else
            links.push_back(random_link(page, origin, random));
    }
    return links;
}

std::string Site::page_text(std::size_t page, std::string_view origin) const {
    constexpr std::string_view end = "</p>\n</body>\n</html>\n";
    Random random = random_for(page);
    const auto page_links = links(page, origin, random);
    const std::string_view adjective = any_word(random);
    const std::string_view noun = any_word(random);
    std::string text;
    text.reserve(options_.size);
    text += fmt::format("<!doctype html>\n<html lang=\"en\">\n<head>\n"
                        "<meta charset=\"utf-8\">\n<title>Page {0}: {1} {2}</title>\n"
                        "</head>\n<body>\n<h1>Page {0}: {1} {2}</h1>\n"
                        "<p>One of {3} pages for crawlers to practise on.</p>\n<ul>\n",
                        page, adjective, noun, options_.pages);
    for (const Link& link : page_links)
        text += fmt::format("<li><a href=\"{}\">{}</a></li>\n", link.href, link.text);
    text += "</ul>\n<p id=\"words\">";
    if (text.size() + end.size() < options_.size)
        append_words(text, options_.size - text.size() - end.size(), random);
    text += end;
    return text;
}

Answer Site::answer(const Request& request) const {
    const Place place = find(request.target);
    const auto redirect = [&](const std::string& location) {
        constexpr std::array<int, 5> statuses{301, 302, 303, 307, 308};
        return Answer{statuses[place.number / 20 % statuses.size()],
                      "text/html; charset=utf-8",
                      {},
                      location};
    };
    switch (place.kind) {
    case Kind::page:
        return {
            200, "text/html; charset=utf-8", page_text(place.number, request.origin), {}};
    case Kind::old:
        return redirect(std::string(request.origin) + page_path(place.number));
    case Kind::older: return redirect(old_path(place.number));
    case Kind::missing: break;
    }
    return plain_answer(404);
}

std::vector<std::string> Site::visit(std::string_view path, std::string_view origin,
                                     Manifest& found) const {
    const auto [kind, number] = find(path);
    const std::string url = std::string(origin) + std::string(path);
    std::vector<std::string> leads_to;
    if (kind == Kind::page) {
        found.pages.insert(url);
        Random random = random_for(number);
        for (Link& link : links(number, origin, random))
            if (!link.path.empty())
                leads_to.push_back(std::move(link.path));
    } else if (kind == Kind::missing) {
        found.dead.insert(url);
    } else {
        leads_to.push_back(kind == Kind::older ? old_path(number) : page_path(number));
        found.redirects[url] = std::string(origin) + leads_to.front();
    }
    return leads_to;
}

Manifest Site::manifest(std::string_view origin) const {
    Manifest found;
    std::set<std::string> seen{"/"};
    std::vector<std::string> level{"/"}; // all that is exactly `depth` steps away
    for (std::size_t depth = 0; !level.empty(); ++depth) {
        found.depth = depth;
        std::vector<std::string> next;
        for (const std::string& path : level)
            for (std::string& target : visit(path, origin, found))
                if (seen.insert(target).second)
                    next.push_back(std::move(target));
        level = std::move(next);
    }
    return found;
}

std::string to_text(const Manifest& manifest) {
    std::string text;
    for (const std::string& url : manifest.dead)
        text += fmt::format("dead\t{}\n", url);
    for (const std::string& url : manifest.pages)
        text += fmt::format("page\t{}\n", url);
    for (const auto& [url, target] : manifest.redirects)
        text += fmt::format("redirect\t{}\t{}\n", url, target);
    return text + "end\n";
}

} // namespace practice_site
