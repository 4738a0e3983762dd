// What an address is, by itself: its digits, and whether all the world can reach it.
//
// A page from outside may name a machine inside: by an address, by a name that has one,
// or by a redirect to either. Who follows it asks that machine on a stranger's behalf.
// (CWE-918 calls that server-side request forgery.) URLs don't tell: the same address has
// many spellings, and a name may have another address in a minute. So the question is
// asked about the address that a socket is to be connected to. Page F of the book.
#pragma once

#include <string>

#include <sys/socket.h>

namespace stage3 {

/// "10.0.0.1" or "[::1]"; without the port. Of other families than these two: nothing.
std::string in_digits(const sockaddr& address);

/// True if the address is for some special use, and not one of the internet's: this
/// machine's, a private network's, a link's, a group's, or nobody's. Of an IPv6 address
/// that leads to an IPv4 address, that one counts. An address of another family is
/// private. Source: IANA's registries of special-purpose addresses (RFC 6890).
bool is_private(const sockaddr& address);

} // namespace stage3
