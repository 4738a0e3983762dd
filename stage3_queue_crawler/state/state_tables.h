// What a state file holds: the answers, and the crawl that they belong to.
//
// This is the only code that knows the tables. All of it may wait for a disk, so except
// for the constructor it belongs to the file's own thread (state_file.cpp). Page 34 of
// the book.
#pragma once

#include "common/web/url.h"
#include "stage3_queue_crawler/crawler/page_response.h"
#include "stage3_queue_crawler/crawler/purpose.h"
#include "stage3_queue_crawler/state/database.h"
#include "stage3_queue_crawler/state/state_file.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace stage3 {

/// An answer, as it is written.
struct Row {
    explicit Row(common::Url u) : url(std::move(u)) {}

    common::Url url;
    Purpose purpose = Purpose::follow;
    PageResponse response = {}; ///< with its `kept`, but neither body nor links
    std::optional<std::string> links = {}; ///< as bytes
    bool is_alive = false;
    enum class Kind : std::uint8_t { answer, same_answer, failure };
    Kind kind = Kind::answer;
};

/// What is known of an answer without its text.
struct RowInShort {
    std::int64_t crawl;
    std::int64_t asked_at;
    bool was_read; ///< and not only checked, or searched for its ids
    bool has_ids;  ///< it was searched for them, or read
    int status;
    bool is_alive;
    bool has_validator;
};

/// Unix time.
std::int64_t unix_time();

class StateTables {
  public:
    /// Opens the file, or makes it, and begins a crawl or goes on with one. Throws
    /// StateError and DatabaseError.
    explicit StateTables(const StateOptions& options);

    /// Calls `function` with each URL, and a RowInShort.
    void
    for_each(const std::function<void(const common::Url&, const RowInShort&)>& function);
    /// Nothing if it isn't there, or damaged: so the server is asked again.
    std::optional<PageResponse> find(const common::Url& url);
    /// All of them, or none.
    void write(const std::vector<Row>& rows);
    /// If it's over, the pages in `ask_again` are asked about in the next crawl.
    void end(bool is_over, const std::vector<common::Url>& ask_again);

    /// The crawl's number: 1 for the first one in this file.
    std::int64_t crawl() const { return crawl_; }
    /// When it was begun, if this one continues it.
    std::optional<std::int64_t> interrupted() const { return interrupted_; }
    /// When the one before it was begun; 0: never.
    std::int64_t last_begun() const { return last_begun_; }

  private:
    void make_ours();
    void begin(const StateOptions& options);
    void write(const Row& row);
    void write_again(const Row& row);
    void make_old(const common::Url& url) { expire_.bind(0, url.href()).run(); }

    Database database_;
    std::int64_t crawl_ = 0;
    std::int64_t last_begun_ = 0;
    std::optional<std::int64_t> interrupted_;
    Statement get_;
    Statement put_;
    Statement renew_;
    Statement expire_;
};

} // namespace stage3
