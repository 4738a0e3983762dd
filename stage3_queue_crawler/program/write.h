// Writing where someone else reads: a pipe, a terminal. A file takes all it is given at
// once; these have only so much room, and a `write` waits until there is more. Here is
// how to write without waiting, for the results (output.h) and for messages to the user
// (console.h). Page 18b of the book.
//
// SIGPIPE must be ignored. All that write, except `write_patiently`, throw
// std::system_error: std::errc::broken_pipe if the reader is gone.
#pragma once

#include "common/system/socket.h"

#include <chrono>
#include <cstddef>
#include <string_view>

namespace stage3 {

/// Where to write. If someone reads there who may be slow, a write doesn't wait for them.
/// Others that write there (a shell, say) don't notice.
class WriteEnd {
  public:
    /// `fd` must stay open as long.
    explicit WriteEnd(int fd);
    explicit WriteEnd(common::Socket file);

    int fd() const { return fd_; }
    /// It's a pipe, a socket or a terminal, so there may be no room.
    bool has_reader() const { return has_reader_; }
    bool is_socket() const { return is_socket_; }

  private:
    common::Socket own_; // if it was opened again, or is ours anyway
    int fd_;
    bool has_reader_ = false;
    bool is_socket_ = false;
};

/// Writes all, and waits for as long as that takes. If a file can't take all of it, it
/// keeps whole lines.
void write_all(const WriteEnd& end, std::string_view text);

/// The same, for a reader. If the program is killed while it waits, the reader has whole
/// lines, unless one is longer than PIPE_BUF.
void write_lines(const WriteEnd& end, std::string_view text);

/// For a reader: writes as much as there is room for, waits for nothing, and returns how
/// much that was.
std::size_t write_ready(const WriteEnd& end, std::string_view text);

/// Writes to the user, at the end, and waits as long as the text is being read. If there
/// is no room for as long as `patience`, the rest is lost, as is anything that can't be
/// written. Throws nothing.
void write_patiently(
    const WriteEnd& end, std::string_view text,
    std::chrono::milliseconds patience = std::chrono::seconds(5)) noexcept;

} // namespace stage3
