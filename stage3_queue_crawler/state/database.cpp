#include "stage3_queue_crawler/state/database.h"

#include <sqlite3.h>

namespace stage3 {
namespace {

void check(int code, sqlite3* database) {
    if (code != SQLITE_OK && code != SQLITE_ROW && code != SQLITE_DONE)
        throw DatabaseError(sqlite3_errmsg(database), code & 0xff);
}

int size_of(std::string_view text) { return static_cast<int>(text.size()); }

/// SQLite takes a null pointer for NULL.
const char* begin_of(std::string_view text) { return text.empty() ? "" : text.data(); }

} // namespace

void Statement::End::operator()(sqlite3_stmt* statement) const {
    sqlite3_finalize(statement);
}

Statement& Statement::bind(int parameter, std::int64_t value) {
    sqlite3_stmt* const statement = statement_.get();
    check(sqlite3_bind_int64(statement, parameter + 1, value),
          sqlite3_db_handle(statement));
    return *this;
}

Statement& Statement::bind(int parameter, std::string_view value) {
    sqlite3_stmt* const statement = statement_.get();
    check(sqlite3_bind_text(statement, parameter + 1, begin_of(value), size_of(value),
                            SQLITE_STATIC),
          sqlite3_db_handle(statement));
    return *this;
}

Statement& Statement::bind_bytes(int parameter, std::string_view value) {
    sqlite3_stmt* const statement = statement_.get();
    check(sqlite3_bind_blob(statement, parameter + 1, begin_of(value), size_of(value),
                            SQLITE_STATIC),
          sqlite3_db_handle(statement));
    return *this;
}

Statement& Statement::bind_null(int parameter) {
    sqlite3_stmt* const statement = statement_.get();
    check(sqlite3_bind_null(statement, parameter + 1), sqlite3_db_handle(statement));
    return *this;
}

bool Statement::step() {
    const int code = sqlite3_step(statement_.get());
    check(code, sqlite3_db_handle(statement_.get()));
    return code == SQLITE_ROW;
}

void Statement::run() {
    step();
    reset();
}

// If its last step failed, that was reported then.
void Statement::reset() { sqlite3_reset(statement_.get()); }

std::int64_t Statement::number(int column) const {
    return sqlite3_column_int64(statement_.get(), column);
}

std::string_view Statement::text(int column) const {
    const auto* const begin =
        static_cast<const char*>(sqlite3_column_blob(statement_.get(), column));
    const int size = sqlite3_column_bytes(statement_.get(), column);
    return begin == nullptr ? std::string_view()
                            : std::string_view(begin, static_cast<std::size_t>(size));
}

bool Statement::is_null(int column) const {
    return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

void Database::Close::operator()(sqlite3* database) const { sqlite3_close(database); }

Database::Database(const std::string& path) {
    sqlite3* opened = nullptr;
    const int code = sqlite3_open_v2(
        path.c_str(), &opened,
        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
    database_.reset(opened); // even if that failed: it has the message
    if (opened == nullptr)
        throw std::bad_alloc();
    check(code, opened);
    sqlite3_extended_result_codes(opened, 1);
}

Statement Database::prepare(std::string_view sql) {
    sqlite3_stmt* statement = nullptr;
    // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): its size comes with it
    check(sqlite3_prepare_v3(database_.get(), sql.data(), size_of(sql),
                             SQLITE_PREPARE_PERSISTENT, &statement, nullptr),
          database_.get());
    return Statement(statement);
}

void Database::run(const std::string& sql) {
    check(sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr),
          database_.get());
}

std::int64_t Database::number(std::string_view sql) {
    Statement statement = prepare(sql);
    return statement.step() ? statement.number(0) : 0;
}

// NOLINTNEXTLINE(bugprone-exception-escape): caught
Transaction::~Transaction() {
    if (!is_open_)
        return;
    try {
        database_.run("ROLLBACK");
    } catch (const DatabaseError&) {
        return; // SQLite has already undone it, because of a worse error
    }
}

void Transaction::commit() {
    database_.run("COMMIT");
    is_open_ = false;
}

} // namespace stage3
