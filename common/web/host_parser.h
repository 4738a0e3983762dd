// Hosts: which is it, a name or an address, and how is it written in a URL?
//
// A host that ends in a number is an IPv4 address in any form that C programs once
// accepted, an IPv6 address has one short form among many, and a name may need another
// alphabet. Only links to other hosts come here; a page's own links keep its origin.
// Section 3 of the URL Standard; page 27 of the book.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace common {

/// The "host parser", for special schemes: "0x7F.1" → "127.0.0.1", "bücher.example" →
/// "xn--bcher-kva.example". Nothing if it is no host.
std::optional<std::string> parse_host(std::string_view text);

} // namespace common
