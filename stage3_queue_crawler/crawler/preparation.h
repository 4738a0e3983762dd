// What has to be known before the first page is read: how far the scope reaches, and
// what sitemaps list in it.
//
// Most crawls need neither. Those that do ask for a few URLs first, as politely as for
// pages. Page 18b of the book.
#pragma once

#include "common/web/url.h"
#include "stage3_queue_crawler/crawler/crawl_tools.h"
#include "stage3_queue_crawler/crawler/left_out.h"
#include "stage3_queue_crawler/crawler/sitemaps.h"
#include "stage3_queue_crawler/runtime/task/coroutine.h"
#include "stage3_queue_crawler/runtime/task/wait.h"

#include <vector>

namespace stage3 {

class Preparation {
  public:
    /// What it works with must outlive it.
    explicit Preparation(const CrawlTools& tools) : tools_(tools), sitemaps_(tools) {}

    /// Finds out what has to be known; call it once. Returns how much of the crawl's time
    /// limit is left. Throws Timeout, and what `PageFetch::after` throws.
    Coroutine<TimeLimit> run(std::vector<common::Url> roots);

    /// What sitemaps list; null if none were to be read.
    const std::vector<ListedUrl>* listed() const {
        return reads_sitemaps() ? &sitemaps_.listed() : nullptr;
    }
    /// See Sitemaps.
    bool has_read_all_sitemaps() const { return sitemaps_.has_read_all(); }
    /// What sitemaps list beyond a limit, and sitemaps that can't be read.
    const std::vector<LeftOut>& left_out() const { return sitemaps_.left_out(); }

  private:
    bool reads_sitemaps() const { return !tools_.settings.sitemaps.is_none(); }
    Coroutine<> find_out(std::vector<common::Url> roots);

    const CrawlTools tools_;
    Sitemaps sitemaps_;
};

} // namespace stage3
