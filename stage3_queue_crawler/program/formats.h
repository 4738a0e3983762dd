// What the results look like: a report at the end, or a line for each record as it comes.
//
// Each format is an object that is told what happens, and returns the text to be written
// then. It writes nothing itself, so it needs neither a loop nor a file.
#pragma once

#include "common/web/url.h"
#include "stage3_queue_crawler/crawler/known_urls.h"
#include "stage3_queue_crawler/crawler/left_out.h"
#include "stage3_queue_crawler/crawler/record.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace stage3 {

enum class FormatName : std::uint8_t { text, jsonl, csv, dot, none };

/// What there is to say about a whole crawl.
struct Summary {
    const KnownUrls& urls;
    std::vector<LeftOut> left_out; ///< links that were not followed
    std::chrono::duration<double> time;
    bool is_unchecked = false; ///< certificates were not checked (--insecure)
};

class Format {
  public:
    Format() = default;
    Format(const Format&) = delete;
    Format& operator=(const Format&) = delete;
    virtual ~Format() = default;

    /// Before the first record.
    virtual std::string begin() { return {}; }
    /// A fetch has ended.
    virtual std::string record(const Record& /*record*/) { return {}; }
    /// A page has been read: these are its links.
    virtual std::string links(const common::Url& /*page*/,
                              const std::vector<common::Url>& /*links*/) {
        return {};
    }
    /// After the last record.
    virtual std::string end(const Summary& /*summary*/) { return {}; }
};

struct ReportOptions {
    std::size_t top = 10;   ///< how many of the most common links a report lists
    bool redirects = false; ///< whether to list the redirects to mend, in text and jsonl
};

std::unique_ptr<Format> make_format(FormatName name, const ReportOptions& options = {});

} // namespace stage3
