// SQLite, with errors as exceptions.
//
// Its C functions return codes, which are easily forgotten. Here, each call that fails
// throws, and what has been opened is closed by its owner. Nothing of crawling is here.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace stage3 {

struct DatabaseError : std::runtime_error {
    DatabaseError(const std::string& what, int c) : std::runtime_error(what), code(c) {}
    int code; ///< SQLite's, such as SQLITE_BUSY
};

/// A compiled statement. Columns and parameters are numbered from 0. What it reads is
/// valid until its next step.
class Statement {
  public:
    Statement() = default; ///< none
    Statement& bind(int parameter, std::int64_t value);
    /// As text. It must live until `reset`.
    Statement& bind(int parameter, std::string_view value);
    /// As bytes. They must live until `reset`.
    Statement& bind_bytes(int parameter, std::string_view value);
    Statement& bind_null(int parameter);
    /// True if there is a row.
    bool step();
    /// For a statement that returns no rows: does it, and is ready for the next time.
    void run();
    void reset();
    std::int64_t number(int column) const;
    /// Text or bytes; empty for NULL.
    std::string_view text(int column) const;
    bool is_null(int column) const;

  private:
    friend class Database;
    struct End {
        void operator()(sqlite3_stmt* statement) const;
    };
    explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}

    std::unique_ptr<sqlite3_stmt, End> statement_;
};

/// An open database. Use it in one thread at a time.
class Database {
  public:
    /// Opens the file, or makes it. Throws DatabaseError, also for what is no database.
    explicit Database(const std::string& path);

    Statement prepare(std::string_view sql);
    /// One statement or several, without parameters; their rows are dropped.
    void run(const std::string& sql);
    /// The first column of the only row.
    std::int64_t number(std::string_view sql);

  private:
    struct Close {
        void operator()(sqlite3* database) const;
    };
    std::unique_ptr<sqlite3, Close> database_;
};

/// Undone at its end, unless it was committed.
class Transaction {
  public:
    explicit Transaction(Database& database) : database_(database) {
        database_.run("BEGIN IMMEDIATE");
    }
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    ~Transaction();
    void commit();

  private:
    Database& database_;
    bool is_open_ = true;
};

} // namespace stage3
