// An address by itself: its digits, and whether the whole world can reach it.
//
// A page from outside may name a machine inside: by an address, by a name that has one,
// or by a redirect to either. A crawler that follows it asks that machine on a stranger's
// behalf. (CWE-918 calls that server-side request forgery.) The URL doesn't reveal it: an
// address has many spellings, and a name may have another address in a minute. So what is
// checked is the address that a socket is about to connect to. Page F of the book.
#pragma once

#include <string>

#include <sys/socket.h>

namespace stage3 {

/// "10.0.0.1" or "[::1]", without the port. Empty for any other family.
std::string in_digits(const sockaddr& address);

/// Its port; 0 for any other family.
int port_of(const sockaddr& address);

/// True if the address is not public, but reserved: for this machine, a private network,
/// a link, multicast, or nothing at all. If an IPv6 address leads to an IPv4 address,
/// that one counts. An address of any other family is private.
/// Source: IANA's registries of special-purpose addresses (RFC 6890).
bool is_private(const sockaddr& address);

} // namespace stage3
