// "Did you mean #XPath?"
//
// A page's ids are kept as hashes, so nobody can look for the one that resembles a
// fragment. But one can make all fragments that resemble it, and look whether the page
// has one of these. Page 32 of the book.
#pragma once

#include "common/web/fragments.h"

#include <string>
#include <string_view>

namespace common {

/// An id that differs from `fragment`, which isn't among `ids`, in the case of letters,
/// in what separates its words, or in one character. Empty if there is none; also for a
/// page with so many ids that chance might find one.
std::string nearest_id(std::string_view fragment, const IdSet& ids);

} // namespace common
