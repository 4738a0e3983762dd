// Where the results go: a file, or standard output.
//
// A line is handed to the system in one piece. So whoever ends the program in the middle
// of a crawl finds whole lines in the file (unless the disk is full, which is an error).
#pragma once

#include "common/socket.h"

#include <string>
#include <string_view>
#include <system_error>

#include <unistd.h>

namespace stage3 {

class Output {
  public:
    /// Writes to `path`, from its beginning; an empty one means standard output. Throws
    /// std::system_error, with the path in its message.
    explicit Output(const std::string& path);

    /// Writes all of it. Waits as long as a pipe is full.
    /// Throws std::system_error: std::errc::broken_pipe if nobody reads any more.
    void write(std::string_view text);

  private:
    common::Socket file_; // owns the descriptor, if it's a file
    int fd_ = STDOUT_FILENO;
};

} // namespace stage3
