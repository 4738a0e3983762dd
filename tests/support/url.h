// URLs for tests.
#pragma once

#include "common/web/malformed_url.h"
#include "common/web/url.h"
#include "tests/support/prelude.h"

namespace tests {

/// A URL from its text. If it can't be read, the test ends.
inline common::Url url_of(const std::string& text) {
    const auto url = common::read_href(text);
    REQUIRE_MESSAGE(url, text);
    return *url;
}

} // namespace tests
