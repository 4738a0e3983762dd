// What the results look like: a report at the end, or a line for each record as it comes.
//
// Each format is an object that is told what happens, and returns the text to be written
// then. It writes nothing itself, so it needs neither a loop nor a file. formats.h lists
// them all.
#pragma once

#include "common/web/url.h"
#include "stage3_queue_crawler/crawler/host_times.h"
#include "stage3_queue_crawler/crawler/known_urls.h"
#include "stage3_queue_crawler/crawler/left_out.h"
#include "stage3_queue_crawler/crawler/record.h"
#include "stage3_queue_crawler/crawler/sitemap.h"
#include "stage3_queue_crawler/program/formats/report_line.h"
#include "stage3_queue_crawler/program/formats/sources.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace stage3 {

/// What there is to say about a whole crawl.
struct Summary {
    const KnownUrls& urls;
    std::vector<LeftOut> left_out; ///< what was not followed or checked
    std::chrono::duration<double> time;
    bool is_unchecked = false;             ///< certificates were not checked (--insecure)
    std::string root = {};                 ///< where it began; empty: unknown
    std::string cut_short = {};            ///< why it ended early; empty: it didn't
    std::string nothing_checked = {};      ///< why nothing was; empty: something was
    std::vector<std::string> revived = {}; ///< in the baseline, and alive now
    const std::vector<ListedUrl>* listed = nullptr; ///< in sitemaps; null: none read
    bool lacks_sitemaps = false;                    ///< one wasn't read in full
    const CrawlTimes* times = nullptr;              ///< null: no account was kept
};

class Format {
  public:
    Format() = default;
    Format(const Format&) = delete;
    Format& operator=(const Format&) = delete;
    virtual ~Format() = default;

    /// Whether `end` needs the records. They are kept once, for all formats of a run.
    virtual bool keeps_records() const { return false; }

    /// Before the first record.
    virtual std::string begin() { return {}; }
    /// A fetch has ended. The standing says whether a dead URL counts.
    virtual std::string record(const Record& /*record*/, Standing /*standing*/) {
        return {};
    }
    /// A page has been read: these are its links.
    virtual std::string links(const common::Url& /*page*/,
                              const std::vector<common::Url>& /*links*/) {
        return {};
    }
    /// After the last record. `lines` is sorted; empty unless the format keeps records.
    virtual std::string end(const Summary& /*summary*/, const ReportLines& /*lines*/) {
        return {};
    }
};

/// What a text report lists.
enum class Show : std::uint8_t {
    all,   ///< all records, and then what is wrong
    urls,  ///< what is wrong, each URL with its pages
    pages, ///< what is wrong, each page with its links
};
/// The name that `--show` takes.
constexpr std::string_view name_of(Show show) {
    switch (show) {
    case Show::urls: return "urls";
    case Show::pages: return "pages";
    case Show::all: break;
    }
    return "all";
}

struct ReportOptions {
    std::size_t top = 10;   ///< how many of the most common links a report lists
    bool redirects = false; ///< whether to list the redirects to mend, in text and jsonl
    bool redirects_are_dead = false; ///< and these count, in all formats
    bool sitemap = false;            ///< whether to list orphans
    bool places = false;       ///< whether to list where links are written, in jsonl
    bool is_shared = false;    ///< so only some of the mentions are known
    Show show = Show::all;     ///< in text
    bool has_colours = false;  ///< text may have
    std::size_t columns = 0;   ///< of text; 0: no limit
    Sources sources = {};      ///< the files that pages are made of
    std::string settings = {}; ///< the options that the user has typed, in one line
};

} // namespace stage3
