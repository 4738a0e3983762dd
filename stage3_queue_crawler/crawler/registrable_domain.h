// Where does a site end that has several hosts?
//
// shop.example.com and docs.example.com are one owner's, a.co.uk and b.co.uk are not:
// below co.uk, everybody can register a name. Nothing in a name says so. There is a list
// of all such public suffixes, by which browsers decide what belongs together, and libpsl
// has it. Where the program was built without libpsl, it takes the last two labels of a
// name.
#pragma once

#include "common/web/url.h"

#include <string_view>

namespace stage3 {

/// The part of the URL's host that somebody has registered: "example.co.uk" for
/// "www.docs.example.co.uk". It's what browsers call a site: a private public suffix
/// counts, too, such as "github.io", so each of its users has a domain. A dot at the end
/// of the host is left out.
///
/// The host itself, if it's an address, or if nobody can have registered it: "localhost",
/// "co.uk". What is returned is a part of the URL. Threads may call this at the same
/// time. Source: https://publicsuffix.org/list/ and its algorithm.
std::string_view registrable_domain(const common::Url& url);

/// What this program takes for a domain, for people: "registrable domain", or "last two
/// labels" where it doesn't know the public suffixes.
std::string_view rule_of_domains();

} // namespace stage3
