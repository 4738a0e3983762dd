// Where a URL that an earlier visit has answered waits: for pages nearer to a root.
//
// It needs no request, so it would overtake pages that do. With a limit on depth, what it
// leads to would then seem deeper than it is, and might be left out.
#pragma once

#include "stage3_queue_crawler/crawler/queued_item.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

namespace stage3 {

class DepthLine {
  public:
    /// `let_in` is called with each item when its turn comes: at once, unless
    /// `depth_matters`.
    DepthLine(bool depth_matters, std::function<void(QueuedItem)> let_in)
        : depth_matters_(depth_matters), let_in_(std::move(let_in)) {}

    /// There is one more page to read at this depth.
    void begin_page(std::uint32_t depth) {
        if (depth_matters_)
            ++pages_[depth];
    }
    /// It has been read, or never will be.
    void end_page(std::uint32_t depth) {
        if (!depth_matters_)
            return;
        const auto level = pages_.find(depth);
        if (--level->second == 0) {
            pages_.erase(level);
            let_some_in();
        }
    }

    /// Lets an item in, unless it's a page, and there are pages to read above it.
    void enter(QueuedItem item) {
        if (depth_matters_ && item.purpose == Purpose::follow
            && pages_.begin()->first < item.depth)
            line_[item.depth].push_back(std::move(item));
        else
            let_in_(std::move(item));
    }

    /// Takes out all that are waiting.
    std::vector<QueuedItem> take_all() {
        std::vector<QueuedItem> all;
        for (auto& [depth, items] : std::exchange(line_, {}))
            for (QueuedItem& item : items)
                all.push_back(std::move(item));
        return all;
    }

  private:
    void let_some_in() {
        while (!line_.empty()
               && (pages_.empty() || line_.begin()->first <= pages_.begin()->first)) {
            auto next = line_.extract(line_.begin());
            for (QueuedItem& item : next.mapped())
                let_in_(std::move(item));
        }
    }

    const bool depth_matters_;
    const std::function<void(QueuedItem)> let_in_;
    std::map<std::uint32_t, std::size_t> pages_; // to read, by depth
    std::map<std::uint32_t, std::vector<QueuedItem>> line_;
};

} // namespace stage3
