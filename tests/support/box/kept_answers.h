// What a state file keeps, in memory: answers from before the crawler's process died.
#pragma once

#include "stage3_queue_crawler/crawler/answers.h"
#include "stage3_queue_crawler/crawler/item.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace tests::box {

class KeptAnswers final : public stage3::Answers {
  public:
    bool will_do(const common::Url& url, stage3::Purpose purpose) const override {
        const auto found = answers_.find(std::string(url.href()));
        return is_continued_ && found != answers_.end() && found->second.serves(purpose);
    }
    stage3::Coroutine<std::optional<stage3::PageResponse>>
    find(common::Url url, stage3::Purpose purpose) override {
        if (!will_do(url, purpose))
            co_return std::nullopt;
        // It's needed once, as in a state file.
        const Kept kept = std::move(answers_.extract(std::string(url.href())).mapped());
        stage3::PageResponse response = kept.response;
        response.kept = std::make_shared<stage3::KeptParts>(kept.parts);
        co_return std::move(response);
    }
    /// A failure is no answer: perhaps our own network was down.
    void keep(const stage3::Item& item, const stage3::PageResponse& response,
              bool /*is_alive*/, const common::Links* links) override {
        if (!response.error.empty())
            return;
        Kept kept;
        kept.purpose = item.purpose;
        kept.response.status = response.status;
        kept.response.content_type = response.content_type;
        kept.response.location = response.location;
        kept.response.retry_after = response.retry_after;
        kept.response.bytes = response.bytes;
        kept.parts.source = stage3::KeptParts::Source::this_crawl;
        kept.parts.tries = item.tries;
        if (links != nullptr)
            kept.response.links = std::make_shared<common::Links>(*links);
        answers_.insert_or_assign(std::string(item.url.href()), std::move(kept));
    }
    /// Another process has the file now.
    void continue_crawl() { is_continued_ = true; }

  private:
    struct Kept {
        /// Is it enough for that?
        bool serves(stage3::Purpose wanted) const {
            if (wanted == stage3::Purpose::follow)
                return purpose == wanted;
            return is_check(wanted) || !is_check(purpose);
        }

        stage3::Purpose purpose = stage3::Purpose::follow;
        stage3::PageResponse response;
        stage3::KeptParts parts;
    };
    std::map<std::string, Kept> answers_; // by URL
    bool is_continued_ = false;
};

} // namespace tests::box
