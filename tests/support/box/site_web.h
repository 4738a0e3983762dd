// The servers of a Site.
#pragma once

#include "tests/support/box/site.h"
#include "tests/support/box/web.h"

#include <cstddef>
#include <map>
#include <string>

namespace tests::box {

class SiteWeb final : public Web {
  public:
    /// `site` must outlive it.
    explicit SiteWeb(const Site& site) : site_(site) {}
    Reply answer(const Request& request) override;

  private:
    /// A bucket that fills up with tokens, of which each request takes one.
    struct Bucket {
        double tokens = 0;
        Time filled{};
    };
    bool takes_token(const std::string& name, const RateLimit& limit);
    Reply reply_of(const Request& request, const Resource& one);
    std::string body_of(const Request& request, const Resource& one) const;

    const Site& site_;
    std::map<std::string, Bucket> buckets_;    // by host
    std::map<std::string, std::size_t> asked_; // by URL
};

} // namespace tests::box
