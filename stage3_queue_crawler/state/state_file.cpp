#include "stage3_queue_crawler/state/state_file.h"

#include "stage3_queue_crawler/runtime/executor/executor.h"
#include "stage3_queue_crawler/runtime/loop/at_exit.h"
#include "stage3_queue_crawler/runtime/loop/thread_pool.h"
#include "stage3_queue_crawler/runtime/sync/event.h"
#include "stage3_queue_crawler/state/database.h"
#include "stage3_queue_crawler/state/link_bytes.h"

#include <fmt/chrono.h>
#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <exception>
#include <optional>
#include <sstream>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <sqlite3.h>

namespace stage3 {
namespace {

using namespace std::chrono_literals;
using Source = KeptParts::Source;

constexpr int our_mark = 0x41577443; // "AWtC", so that no other program's file is taken
constexpr int format = 1;            // of the tables, and of what is in them
constexpr auto pause = 20ms;         // between two transactions
constexpr std::size_t most_unwritten = std::size_t{16} * 1024 * 1024; // bytes

// Only what begins a row is read at the start: a page's links come last.
constexpr const char* tables = R"(
    CREATE TABLE crawl (number INTEGER, settings TEXT, begun INTEGER, is_over INTEGER);
    CREATE TABLE answers (
        url TEXT NOT NULL UNIQUE, crawl INTEGER NOT NULL, asked_at INTEGER NOT NULL,
        purpose INTEGER NOT NULL, status INTEGER NOT NULL, etag TEXT, last_modified TEXT,
        error TEXT, is_refused INTEGER, may_be_private INTEGER, content_type TEXT, location TEXT, bytes INTEGER,
        tries INTEGER, links BLOB);
    INSERT INTO crawl VALUES (0, '', 0, 1);
)";
constexpr std::string_view put = R"(
    INSERT INTO answers VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (url) DO UPDATE SET crawl = excluded.crawl,
        asked_at = excluded.asked_at, purpose = excluded.purpose,
        status = excluded.status, etag = excluded.etag,
        last_modified = excluded.last_modified, error = excluded.error,
        is_refused = excluded.is_refused,
        may_be_private = excluded.may_be_private, content_type = excluded.content_type,
        location = excluded.location, bytes = excluded.bytes, tries = excluded.tries,
        links = excluded.links
)";

// What remains the same isn't written again.
constexpr std::string_view renew = R"(
    UPDATE answers SET crawl = ?, asked_at = ?, etag = ?, last_modified = ?,
        may_be_private = ? WHERE url = ?
)";

/// A row of the table of answers.
struct Row {
    explicit Row(common::Url u) : url(std::move(u)) {}

    common::Url url;
    Purpose purpose = Purpose::follow;
    PageResponse response;
    std::int64_t asked_at = 0;
    int tries = 0;
    std::optional<std::string> links = {};
    std::string etag = {};
    std::string last_modified = {};
    bool may_be_private = false;
    bool is_there = false; ///< with the same answer
};

std::int64_t now() {
    return std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
}

std::string date(std::int64_t unix_time) {
    return fmt::format("{:%Y-%m-%d %H:%M}",
                       fmt::localtime(static_cast<std::time_t>(unix_time)));
}

/// May this text be sent in a header? It came from a server, and then from a file.
bool is_header_value(std::string_view text) {
    constexpr std::size_t longest = 1000;
    return text.size() <= longest && std::ranges::all_of(text, [](char c) {
               return c == '\t' || (c >= ' ' && c < 0x7f);
           });
}

std::string as_header_value(std::string_view text) {
    return is_header_value(text) ? std::string(text) : std::string();
}

/// The lines of `text` that `other` lacks, in one line.
std::string lines_missing_in(const std::string& other, const std::string& text) {
    std::string result;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        if (('\n' + other + '\n').find('\n' + line + '\n') == std::string::npos)
            result += (result.empty() ? "" : ", ") + line;
    return result.empty() ? "nothing else" : result;
}

[[noreturn]] void explain(const std::string& file, const DatabaseError& error) {
    if (error.code == SQLITE_BUSY)
        throw StateError(fmt::format("{} is in use by another crawl", file));
    if (error.code == SQLITE_CORRUPT)
        throw StateError(fmt::format("{} is damaged ({}): without this file, the crawl "
                                     "begins anew",
                                     file, error.what()));
    throw StateError(fmt::format("{}: {}", file, error.what()));
}

/// What is in the file. All but the constructor belongs to the file's own thread.
class Tables {
  public:
    explicit Tables(const StateOptions& options);

    /// Calls this with each answer's URL, crawl, time, purpose, status, whether it has a
    /// validator, and whether it's whole.
    template <class Function>
    void for_each(Function function);
    std::optional<Row> find(const common::Url& url);
    void write(const std::vector<Row>& rows);
    void end(bool is_over, bool has_all);

    std::int64_t crawl() const { return crawl_; }
    /// When it was begun, if this one goes on with it.
    std::optional<std::int64_t> interrupted() const { return interrupted_; }
    std::int64_t last_begun() const { return last_begun_; }

  private:
    void make_ours();
    void begin(const StateOptions& options);

    Database database_;
    std::int64_t crawl_ = 0;
    std::int64_t last_begun_ = 0;
    std::optional<std::int64_t> interrupted_;
    std::optional<Statement> find_;
    std::optional<Statement> put_;
    std::optional<Statement> renew_;
};

Tables::Tables(const StateOptions& options) : database_(options.file) {
    // The lock is the file's owner's until the end, or until the process is gone.
    database_.run("PRAGMA locking_mode = EXCLUSIVE");
    make_ours();
    // A transaction is appended to a second file, FILE-wal, and carried over later. If
    // the machine loses power, the last ones may be lost, but never half of one.
    database_.run("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
    begin(options);
    find_ =
        database_.prepare("SELECT purpose, status, etag, last_modified, error, "
                          "is_refused, content_type, location, bytes, tries, "
                          "asked_at, links, may_be_private FROM answers WHERE url = ?");
    put_ = database_.prepare(put);
    renew_ = database_.prepare(renew);
}

void Tables::make_ours() {
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
void Tables::begin(const StateOptions& options) {
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
            "it holds a crawl with other options: that one has {}, and this one has {}; "
            "give the same options, or name another file",
            lines_missing_in(options.settings, settings),
            lines_missing_in(settings, options.settings)));
    if (is_over)
        ++crawl_;
    else
        interrupted_ = last_begun_;
    database_.prepare("UPDATE crawl SET number = ?, settings = ?, begun = ?, is_over = 0")
        .bind(0, crawl_)
        .bind(1, options.settings)
        .bind(2, interrupted_ ? *interrupted_ : now())
        .run();
    transaction.commit();
}

template <class Function>
void Tables::for_each(Function function) {
    Statement read = database_.prepare("SELECT url, crawl, asked_at, purpose, status, "
                                       "etag <> '' OR last_modified <> '', "
                                       "error = '' FROM answers");
    while (read.step())
        if (const auto url = common::parse_url(read.text(0)))
            function(*url, read.number(1), read.number(2),
                     static_cast<Purpose>(read.number(3)), read.number(4),
                     read.number(5) != 0, read.number(6) != 0);
}

std::optional<Row> Tables::find(const common::Url& url) {
    Statement& read = *find_;
    const AtExit ready([&read] { read.reset(); });
    read.bind(0, url.href());
    if (!read.step())
        return {};
    Row row(url);
    PageResponse& response = row.response;
    row.purpose = static_cast<Purpose>(read.number(0));
    response.status = static_cast<int>(read.number(1));
    response.error = read.text(4);
    response.is_refused = read.number(5) != 0;
    response.content_type = read.text(6);
    response.location = read.text(7);
    response.bytes = static_cast<std::size_t>(read.number(8));
    response.kept = std::make_shared<KeptParts>();
    response.kept->etag = as_header_value(read.text(2));
    response.kept->last_modified = as_header_value(read.text(3));
    response.kept->tries = static_cast<int>(read.number(9));
    response.kept->asked_at = read.number(10);
    response.kept->may_be_private = read.number(12) != 0;
    if (!read.is_null(11)) {
        response.kept->links = read_links(read.text(11), url);
        if (!response.kept->links)
            return {}; // damaged: so the server is asked again
    }
    return row;
}

void Tables::write(const std::vector<Row>& rows) {
    Transaction transaction(database_);
    for (const Row& row : rows) {
        if (row.is_there) {
            renew_->bind(0, crawl_).bind(1, row.asked_at).bind(2, row.etag);
            renew_->bind(3, row.last_modified).bind(4, row.may_be_private ? 1 : 0);
            renew_->bind(5, row.url.href()).run();
            continue;
        }
        const PageResponse& response = row.response;
        put_->bind(0, row.url.href()).bind(1, crawl_).bind(2, row.asked_at);
        put_->bind(3, static_cast<std::int64_t>(row.purpose)).bind(4, response.status);
        put_->bind(5, row.etag).bind(6, row.last_modified).bind(7, response.error);
        put_->bind(8, response.is_refused ? 1 : 0).bind(9, row.may_be_private ? 1 : 0);
        put_->bind(10, response.content_type).bind(11, response.location);
        put_->bind(12, static_cast<std::int64_t>(response.bytes)).bind(13, row.tries);
        if (row.links)
            put_->bind_bytes(14, *row.links);
        else
            put_->bind_null(14);
        put_->run();
    }
    transaction.commit();
}

void Tables::end(bool is_over, bool has_all) {
    Transaction transaction(database_);
    if (is_over)
        database_.run("UPDATE crawl SET is_over = 1");
    if (has_all)
        database_.prepare("DELETE FROM answers WHERE crawl <> ?").bind(0, crawl_).run();
    transaction.commit();
}

class StateFile final : public State {
  public:
    StateFile(EventLoop& loop, StateOptions options);

    bool will_do(const common::Url& url, Purpose purpose) const override;
    Coroutine<std::optional<PageResponse>> find(common::Url url,
                                                Purpose purpose) override;
    void keep(const common::Url& url, Purpose purpose, int tries,
              const PageResponse& response, const common::Links* links) override;
    std::string greeting() const override;
    Counts counts() const override { return counts_; }
    Coroutine<> until_ready() override;
    Coroutine<> end(bool is_over, bool has_all) override;

  private:
    /// What is known of an answer without reading it.
    struct Known {
        Source source;
        bool was_read; ///< and not only checked
    };

    void write_soon();
    void write();
    void take_result(const Future<>& written);
    void check() const;

    EventLoop& loop_;
    const StateOptions options_;
    Tables tables_;
    std::unordered_map<std::size_t, Known> known_; // by their URL's hash
    std::size_t from_this_crawl_ = 0;
    Counts counts_;
    std::vector<Row> unwritten_;
    std::size_t unwritten_bytes_ = 0;
    std::optional<CancelAtExit> timer_;
    std::optional<CancelAtExit> writing_;
    Event has_room_; // set, unless too much is unwritten
    Event is_idle_;  // set, unless something is unwritten
    std::exception_ptr failure_;
    ThreadPool thread_{1}; // last, since it uses the others until it ends
};

StateFile::StateFile(EventLoop& loop, StateOptions options)
    : loop_(loop), options_(std::move(options)), tables_(options_) {
    has_room_.set();
    is_idle_.set();
    const std::int64_t time = now();
    tables_.for_each([&](const common::Url& url, std::int64_t crawl,
                         std::int64_t asked_at, Purpose purpose, std::int64_t status,
                         bool has_validator, bool is_whole) {
        const bool was_read = purpose == Purpose::follow;
        const bool is_alive = is_whole && status >= 200 && status < 400;
        const std::int64_t age = time - asked_at;
        Known known{.source = Source::old, .was_read = was_read};
        if (crawl == tables_.crawl()) {
            known.source = Source::this_crawl;
            ++from_this_crawl_;
        } else if (is_alive && age >= 0 && age < options_.max_age.count()) {
            known.source = Source::recent;
        } else if (!was_read || !is_whole || status != 200 || !has_validator) {
            return;
        }
        known_.emplace(std::hash<common::Url>()(url), known);
    });
}

std::string StateFile::greeting() const {
    if (const auto begun = tables_.interrupted())
        return fmt::format("{}: going on with the crawl of {}, of which {} URLs are done",
                           options_.file, date(*begun), from_this_crawl_);
    return tables_.crawl() == 1 ? ""
                                : fmt::format("{}: asking what has changed since {}",
                                              options_.file, date(tables_.last_begun()));
}

bool StateFile::will_do(const common::Url& url, Purpose purpose) const {
    const auto found = known_.find(std::hash<common::Url>()(url));
    return found != known_.end() && found->second.source != Source::old
           && (found->second.was_read || purpose != Purpose::follow);
}

Coroutine<std::optional<PageResponse>> StateFile::find(common::Url url, Purpose purpose) {
    const auto found = known_.find(std::hash<common::Url>()(url));
    if (found == known_.end())
        co_return std::nullopt;
    const Known known = found->second;
    if (purpose == Purpose::follow ? !known.was_read : known.source == Source::old)
        co_return std::nullopt;
    known_.erase(found); // it's needed once
    Future<std::optional<Row>> reading =
        run_in_executor(loop_, thread_, [this, url] { return tables_.find(url); });
    std::optional<Row> row;
    try {
        row = co_await std::move(reading);
    } catch (const DatabaseError& error) {
        explain(options_.file, error);
    }
    if (!row)
        co_return std::nullopt;
    row->response.kept->source = known.source;
    co_return std::move(row->response);
}

void StateFile::keep(const common::Url& url, Purpose purpose, int tries,
                     const PageResponse& response, const common::Links* links) {
    if (failure_)
        return; // until_ready has the news
    const Source source = response.kept ? response.kept->source : Source::server;
    ++(source == Source::server || source == Source::unchanged ? counts_.asked
                                                               : counts_.not_asked);
    if (source == Source::unchanged)
        ++counts_.unchanged;
    if (source == Source::this_crawl)
        return; // it's in the file
    Row row(url);
    row.asked_at = source == Source::recent ? response.kept->asked_at : now();
    row.is_there = source != Source::server;
    if (!row.is_there) {
        row.purpose = purpose;
        row.tries = tries;
        row.response.status = response.status;
        row.response.content_type = response.content_type;
        row.response.location = response.location;
        row.response.bytes = response.bytes;
        row.response.error = response.error;
        row.response.is_refused = response.is_refused;
        if (links != nullptr)
            row.links = to_bytes(*links, url);
    }
    if (response.kept) {
        row.etag = response.kept->etag;
        row.last_modified = response.kept->last_modified;
        row.may_be_private = response.kept->may_be_private;
    }
    unwritten_bytes_ += sizeof(Row) + (row.links ? row.links->size() : 0);
    unwritten_.push_back(std::move(row));
    if (unwritten_bytes_ > most_unwritten)
        has_room_.clear();
    is_idle_.clear();
    write_soon();
}

// [write]
void StateFile::write_soon() {
    if (!timer_ && !writing_)
        timer_.emplace(loop_.call_later(pause, [this] { write(); }));
}

void StateFile::write() {
    timer_.reset();
    unwritten_bytes_ = 0;
    has_room_.set();
    Future<> written =
        run_in_executor(loop_, thread_, [this, rows = std::exchange(unwritten_, {})] {
            tables_.write(rows);
        });
    writing_.emplace(
        written.add_done_callback([this](const Future<>& done) { take_result(done); }));
}
// [/write]

void StateFile::take_result(const Future<>& written) {
    writing_.reset();
    if (written.has_failed()) {
        failure_ = written.exception();
        has_room_.set();
        is_idle_.set();
    } else if (unwritten_.empty()) {
        is_idle_.set();
    } else {
        write_soon();
    }
}

void StateFile::check() const {
    if (!failure_)
        return;
    try {
        std::rethrow_exception(failure_);
    } catch (const DatabaseError& error) {
        explain(options_.file, error);
    }
}

Coroutine<> StateFile::until_ready() {
    check();
    co_await has_room_.wait();
}

Coroutine<> StateFile::end(bool is_over, bool has_all) {
    co_await is_idle_.wait();
    check();
    Future<> ended = run_in_executor(
        loop_, thread_, [this, is_over, has_all] { tables_.end(is_over, has_all); });
    try {
        co_await std::move(ended);
    } catch (const DatabaseError& error) {
        explain(options_.file, error);
    }
}

} // namespace

std::string name_of_sqlite() { return fmt::format("sqlite/{}", sqlite3_libversion()); }

std::unique_ptr<State> open_state(EventLoop& loop, StateOptions options) {
    const std::string file = options.file;
    try {
        return std::make_unique<StateFile>(loop, std::move(options));
    } catch (const DatabaseError& error) {
        explain(file, error);
    } catch (const StateError& error) {
        throw StateError(fmt::format("{}: {}", file, error.what()));
    }
}

} // namespace stage3
