// A crawl of a web in a box: like crawl_under_test.h, but without sockets and in virtual
// time.
#pragma once

#include "tests/stage3/crawler/crawl_under_test.h"
#include "tests/support/box/http.h"
#include "tests/support/box/scripted_web.h"

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
        helpers.open_http = box::open_http(web);
        make_loop = [&web, seed] { return web.time().options(seed); };
    }
};

/// A web in a box with one server, and a crawl of it.
struct SiteInBox {
    box::ScriptedWeb web;
    box::Server server{web};
    BoxedSetup setup{web};

    Result crawl() { return setup.crawl(server.url()); }
};

using box::Times;

} // namespace tests

/// So that a failed check shows times, in milliseconds.
template <>
struct doctest::StringMaker<tests::box::Time> {
    static doctest::String convert(tests::box::Time time) {
        return fmt::format("{} ms",
                           std::chrono::duration<double, std::milli>(time).count())
            .c_str();
    }
};
