#include "stage3_queue_crawler/program/coverage.h"

#include "common/text/counted.h"
#include "common/web/http_response.h"
#include "common/web/links.h"
#include "stage3_queue_crawler/crawler/url_name.h"
#include "stage3_queue_crawler/program/formats/escape.h"

#include <fmt/core.h>

#include <algorithm>

namespace stage3 {
namespace {

/// A page that only leads away, by a meta refresh.
bool is_way_out(Outcome outcome, const std::string& next_url) {
    return outcome == Outcome::page && !next_url.empty();
}

/// It's alive, and there was nothing to search it for.
bool is_without_links(const Record& record) {
    return record.outcome == Outcome::file || is_way_out(record.outcome, record.next_url);
}

/// A root whose redirects lead out of the crawl.
std::string describe_target(const common::Url& root, const std::string& target,
                            const Scope* scope) {
    const auto url = common::parse_url(target);
    const std::string text = fmt::format("{} redirects to {}, which is ", name_of(root),
                                         for_terminal(name_of_url(target)));
    if (!url)
        return text + "no web page: give the URL of one";
    if (scope != nullptr && scope->excludes(*url))
        return text + "excluded (see --exclude)";
    if (scope != nullptr && !scope->is_foreign(*url))
        return text + "not included (see --include)";
    return fmt::format("{}out of scope: crawl {} instead", text, name_of(*url));
}

} // namespace

/// A page that was searched, or the news that something is dead, is what users want. A
/// file was at least named by a list. (Which roots come from a list is known at the end;
/// until then, one of those that have no links must be, if there are too many.)
bool Coverage::is_result(const Record& record) const {
    if (is_dead(record.outcome))
        return true;
    if (!is_without_links(record))
        return record.outcome == Outcome::page;
    return record.role == common::LinkRole::sitemap
           || (!record.parent && roots_without_links_ == searched_);
}

bool Coverage::has_checked_with(const Record& record) {
    has_checked_ = is_result(record);
    if (has_checked_)
        seen_.clear();
    else
        keep(record);
    return has_checked_;
}

void Coverage::keep(const Record& record) {
    if (!record.parent && is_without_links(record))
        ++roots_without_links_;
    if (!first_)
        first_ = record.url;
    seen_.emplace(record.url, Seen{.outcome = record.outcome,
                                   .status = record.status,
                                   .next_url = record.next_url,
                                   .error = record.error,
                                   .content_type = record.content_type});
}

const Coverage::Seen* Coverage::find(const common::Url& url) const {
    const auto found = seen_.find(url);
    return found == seen_.end() ? nullptr : &found->second;
}

/// Through redirects, to the last URL that was fetched.
std::vector<const common::Url*> Coverage::way_from(const common::Url& root) const {
    std::vector<const common::Url*> way;
    for (auto here = seen_.find(root);
         here != seen_.end() && way.size() <= seen_.size();) {
        way.push_back(&here->first);
        const auto next = common::parse_url(here->second.next_url);
        here = next ? seen_.find(*next) : seen_.end();
    }
    return way;
}

/// A file that doesn't come from a root that was to be searched: a picture of a style
/// sheet, or what a URL in a list redirects to; or a root that is only in a list.
bool Coverage::is_anything_alive(const Roots& roots) const {
    std::set<common::Url> in_vain;
    for (const common::Url& root : roots.searched)
        for (const common::Url* const url : way_from(root))
            in_vain.insert(*url);
    const auto is_listed = [&](const common::Url& url) {
        const Seen* const seen = find(url);
        return seen != nullptr && !roots.searched.contains(url)
               && (seen->outcome == Outcome::file
                   || is_way_out(seen->outcome, seen->next_url));
    };
    return std::ranges::any_of(roots.all, is_listed)
           || std::ranges::any_of(seen_, [&](const auto& one) {
                  return one.second.outcome == Outcome::file
                         && !in_vain.contains(one.first);
              });
}

std::string Coverage::why_nothing(const Roots& roots, const Scope* scope) const {
    if (has_checked_ || is_anything_alive(roots))
        return {};
    const common::Url* first = first_ ? &*first_ : nullptr;
    if (!roots.all.empty())
        first = &roots.all.front();
    if (first == nullptr)
        return "there are no results";
    std::string why = describe(*first, scope);
    const std::set<common::Url> different(roots.all.begin(), roots.all.end());
    if (different.size() < 2)
        return why;
    return fmt::format("{} ({} came to nothing, too)", why,
                       common::counted(different.size() - 1, "other URL"));
}

/// What became of a root, and what its user could type instead.
std::string Coverage::describe(const common::Url& root, const Scope* scope) const {
    const std::vector<const common::Url*> way = way_from(root);
    if (way.empty())
        return fmt::format("{} is excluded (see --exclude)", name_of(root));
    const Seen& last = *find(*way.back());
    if (last.outcome == Outcome::redirect || is_way_out(last.outcome, last.next_url))
        return describe_target(root, last.next_url, scope);
    if (way.size() > 1 && scope != nullptr && !scope->contains(*way.back()))
        return describe_target(root, std::string(way.back()->href()), scope);
    const std::string what = way.size() == 1
                                 ? std::string(name_of(root))
                                 : fmt::format("{} redirects to {}, which", name_of(root),
                                               name_of(*way.back()));
    if (last.outcome == Outcome::disallowed)
        return fmt::format("{} is forbidden ({}): if the site is yours, --no-robots "
                           "ignores its robots.txt",
                           what, for_terminal(last.error));
    if (last.outcome == Outcome::unclear)
        return fmt::format("{} is unclear ({})", what, for_terminal(last.error));
    constexpr int no_content = 204;
    if (last.status == no_content || !common::is_success(last.status))
        return fmt::format("{} answers with status {}, and no page to search for links",
                           what, last.status);
    const std::string type = for_terminal(last.content_type);
    return fmt::format(
        "{} is {}, and such files aren't searched for links: give the URL of "
        "a page, or, to check just this one, a list (--urls-from)",
        what, type.empty() ? "of no known type" : type);
}

} // namespace stage3
