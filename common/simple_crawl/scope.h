// Which URLs belong to the crawl?
//
// Without an answer, a crawler that follows every link downloads the whole web. Ours
// keeps to the host that it was started on. "www.example.com" and "example.com" are one
// host here: so many sites mix the two that a crawl would end on its first page
// otherwise.
#pragma once

#include "common/web/url.h"

#include <string>

namespace common {

class Scope {
  public:
    /// The crawl of the site that `root` is on.
    explicit Scope(const Url& root) : site_(without_www(root.host())) {}

    /// True for every http and https URL on the root's host, whatever the port.
    bool contains(const Url& url) const { return without_www(url.host()) == site_; }

  private:
    std::string site_;
};

} // namespace common
