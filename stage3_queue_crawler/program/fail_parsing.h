// `--fail-parsing N`: an error on demand, to see what happens to one.
#pragma once

#include "stage3_queue_crawler/crawler/page_reader.h"

#include <cstddef>

namespace stage3 {

/// Like common::find_links, but the call with this number (the first is 1) throws
/// common::TracedError. May be called from several threads at once.
FindLinks find_links_but_fail_at(std::size_t number);

} // namespace stage3
