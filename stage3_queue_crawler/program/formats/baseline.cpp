#include "stage3_queue_crawler/program/formats/baseline.h"

#include "common/text/byte_set.h"
#include "common/text/entries.h"
#include "common/web/fragments.h"
#include "common/web/malformed_url.h"
#include "common/web/percent_encoding.h"
#include "stage3_queue_crawler/crawler/url_name.h"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace stage3 {
namespace {

std::string with_fragment(std::string_view url, std::string_view fragment) {
    constexpr common::ByteSet unprintable = common::percent_encode_set(" ");
    std::string name;
    common::append_encoded(name, url, unprintable); // a malformed one may have blanks
    if (!fragment.empty())
        name += '#' + common::readable_fragment(fragment);
    return name;
}

/// The entry's URL in normal form.
std::string read_url(const common::Entry& entry) {
    const auto& [line, text] = entry;
    const auto url = common::read_href(href_named(text));
    if (!url)
        throw std::invalid_argument(
            fmt::format("line {}: '{}' is not a URL", line, text));
    const auto hash = text.find('#');
    return with_fragment(name_of(*url), hash == std::string_view::npos
                                            ? std::string_view()
                                            : text.substr(hash + 1));
}

} // namespace

std::string baseline_name(const Record& record) {
    return with_fragment(name_of(record.url), record.fragment);
}

void Baseline::read(std::string_view text) {
    for (const common::Entry& entry : common::entries_of(text))
        names_.emplace(read_url(entry), Now::not_met);
}

void Baseline::read_ignored(std::string_view text) {
    for (const common::Entry& entry : common::entries_of(text)) {
        const auto& [line, what] = entry;
        if (what.starts_with("http://") || what.starts_with("https://")) {
            ignored_.insert(read_url(entry));
            continue;
        }
        try {
            ignored_patterns_.emplace_back(std::string(what));
        } catch (const std::invalid_argument& error) {
            throw std::invalid_argument(
                fmt::format("line {}: '{}' is not an extended regular expression: {}",
                            line, what, error.what()));
        }
    }
}

bool Baseline::is_ignored(const std::string& name) const {
    return ignored_.contains(name)
           || std::ranges::any_of(ignored_patterns_, [&](const Pattern& pattern) {
                  return pattern.is_found_in_url(name);
              });
}

/// A root, or where its redirects have led so far.
bool Baseline::is_of_root(const Record& record) const {
    return !record.parent || after_roots_.contains(record.url.href());
}

/// It's alive. The places on it that are in the baseline are, too, unless we hear more.
void Baseline::note_alive(const Record& record) {
    if (record.outcome == Outcome::redirect && is_of_root(record))
        after_roots_.insert(record.next_url);
    if (names_.empty())
        return;
    const auto note = [](Now& now) { now = now == Now::not_met ? Now::alive : now; };
    if (const auto page = names_.find(name_of(record.url)); page != names_.end())
        note(page->second);
    const std::string places = std::string(name_of(record.url)) + '#';
    for (auto at = names_.lower_bound(places);
         at != names_.end() && at->first.starts_with(places); ++at)
        note(at->second);
}

/// It may be a place on a page that has come before, and is alive.
void Baseline::note_unclear(const std::string& name) {
    if (const auto known = names_.find(name); known != names_.end())
        known->second = Now::not_met;
}

// [standing]
Standing Baseline::standing_of(const Record& record) {
    const bool is_bad = is_dead(record.outcome);
    const bool is_unclear = record.outcome == Outcome::unclear;
    if (!is_bad && !is_unclear) {
        if (record.outcome != Outcome::disallowed)
            note_alive(record);
        return Standing::counts;
    }
    is_root_dead_ =
        is_root_dead_ || (is_bad && is_of_root(record) && record.fragment.empty());
    std::string name = baseline_name(record);
    if (is_bad)
        return standing_of_dead(std::move(name));
    if (!is_ignored(name)) {
        note_unclear(name);
        return Standing::counts;
    }
    ++uncounted_unclear_;
    return Standing::ignored;
}

Standing Baseline::standing_of_dead(std::string name) {
    if (is_ignored(name)) {
        ++uncounted_dead_;
        return Standing::ignored;
    }
    const auto known = names_.find(name);
    dead_.insert(std::move(name));
    if (known == names_.end())
        return Standing::counts;
    known->second = Now::dead;
    ++uncounted_dead_;
    return Standing::known;
}
// [/standing]

Standing Baseline::standing_of_redirect(const common::Url& url) {
    std::string name(name_of(url));
    if (const auto known = names_.find(name); known != names_.end())
        known->second = Now::dead; // its record looked alive
    return standing_of_dead(std::move(name));
}

std::vector<std::string> Baseline::revived(bool fragments_were_checked) const {
    std::vector<std::string> urls;
    for (const auto& [url, now] : names_)
        if (now == Now::alive
            && (fragments_were_checked || url.find('#') == std::string::npos))
            urls.push_back(url);
    return urls;
}

std::string Baseline::write() const {
    std::string text = "# Known dead URLs, for stage3 --baseline.\n";
    for (const std::string& url : dead_)
        text += url + '\n';
    return text;
}

} // namespace stage3
