// Which word did the user mean?
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace common {

/// The word that a typo differs least from: in at most a third of its letters, or two if
/// it's long enough; or the only word that begins with it. Empty if there is none.
std::string nearest(std::string_view typo, const std::vector<std::string>& words);

} // namespace common
