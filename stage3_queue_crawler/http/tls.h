// Whose certificates a session trusts, which one it shows itself, and why it refused
// another side's. libcurl and its TLS library do the checking.
#pragma once

#include <curl/curl.h>

#include <string>
#include <string_view>

namespace stage3 {

/// The options for TLS. All files are in PEM format.
struct TlsOptions {
    std::string ca_file = {};     ///< certificates to trust; empty: the system's
    std::string ca_folder = {};   ///< more of them, named as `openssl rehash` does
    bool insecure = false;        ///< trust any certificate, for any host
    std::string certificate = {}; ///< to show to servers that ask for one; empty: none
    std::string key = {};         ///< its key; empty: it's in the same file
};

/// Says to a transfer what to trust, also at its proxy. `shows_certificate`: it may show
/// ours. Throws std::runtime_error if libcurl can't do that.
void set_tls(CURL* easy, const TlsOptions& options, bool shows_certificate);

/// What is wrong with a certificate, theirs or ours, in words that don't depend on the
/// TLS library, with the option that may help. Empty if the fault is something else.
/// `words`: how libcurl describes the failure.
std::string_view certificate_fault(std::string_view words);

/// True if such a fault is only that no one we trust has issued the certificate.
bool is_about_issuer(std::string_view fault);

} // namespace stage3
