// Do redirects lead in a circle?
//
// A crawl fetches each URL once, so a circle doesn't keep it for ever. But whoever
// follows a link into one gets nowhere. Page 19 of the book.
#pragma once

#include "common/web/url.h"

#include <unordered_map>

namespace stage3 {

/// Why the last hop of a circle is dead, in a record's words.
constexpr const char* redirect_loop = "redirect loop";

class RedirectCircles {
  public:
    /// `from` sends its visitors to `to`. True if that closes a circle: the way that
    /// begins there comes back to `from`. This hop is then not remembered; so of each
    /// circle, it's the hop that is named last that closes it, and no other.
    bool closes(const common::Url& from, const common::Url& to);

  private:
    const common::Url& end_of_way(const common::Url& from);

    /// URLs that lead elsewhere, and one to which their way leads: the next, or a later
    /// one.
    std::unordered_map<common::Url, common::Url> ways_;
};

} // namespace stage3
