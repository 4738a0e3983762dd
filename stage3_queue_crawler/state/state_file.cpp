#include "stage3_queue_crawler/state/state_file.h"

#include "common/system/socket.h"
#include "stage3_queue_crawler/runtime/executor/executor.h"
#include "stage3_queue_crawler/runtime/loop/thread_pool.h"
#include "stage3_queue_crawler/runtime/sync/event.h"
#include "stage3_queue_crawler/state/database.h"
#include "stage3_queue_crawler/state/link_bytes.h"
#include "stage3_queue_crawler/state/state_tables.h"

#include <fmt/chrono.h>
#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <ctime>
#include <exception>
#include <optional>
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

constexpr auto pause = 20ms; // between two transactions
constexpr std::size_t most_unwritten = std::size_t{16} * 1024 * 1024; // bytes

std::string date(std::int64_t unix_time) {
    return fmt::format("{:%Y-%m-%d %H:%M}",
                       fmt::localtime(static_cast<std::time_t>(unix_time)));
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
        /// Is it enough for that?
        bool serves(Purpose purpose) const {
            return is_check(purpose) || (purpose == Purpose::follow ? was_read : has_ids);
        }

        Source source;
        bool was_read; ///< and not only checked, or searched for its ids
        bool has_ids;  ///< it was searched for them, or read
    };

    std::optional<Source> source_of(const RowInShort& row, std::int64_t time) const;
    void count(Source source);
    void write_soon();
    void write();
    void take_result(const Future<>& written);
    void fail(const std::exception_ptr& why);

    EventLoop& loop_;
    const StateOptions options_;
    StateTables tables_;
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
    const std::int64_t time = unix_time();
    tables_.for_each([&](const common::Url& url, const RowInShort& row) {
        const std::optional<Source> source = source_of(row, time);
        if (source)
            known_.emplace(std::hash<common::Url>()(url), Known{.source = *source,
                                                                .was_read = row.was_read,
                                                                .has_ids = row.has_ids});
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
    if (row.has_ids && row.status == ok && row.has_validator)
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
           && found->second.serves(purpose);
}

Coroutine<std::optional<PageResponse>> StateFile::find(common::Url url, Purpose purpose) {
    const auto found = known_.find(std::hash<common::Url>()(url));
    if (found == known_.end())
        co_return std::nullopt;
    const Known known = found->second;
    if (!known.serves(purpose) || (is_check(purpose) && known.source == Source::old))
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
    kept.asked_at = source == Source::recent ? response.kept->asked_at : unix_time();
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
