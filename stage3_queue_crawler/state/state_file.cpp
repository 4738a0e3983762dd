#include "stage3_queue_crawler/state/state_file.h"

#include "common/system/socket.h"
#include "stage3_queue_crawler/runtime/executor/executor.h"
#include "stage3_queue_crawler/runtime/loop/at_exit.h"
#include "stage3_queue_crawler/runtime/loop/thread_pool.h"
#include "stage3_queue_crawler/runtime/sync/event.h"
#include "stage3_queue_crawler/state/database.h"
#include "stage3_queue_crawler/state/link_bytes.h"

#include <fmt/chrono.h>
#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <ctime>
#include <exception>
#include <optional>
#include <sstream>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>

namespace stage3 {
namespace {

using namespace std::chrono_literals;
using Source = KeptParts::Source;

constexpr int our_mark = 0x41577443; // "AWtC", so that no other program's file is taken
constexpr int format = 1;            // of the tables, and of what is in them
constexpr auto pause = 20ms;         // between two transactions
constexpr std::size_t most_unwritten = std::size_t{16} * 1024 * 1024; // bytes

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

/// A row of the table of answers.
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
    bool was_read; ///< and not only checked
    int status;
    bool is_alive;
    bool has_validator;
};

std::int64_t now() {
    return std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
}

std::string date(std::int64_t unix_time) {
    return fmt::format("{:%Y-%m-%d %H:%M}",
                       fmt::localtime(static_cast<std::time_t>(unix_time)));
}

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

[[noreturn]] void explain(const std::string& file, const DatabaseError& error) {
    if (error.code == SQLITE_BUSY)
        throw StateError(fmt::format("{} is in use by another crawl", file));
    if (error.code == SQLITE_CORRUPT)
        throw StateError(fmt::format("{} is damaged ({}): delete it to start over", file,
                                     error.what()));
    throw StateError(fmt::format("{}: {}", file, error.what()));
}

/// It has URLs that others need not know, such as those of a site behind a password.
void make_private_file(const std::string& path) {
    constexpr ::mode_t only_ours = S_IRUSR | S_IWUSR;
    const common::Socket file(
        ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, only_ours));
    struct ::stat status{};
    if (!file || ::fstat(file.fd(), &status) != 0)
        throw StateError(std::generic_category().message(errno));
    if (!S_ISREG(status.st_mode))
        throw StateError("this isn't a regular file");
}

/// What is in the file. All but the constructor belongs to the file's own thread.
class Tables {
  public:
    explicit Tables(const StateOptions& options);

    /// Calls this with each URL, and a RowInShort.
    template <class Function>
    void for_each(Function function);
    std::optional<PageResponse> find(const common::Url& url);
    void write(const std::vector<Row>& rows);
    void end(bool is_over, const std::vector<common::Url>& ask_again);

    std::int64_t crawl() const { return crawl_; }
    /// When it was begun, if this one continues it.
    std::optional<std::int64_t> interrupted() const { return interrupted_; }
    std::int64_t last_begun() const { return last_begun_; }

  private:
    void make_ours();
    void begin(const StateOptions& options);
    void write(const Row& row);
    void write_again(const Row& row);
    void make_old(const common::Url& url) { expire_.bind(0, url.href()).run(); }

    static constexpr auto follow = static_cast<std::int64_t>(Purpose::follow);

    Database database_;
    std::int64_t crawl_ = 0;
    std::int64_t last_begun_ = 0;
    std::optional<std::int64_t> interrupted_;
    Statement get_;
    Statement put_;
    Statement renew_;
    Statement expire_;
};

Tables::Tables(const StateOptions& options)
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
        .bind(2, interrupted_ ? *interrupted_ : now())
        .run();
    transaction.commit();
}

template <class Function>
void Tables::for_each(Function function) {
    Statement read = database_.prepare(get_all);
    while (read.step())
        if (const auto url = common::parse_url(read.text(0)))
            function(*url, RowInShort{.crawl = read.number(1),
                                      .asked_at = read.number(2),
                                      .was_read = read.number(3) == follow,
                                      .status = static_cast<int>(read.number(4)),
                                      .is_alive = read.number(5) != 0,
                                      .has_validator = read.number(6) != 0});
}

/// Nothing if it isn't there, or damaged: so the server is asked again.
std::optional<PageResponse> Tables::find(const common::Url& url) {
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

void Tables::write(const std::vector<Row>& rows) {
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

void Tables::write(const Row& row) {
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

void Tables::write_again(const Row& row) {
    const KeptParts& kept = *row.response.kept;
    renew_.bind(0, crawl_).bind(1, kept.asked_at);
    renew_.bind(2, kept.etag).bind(3, kept.last_modified);
    renew_.bind(4, kept.may_be_private ? 1 : 0).bind(5, row.url.href()).run();
}

/// If it's over, the pages in `ask_again` are asked about in the next crawl.
void Tables::end(bool is_over, const std::vector<common::Url>& ask_again) {
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

class StateFile final : public State {
  public:
    StateFile(EventLoop& loop, StateOptions options);

    bool will_do(const common::Url& url, Purpose purpose) const override;
    Coroutine<std::optional<PageResponse>> find(common::Url url,
                                                Purpose purpose) override;
    void keep(const Item& item, const PageResponse& response, bool is_alive,
              const common::Links* links) override;
    std::string greeting() const override;
    Counts counts() const override { return counts_; }
    Coroutine<> until_ready() override { return has_room_.wait(); }
    Coroutine<bool> end(bool is_over, std::vector<common::Url> ask_again) override;

  private:
    /// What is known of an answer without reading it.
    struct Known {
        Source source;
        bool was_read; ///< and not only checked
    };

    std::optional<Source> source_of(const RowInShort& row, std::int64_t time) const;
    void count(Source source);
    void write_soon();
    void write();
    void take_result(const Future<>& written);
    void fail(const std::exception_ptr& why);

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
    bool has_failed_ = false;
    ThreadPool thread_{1}; // last, since it uses the others until it ends
};

StateFile::StateFile(EventLoop& loop, StateOptions options)
    : loop_(loop), options_(std::move(options)), tables_(options_) {
    has_room_.set();
    is_idle_.set();
    const std::int64_t time = now();
    tables_.for_each([&](const common::Url& url, const RowInShort& row) {
        const std::optional<Source> source = source_of(row, time);
        if (source)
            known_.emplace(std::hash<common::Url>()(url),
                           Known{.source = *source, .was_read = row.was_read});
        if (source == Source::this_crawl)
            ++from_this_crawl_;
    });
}

/// What an answer in the file is good for; nothing, if it's of no use.
std::optional<Source> StateFile::source_of(const RowInShort& row,
                                           std::int64_t time) const {
    if (row.crawl == tables_.crawl() && row.asked_at > 0)
        return Source::this_crawl;
    const std::int64_t age = time - row.asked_at;
    if (row.is_alive && age >= 0 && age < options_.max_age.count())
        return Source::recent;
    constexpr int ok = 200;
    if (row.was_read && row.status == ok && row.has_validator)
        return Source::old;
    return {};
}

std::string StateFile::greeting() const {
    if (const auto begun = tables_.interrupted())
        return fmt::format("{}: continuing the crawl of {}, of which {} URLs are done",
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
    std::optional<PageResponse> response;
    try {
        Future<std::optional<PageResponse>> reading =
            run_in_executor(loop_, thread_, [this, url] { return tables_.find(url); });
        response = co_await std::move(reading);
    } catch (const DatabaseError&) {
        fail(std::current_exception());
    }
    if (response)
        response->kept->source = known.source;
    co_return response;
}

void StateFile::count(Source source) {
    if (source == Source::server || source == Source::unchanged)
        ++counts_.asked;
    else
        ++counts_.not_asked;
    if (source == Source::unchanged)
        ++counts_.unchanged;
}

void StateFile::keep(const Item& item, const PageResponse& response, bool is_alive,
                     const common::Links* links) {
    const Source source = response.kept ? response.kept->source : Source::server;
    count(source);
    if (has_failed_ || source == Source::this_crawl)
        return; // there's no file any more, or it's in there
    Row row(item.url);
    // Perhaps our own network is down, so what we had is kept, and asked about again.
    if (!response.error.empty())
        row.kind = Row::Kind::failure;
    else if (source != Source::server)
        row.kind = Row::Kind::same_answer;
    row.response.kept = std::make_shared<KeptParts>();
    KeptParts& kept = *row.response.kept;
    if (response.kept) {
        kept.etag = response.kept->etag;
        kept.last_modified = response.kept->last_modified;
        kept.may_be_private = response.kept->may_be_private;
    }
    kept.asked_at = source == Source::recent ? response.kept->asked_at : now();
    if (row.kind == Row::Kind::answer) {
        row.purpose = item.purpose;
        row.is_alive = is_alive;
        kept.tries = item.tries;
        row.response.status = response.status;
        row.response.content_type = response.content_type;
        row.response.location = response.location;
        row.response.retry_after = response.retry_after;
        row.response.bytes = response.bytes;
        if (links != nullptr)
            row.links = to_bytes(*links, item.url);
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
    const Future<> written =
        run_in_executor(loop_, thread_, [this, rows = std::exchange(unwritten_, {})] {
            tables_.write(rows);
        });
    writing_.emplace(
        written.add_done_callback([this](const Future<>& done) { take_result(done); }));
}
// [/write]

void StateFile::take_result(const Future<>& written) {
    writing_.reset();
    if (written.has_failed())
        fail(written.exception());
    else if (unwritten_.empty())
        is_idle_.set();
    else
        write_soon();
}

/// The crawl continues, but nothing more is kept.
void StateFile::fail(const std::exception_ptr& why) {
    if (std::exchange(has_failed_, true))
        return;
    unwritten_.clear();
    timer_.reset();
    has_room_.set();
    is_idle_.set();
    try {
        std::rethrow_exception(why);
    } catch (const std::exception& error) {
        options_.on_note(fmt::format("--state: {}: {}; from now on, nothing is kept",
                                     options_.file, error.what()));
    }
}

Coroutine<bool> StateFile::end(bool is_over, std::vector<common::Url> ask_again) {
    co_await is_idle_.wait();
    if (has_failed_)
        co_return false;
    try {
        Future<> ended = run_in_executor(
            loop_, thread_, [this, is_over, ask_again = std::move(ask_again)] {
                tables_.end(is_over, ask_again);
            });
        co_await std::move(ended);
    } catch (const DatabaseError&) {
        fail(std::current_exception());
    }
    co_return !has_failed_;
}

} // namespace

std::string name_of_sqlite() { return fmt::format("sqlite/{}", sqlite3_libversion()); }

std::unique_ptr<State> open_state(EventLoop& loop, StateOptions options) {
    const std::string file = options.file;
    try {
        make_private_file(file);
        return std::make_unique<StateFile>(loop, std::move(options));
    } catch (const DatabaseError& error) {
        explain(file, error);
    } catch (const StateError& error) {
        throw StateError(fmt::format("{}: {}", file, error.what()));
    }
}

} // namespace stage3
