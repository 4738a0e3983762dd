// The smallest site that still fails: what a person wants to see of a failure.
#pragma once

#include "tests/support/box/site.h"

#include <functional>

namespace tests::box {

/// Leaves out whatever it can, one thing after the other, as long as `fails` says that
/// the rest still does. `site` must.
Site shrink(Site site, const std::function<bool(const Site&)>& fails);

} // namespace tests::box
