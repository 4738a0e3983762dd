// Do redirects lead in a circle?
//
// A crawl fetches each URL once, so a circle can't hold it forever. But a reader who
// follows a link into one gets nowhere. Page 19 of the book.
#pragma once

#include "common/web/url.h"

#include <unordered_map>

namespace stage3 {

/// The error in the record of a circle's last hop, which is dead.
constexpr const char* redirect_loop = "redirect loop";

class RedirectCircles {
  public:
    /// `from` redirects to `to`. True if that closes a circle: the redirects from there
    /// lead back to `from`. This hop is then not remembered, so in each circle only the
    /// hop that was reported last closes it.
    bool closes(const common::Url& from, const common::Url& to);

  private:
    const common::Url& end_of_way(const common::Url& from);

    /// URLs that redirect, each with a URL further along its way: the next one, or a
    /// later one.
    std::unordered_map<common::Url, common::Url> ways_;
};

} // namespace stage3
