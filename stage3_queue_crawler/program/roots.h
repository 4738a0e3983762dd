// The URLs with which a crawl begins: as words on the command line, or from a list.
#pragma once

#include "stage3_queue_crawler/program/options.h"

#include <string>

namespace stage3 {

/// Adds a URL, as a user types it, to the roots; its login goes to its origin. Throws
/// common::UsageError, also for a file or folder on this machine (only servers can be
/// crawled), and for a second login that differs.
void add_root(const std::string& text, Options& options);

/// The same for each line of a file, or of standard input ("-"). A '#' at the beginning
/// of a line or after a space begins a comment. Its errors name the line. In a list, a
/// name is a host's, even if a file has the same one.
void add_roots_from(const std::string& path, Options& options);

} // namespace stage3
