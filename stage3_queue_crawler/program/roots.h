// The URLs with which a crawl begins: as words on the command line, or from a list.
#pragma once

#include "stage3_queue_crawler/program/options.h"

#include <string>
#include <vector>

namespace stage3 {

/// Adds URLs, as a user types them, to the roots; the login of one goes to its origin. A
/// folder or file on this machine becomes a root and a Remap, see local_roots.h. To be
/// called once. Throws common::UsageError, also for a second login that differs.
void add_roots(const std::vector<std::string>& texts, Options& options);

/// Adds the URL in each line of a file, or of standard input ("-"). A '#' at the
/// beginning of a line or after a space begins a comment. Its errors name the line. In a
/// list, a name is a host's, even if a file has the same one, and a path is an error.
void add_roots_from(const std::string& path, Options& options);

} // namespace stage3
