#include "stage3_queue_crawler/state/state_tables.h"

#include "stage3_queue_crawler/crawler/answers.h"
#include "stage3_queue_crawler/runtime/loop/at_exit.h"
#include "stage3_queue_crawler/state/link_bytes.h"

#include <fmt/core.h>

#include <chrono>
#include <memory>
#include <sstream>
#include <string_view>

namespace stage3 {
namespace {

constexpr int our_mark = 0x41577443; // "AWtC", so that no other program's file is taken
constexpr int format = 1;            // of the tables, and of what is in them
constexpr std::int64_t most_crawls = 10; // in which an answer may go unused

// Only what begins a row is read at the start: a page's links come last.
constexpr const char* tables = R"(
    CREATE TABLE crawl (number INTEGER, settings TEXT, begun INTEGER, is_over INTEGER);
    CREATE TABLE answers (
        url TEXT NOT NULL PRIMARY KEY, crawl INTEGER, asked_at INTEGER, purpose INTEGER,
        status INTEGER, is_alive INTEGER, etag TEXT, last_modified TEXT,
        may_be_private INTEGER, retry_after INTEGER, content_type TEXT, location TEXT,
        bytes INTEGER, tries INTEGER, links BLOB);
    INSERT INTO crawl VALUES (0, '', 0, 1);
)";
constexpr std::string_view put = R"(
    REPLACE INTO answers VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
)";
// What remains the same isn't written again.
constexpr std::string_view renew = R"(
    UPDATE answers SET crawl = ?, asked_at = ?, etag = ?, last_modified = ?,
        may_be_private = ? WHERE url = ?
)";
constexpr std::string_view get = R"(
    SELECT status, etag, last_modified, may_be_private, retry_after, content_type,
        location, bytes, tries, asked_at, links
    FROM answers WHERE url = ?
)";
// It must be asked about again, however young it is.
constexpr std::string_view expire = "UPDATE answers SET asked_at = 0 WHERE url = ?";
constexpr std::string_view get_all = R"(
    SELECT url, crawl, asked_at, purpose, status, is_alive,
        etag <> '' OR last_modified <> ''
    FROM answers
)";

/// The lines of `text` that `other` lacks, in one line.
std::string lines_missing_in(const std::string& other, const std::string& text) {
    std::string result;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        if (('\n' + other + '\n').find('\n' + line + '\n') == std::string::npos)
            result += (result.empty() ? "" : ", ") + line;
    constexpr std::size_t longest = 200;
    if (result.size() > longest)
        result = result.substr(0, longest) + "...";
    return result.empty() ? "nothing more" : result;
}

} // namespace

std::int64_t unix_time() {
    return std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
}

StateTables::StateTables(const StateOptions& options)
    // SQLite takes ":memory:" and "file:x" for something else.
    : database_(options.file.starts_with('/') ? options.file : "./" + options.file) {
    database_.run("PRAGMA trusted_schema = OFF"); // it may come from somebody else
    // The lock is the file's owner's until the end, or until the process is gone.
    database_.run("PRAGMA locking_mode = EXCLUSIVE");
    make_ours();
    // A transaction is appended to a second file, FILE-wal, and carried over later. If
    // the machine loses power, all since then may be lost, but never half of one.
    database_.run("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
    begin(options);
    get_ = database_.prepare(get);
    put_ = database_.prepare(put);
    renew_ = database_.prepare(renew);
    expire_ = database_.prepare(expire);
}

void StateTables::make_ours() {
    Transaction transaction(database_);
    const std::int64_t mark = database_.number("PRAGMA application_id");
    const bool is_new =
        mark == 0 && database_.number("SELECT count(*) FROM sqlite_master") == 0;
    if (!is_new && mark != our_mark)
        throw StateError("this file belongs to another program");
    if (!is_new && database_.number("PRAGMA user_version") != format)
        throw StateError("another version of stage3 has written this file: finish the "
                         "crawl with that one, or name another file");
    if (is_new) {
        database_.run(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}",
                                  our_mark, format));
        database_.run(tables);
    }
    transaction.commit();
}

/// Goes on with the last crawl, or begins the next one.
void StateTables::begin(const StateOptions& options) {
    Transaction transaction(database_);
    bool is_over = true;
    std::string settings;
    {
        Statement read =
            database_.prepare("SELECT number, settings, begun, is_over FROM crawl");
        read.step();
        crawl_ = read.number(0);
        settings = read.text(1);
        last_begun_ = read.number(2);
        is_over = read.number(3) != 0;
    }
    if (crawl_ > 0 && settings != options.settings)
        throw StateError(fmt::format(
            "it holds a crawl with other options (then: {}; now: {}): give the same "
            "options, or name another file",
            lines_missing_in(options.settings, settings),
            lines_missing_in(settings, options.settings)));
    if (is_over)
        ++crawl_;
    else
        interrupted_ = last_begun_;
    database_.prepare("UPDATE crawl SET number = ?, settings = ?, begun = ?, is_over = 0")
        .bind(0, crawl_)
        .bind(1, options.settings)
        .bind(2, interrupted_ ? *interrupted_ : unix_time())
        .run();
    transaction.commit();
}

std::optional<PageResponse> StateTables::find(const common::Url& url) {
    const AtExit ready([this] { get_.reset(); });
    get_.bind(0, url.href());
    if (!get_.step())
        return {};
    PageResponse response;
    response.kept = std::make_shared<KeptParts>();
    KeptParts& kept = *response.kept;
    response.status = static_cast<int>(get_.number(0));
    kept.etag = get_.text(1);
    kept.last_modified = get_.text(2);
    kept.may_be_private = get_.number(3) != 0;
    response.retry_after = std::chrono::seconds(get_.number(4));
    response.content_type = get_.text(5);
    response.location = get_.text(6);
    response.bytes = static_cast<std::size_t>(get_.number(7));
    kept.tries = static_cast<int>(get_.number(8));
    kept.asked_at = get_.number(9);
    const bool has_links = !get_.is_null(10);
    if (has_links)
        if (auto links = read_links(get_.text(10), url))
            response.links = std::make_shared<common::Links>(std::move(*links));
    constexpr std::int64_t most = 999;
    const bool is_good = get_.number(0) >= 0 && get_.number(0) <= most
                         && get_.number(7) >= 0
                         && has_links == (response.links != nullptr);
    return is_good ? std::optional(std::move(response)) : std::nullopt;
}

void StateTables::write(const std::vector<Row>& rows) {
    Transaction transaction(database_);
    for (const Row& row : rows) {
        if (row.kind == Row::Kind::answer)
            write(row);
        else if (row.kind == Row::Kind::same_answer)
            write_again(row);
        else
            make_old(row.url);
    }
    transaction.commit();
}

void StateTables::write(const Row& row) {
    const PageResponse& response = row.response;
    const KeptParts& kept = *response.kept;
    put_.bind(0, row.url.href()).bind(1, crawl_).bind(2, kept.asked_at);
    put_.bind(3, static_cast<std::int64_t>(row.purpose)).bind(4, response.status);
    put_.bind(5, row.is_alive ? 1 : 0).bind(6, kept.etag).bind(7, kept.last_modified);
    put_.bind(8, kept.may_be_private ? 1 : 0).bind(9, response.retry_after.count());
    put_.bind(10, response.content_type).bind(11, response.location);
    put_.bind(12, static_cast<std::int64_t>(response.bytes)).bind(13, kept.tries);
    if (row.links)
        put_.bind_bytes(14, *row.links);
    else
        put_.bind_null(14);
    put_.run();
}

void StateTables::write_again(const Row& row) {
    const KeptParts& kept = *row.response.kept;
    renew_.bind(0, crawl_).bind(1, kept.asked_at);
    renew_.bind(2, kept.etag).bind(3, kept.last_modified);
    renew_.bind(4, kept.may_be_private ? 1 : 0).bind(5, row.url.href()).run();
}

void StateTables::end(bool is_over, const std::vector<common::Url>& ask_again) {
    Transaction transaction(database_);
    if (is_over) {
        for (const common::Url& url : ask_again)
            make_old(url);
        database_.run("UPDATE crawl SET is_over = 1");
        database_.prepare("DELETE FROM answers WHERE crawl < ?")
            .bind(0, crawl_ - most_crawls)
            .run();
    }
    transaction.commit();
}

void StateTables::for_each(
    const std::function<void(const common::Url&, const RowInShort&)>& function) {
    Statement read = database_.prepare(get_all);
    const auto is_one = [&read](Purpose purpose) {
        return read.number(3) == static_cast<std::int64_t>(purpose);
    };
    while (read.step()) {
        const auto url = common::parse_url(read.text(0));
        if (!url)
            continue;
        const bool was_read = is_one(Purpose::follow);
        const bool has_ids =
            was_read || is_one(Purpose::search) || is_one(Purpose::search_foreign);
        function(*url, RowInShort{.crawl = read.number(1),
                                  .asked_at = read.number(2),
                                  .was_read = was_read,
                                  .has_ids = has_ids,
                                  .status = static_cast<int>(read.number(4)),
                                  .is_alive = read.number(5) != 0,
                                  .has_validator = read.number(6) != 0});
    }
}

} // namespace stage3
