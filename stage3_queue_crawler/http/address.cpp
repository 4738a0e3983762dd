#include "stage3_queue_crawler/http/address.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include <arpa/inet.h>
#include <netinet/in.h>

namespace stage3 {
namespace {

/// A network, as the leading bits that all its addresses have in common.
template <std::size_t Size>
struct Network {
    std::array<std::uint8_t, Size> first;
    unsigned bits;

    bool has(std::span<const std::uint8_t, Size> address) const {
        const std::size_t whole = bits / 8;
        if (!std::equal(first.begin(), first.begin() + whole, address.begin()))
            return false;
        const unsigned shift = 8 - bits % 8;
        return bits % 8 == 0 || first.at(whole) >> shift == address[whole] >> shift;
    }
};

using V4 = std::span<const std::uint8_t, 4>;
using V6 = std::span<const std::uint8_t, 16>;

// Source: IANA IPv4 Special-Purpose Address Registry, and RFC 5771 for multicast.
constexpr std::array<Network<4>, 15> special_v4{{
    {{0, 0, 0, 0}, 8},       // "this network": Linux takes 0.0.0.0 for itself
    {{10, 0, 0, 0}, 8},      // private use
    {{100, 64, 0, 0}, 10},   // between a provider and its customers
    {{127, 0, 0, 0}, 8},     // this machine
    {{169, 254, 0, 0}, 16},  // this link; in clouds, the service with a machine's secrets
    {{172, 16, 0, 0}, 12},   // private use
    {{192, 0, 0, 0}, 24},    // protocols
    {{192, 0, 2, 0}, 24},    // examples
    {{192, 88, 99, 0}, 24},  // formerly, relays to IPv6
    {{192, 168, 0, 0}, 16},  // private use
    {{198, 18, 0, 0}, 15},   // benchmarks
    {{198, 51, 100, 0}, 24}, // examples
    {{203, 0, 113, 0}, 24},  // examples
    {{224, 0, 0, 0}, 4},     // multicast
    {{240, 0, 0, 0}, 4},     // reserved; the last one is broadcast on this link
}};

// All public addresses are in here, and nothing else is. Source: RFC 4291, section 2.4,
// and IANA's registry of the IPv6 address space.
constexpr Network<16> global_v6{{0x20}, 3};

// And these are the exceptions. Source: IANA IPv6 Special-Purpose Address Registry.
constexpr std::array<Network<16>, 3> special_v6{{
    {{0x20, 0x01, 0x00}, 23},       // protocols
    {{0x20, 0x01, 0x0d, 0xb8}, 32}, // examples
    {{0x3f, 0xff}, 20},             // examples
}};

// Addresses in these contain an IPv4 address.
constexpr Network<16> mapped{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}, 96};
constexpr Network<16> translated{{0x00, 0x64, 0xff, 0x9b}, 96}; // RFC 6052
constexpr Network<16> six_to_four{{0x20, 0x02}, 16};            // RFC 3056
constexpr Network<16> teredo{{0x20, 0x01, 0, 0}, 32};           // RFC 4380

bool is_private(V4 address) {
    return std::ranges::any_of(
        special_v4, [&](const Network<4>& network) { return network.has(address); });
}

bool is_private(V6 address) {
    if (mapped.has(address) || translated.has(address))
        return is_private(address.last<4>());
    if (six_to_four.has(address))
        return is_private(address.subspan<2, 4>());
    if (teredo.has(address)) { // its server's address, and its own, inverted
        std::array<std::uint8_t, 4> client{};
        std::ranges::transform(address.last<4>(), client.begin(), [](std::uint8_t byte) {
            return static_cast<std::uint8_t>(~byte);
        });
        return is_private(address.subspan<4, 4>()) || is_private(V4(client));
    }
    return !global_v6.has(address)
           || std::ranges::any_of(special_v6, [&](const Network<16>& network) {
                  return network.has(address);
              });
}

} // namespace

std::string in_digits(const sockaddr& address) {
    std::array<char, INET6_ADDRSTRLEN> digits{};
    if (address.sa_family == AF_INET6) {
        const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
        ::inet_ntop(AF_INET6, &v6.sin6_addr, digits.data(), digits.size());
        return fmt::format("[{}]", digits.data());
    }
    if (address.sa_family == AF_INET) {
        const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
        ::inet_ntop(AF_INET, &v4.sin_addr, digits.data(), digits.size());
    }
    return digits.data();
}

int port_of(const sockaddr& address) {
    if (address.sa_family == AF_INET6)
        return ntohs(reinterpret_cast<const sockaddr_in6&>(address).sin6_port);
    if (address.sa_family == AF_INET)
        return ntohs(reinterpret_cast<const sockaddr_in&>(address).sin_port);
    return 0;
}

bool is_private(const sockaddr& address) {
    std::array<std::uint8_t, 16> bytes{}; // in network byte order
    if (address.sa_family == AF_INET6) {
        const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
        std::memcpy(bytes.data(), &v6.sin6_addr, 16);
        return is_private(V6(bytes));
    }
    if (address.sa_family != AF_INET)
        return true;
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
    std::memcpy(bytes.data(), &v4.sin_addr, 4);
    return is_private(std::span(bytes).first<4>());
}

} // namespace stage3
