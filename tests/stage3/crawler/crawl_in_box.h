// A crawl of a web in a box: like crawl_under_test.h, but without sockets and in virtual
// time.
#pragma once

#include "tests/stage3/crawler/crawl_under_test.h"
#include "tests/support/box/http.h"
#include "tests/support/box/scripted_web.h"

#include <cstdint>

namespace tests {

/// A crawl's settings. `web.time().now()` is the time, and `Result::seconds` go by it.
///
///     box::ScriptedWeb web;
///     box::Server server(web);
///     server.on("/", box::page({"/a"}));
///     const Result result = BoxedSetup(web).crawl(server.url());
struct BoxedSetup : Setup {
    /// `seed` decides all that is left to chance. `crawl` throws std::runtime_error if
    /// the crawl never ends.
    explicit BoxedSetup(box::Web& web, std::uint32_t seed = 1) {
        settings.open_http = box::open_http(web);
        make_loop = [&web, seed] { return web.time().options(seed); };
    }
};

} // namespace tests
