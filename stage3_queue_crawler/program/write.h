// Writing where someone else reads: a pipe, a terminal. A file takes all it is given at
// once; these have only so much room, and a `write` waits until there is more. Here is
// how to write without waiting, for the results (output.h) and for messages to the user
// (console.h). Page 17 of the book.
//
// SIGPIPE must be ignored. All that write, except `write_patiently`, throw
// std::system_error: std::errc::broken_pipe if the reader is gone.
#pragma once

#include "common/system/socket.h"

#include <chrono>
#include <cstddef>
#include <string_view>

namespace stage3 {

/// Can a `write` there wait for a reader?
bool is_pipe(int fd);

/// The terminal behind `fd`, opened again so that a write to it doesn't wait; others that
/// use it (a shell, say) don't notice. Empty: it is no terminal.
common::Socket open_terminal(int fd);

/// Writes all, and waits for as long as that takes. If a file can't take all of it, it
/// keeps whole lines.
void write_all(int fd, std::string_view text);

/// The same, to a pipe or what `open_terminal` returns. If the program is killed while it
/// waits, the reader has whole lines, unless one is longer than PIPE_BUF.
void write_lines(int fd, std::string_view text);

/// Writes as much as there is room for, waits for nothing, and returns how much that was.
/// `fd` is a pipe, or from `open_terminal`.
std::size_t write_ready(int fd, std::string_view text);

/// Writes to the user, at the end, and waits as long as the text is being read. If there
/// is no room for as long as `patience`, the rest is lost, as is anything that can't be
/// written. Throws nothing.
void write_patiently(
    int fd, std::string_view text,
    std::chrono::milliseconds patience = std::chrono::seconds(5)) noexcept;

} // namespace stage3
