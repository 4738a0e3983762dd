// The URLs with which a crawl begins: as words on the command line, or from a list.
#pragma once

#include "stage3_queue_crawler/program/options.h"

#include <string>

namespace stage3 {

/// Adds a URL, as a user types it, to the roots; its login goes to its origin. Throws
/// common::UsageError, also for a file or folder on this machine: only servers can be
/// crawled.
void add_root(const std::string& text, Options& options);

/// The same for each line of a file, or of standard input ("-"), other than empty lines
/// and those that begin with '#'. Its errors name the line.
void add_roots_from(const std::string& path, Options& options);

} // namespace stage3
