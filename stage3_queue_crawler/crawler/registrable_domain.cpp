#include "stage3_queue_crawler/crawler/registrable_domain.h"

#include <cstddef>
#include <string>

#ifdef WITH_LIBPSL // see meson_options.txt
#include <libpsl.h>
#endif

namespace stage3 {
namespace {

#ifdef WITH_LIBPSL

/// The list that is built into the library; without one, the system's; null if there is
/// none either. It never changes, so threads can share it.
const psl_ctx_t* public_suffixes() {
    static const psl_ctx_t* const list =
        psl_builtin() != nullptr ? psl_builtin() : psl_latest(nullptr);
    return list;
}

bool knows_public_suffixes() { return public_suffixes() != nullptr; }

std::string name_and_version() { return std::string("libpsl/") + psl_get_version(); }

/// "www.docs.example.co.uk" → "example.co.uk".
std::string_view below_public_suffix(std::string_view host) {
    const std::string text(host); // zero-terminated
    const char* const domain = psl_registrable_domain(public_suffixes(), text.c_str());
    if (domain == nullptr)
        return host;
    return host.substr(static_cast<std::size_t>(domain - text.c_str()));
}

bool is_public_suffix(std::string_view name) {
    return psl_is_public_suffix(public_suffixes(), std::string(name).c_str()) == 1;
}

#else

bool knows_public_suffixes() { return false; }

std::string name_and_version() { return "(without libpsl)"; }

std::string_view below_public_suffix(std::string_view host) { return host; }

bool is_public_suffix(std::string_view /*name*/) { return true; }

#endif

/// "www.docs.example.com" → "example.com".
std::string_view last_two_labels(std::string_view host) {
    const auto last = host.rfind('.');
    if (last == std::string_view::npos || last == 0)
        return host;
    return host.substr(host.rfind('.', last - 1) + 1); // if there is none, npos + 1 is 0
}

} // namespace

std::string_view registrable_domain(const common::Url& url) {
    std::string_view host = url.host();
    if (url.host_is_address())
        return host;
    if (host.ends_with('.')) // it only says that the name is complete
        host.remove_suffix(1);
    return knows_public_suffixes() ? below_public_suffix(host) : last_two_labels(host);
}

bool may_own_domain(std::string_view name) {
    return knows_public_suffixes() && !name.ends_with('.') && !is_public_suffix(name);
}

std::string_view rule_of_domains() {
    return knows_public_suffixes() ? "registrable domain" : "last two labels";
}

std::string name_of_psl() { return name_and_version(); }

} // namespace stage3
