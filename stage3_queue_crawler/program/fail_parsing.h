// `--fail-parsing N`: an error on demand, to see what becomes of one.
#pragma once

#include "stage3_queue_crawler/crawler/page_reader.h"

#include <cstddef>

namespace stage3 {

/// As common::find_links, but the call with this number throws common::TracedError, 1 for
/// the first. For any number of threads.
FindLinks find_links_but_fail_at(std::size_t number);

} // namespace stage3
