// Where does a site with several hosts end?
//
// shop.example.com and docs.example.com have the same owner, but a.co.uk and b.co.uk
// don't: anyone can register a name below co.uk. Nothing in a name says so. Browsers
// decide what belongs together by a list of all such public suffixes, and libpsl contains
// that list. A program that was built without libpsl takes the last two labels of a name
// instead.
#pragma once

#include "common/web/url.h"

#include <string>
#include <string_view>

namespace stage3 {

/// The registered part of the URL's host: "example.co.uk" for "www.docs.example.co.uk".
/// It's what browsers call a site: the list's private suffixes, such as "github.io",
/// count too, so each of their users has a domain. A dot at the end of the host is left
/// out.
///
/// The host itself if it's an address, or if it can't have been registered: "localhost",
/// "co.uk". The result is a part of the URL. Several threads may call this at the same
/// time. Source: https://publicsuffix.org/list/ and its algorithm.
std::string_view registrable_domain(const common::Url& url);

/// True if all hosts below that name may be one owner's, as below "example.co.uk". False
/// for "co.uk" and "localhost", for a name with a dot at its end, and for every name if
/// this program doesn't know the public suffixes.
bool may_own_domain(std::string_view name);

/// What this program takes for a domain, in words: "registrable domain", or "last two
/// labels" if it doesn't know the public suffixes.
std::string_view rule_of_domains();

/// "libpsl/0.21.2", or that it isn't there.
std::string name_of_psl();

} // namespace stage3
