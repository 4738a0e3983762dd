// A test's own practice site, served beside it, and all that there is to find.
#pragma once

#include "tests/practice_site/background_server.h"
#include "tests/practice_site/site.h"

#include <chrono>

namespace practice_site {

struct BackgroundSite {
    BackgroundSite(const SiteOptions& options, std::chrono::milliseconds latency)
        : site(options),
          server([this](const auto& request) { return site.answer(request); },
                 {.latency = latency}),
          manifest(site.manifest(server.origin())) {}

    Site site;
    BackgroundServer server;
    Manifest manifest;
};

} // namespace practice_site
