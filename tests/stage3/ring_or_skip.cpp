// Skips all tests of a program where io_uring isn't allowed.
#include "stage3_queue_crawler/small/event_loop.h"

#include <cstdio>
#include <cstdlib>
#include <system_error>

namespace {

const bool is_allowed = [] {
    try {
        const stage3::small::EventLoop loop;
        return true;
    } catch (const std::system_error& error) {
        std::fprintf(stderr, "skipped: %s\n", error.what());
        std::_Exit(77); // which meson takes for "skipped"
    }
}();

} // namespace
