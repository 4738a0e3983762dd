// What the program's exit status means.
#pragma once

#include "stage3_queue_crawler/crawler/crawl_settings.h"

#include <cstddef>

namespace stage3 {

/// Some URLs are dead, whether or not the crawl is complete: what it has found stays
/// true, so this status goes before the next one, unless the results can't be written.
/// (Every report names what is missing, so a script can see that, too.)
constexpr int dead_status = 1;

/// No URL is dead, as far as the crawl has come. But it was cut short, something was left
/// out, or nothing was checked. Also for a crawl that can't continue, or whose results
/// can't be written.
constexpr int incomplete_status = 3;

/// `dead`: how many URLs are. `is_incomplete`: whether links weren't followed, URLs were
/// given up, nothing was checked, or something couldn't be written. (After an interrupt,
/// `main` dies by the signal instead: interrupt.h.)
inline int exit_status(Ending ending, std::size_t dead, bool is_incomplete = false) {
    if (dead > 0)
        return dead_status;
    return is_incomplete || ending != Ending::complete ? incomplete_status : 0;
}

} // namespace stage3
