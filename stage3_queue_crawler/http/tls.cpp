#include "stage3_queue_crawler/http/tls.h"

#include "stage3_queue_crawler/http/easy_option.h"

#include <algorithm>
#include <array>
#include <string>

namespace stage3 {
namespace {

/// Certificates to trust: those in the files, or else the system's.
void trust(CURL* easy, const TlsOptions& options) {
    if (!options.ca_file.empty()) {
        set(easy, CURLOPT_CAINFO, options.ca_file.c_str());
        set(easy, CURLOPT_PROXY_CAINFO, options.ca_file.c_str());
    }
    if (!options.ca_folder.empty()) {
        set(easy, CURLOPT_CAPATH, options.ca_folder.c_str());
        set(easy, CURLOPT_PROXY_CAPATH, options.ca_folder.c_str());
        return;
    }
    // libcurl takes a file and a folder. If a folder is set, it reads the whole file
    // again for each connection, which takes 15 ms; otherwise it reads it once. Sources:
    // CURLOPT_CA_CACHE_TIMEOUT(3), and measurement.
    const char* file = nullptr;
    if (curl_easy_getinfo(easy, CURLINFO_CAINFO, &file) == CURLE_OK && file != nullptr)
        curl_easy_setopt(easy, CURLOPT_CAPATH, nullptr); // not every TLS library has it
}

} // namespace

void set_tls(CURL* easy, const TlsOptions& options, bool shows_certificate) {
    if (options.insecure) {
        for (const CURLoption check :
             {CURLOPT_SSL_VERIFYPEER, CURLOPT_SSL_VERIFYHOST,
              CURLOPT_PROXY_SSL_VERIFYPEER, CURLOPT_PROXY_SSL_VERIFYHOST})
            set(easy, check, 0L);
    } else {
        trust(easy, options);
    }
    if (shows_certificate && !options.certificate.empty()) {
        const std::string& key = options.key.empty() ? options.certificate : options.key;
        set(easy, CURLOPT_SSLCERT, options.certificate.c_str());
        set(easy, CURLOPT_SSLKEY, key.c_str());
    }
}

std::string_view certificate_fault(std::string_view words) {
    struct Fault {
        std::string_view sign; ///< in the words of OpenSSL, LibreSSL, or GnuTLS
        std::string_view meaning;
    };
    constexpr std::string_view client_is_refused =
        "the server refuses the client certificate: see --cert";
    constexpr std::string_view unknown_issuer =
        "its certificate's issuer is unknown here: see --cacert";
    // The first that fits counts. An alert is what the server says about ours.
    static constexpr std::array faults{
        Fault{"alert certificate required",
              "the server requires a client certificate: see --cert"},
        Fault{"alert bad certificate", client_is_refused},
        Fault{"alert unsupported certificate", client_is_refused},
        Fault{"alert certificate", client_is_refused},
        Fault{"alert unknown ca", client_is_refused},
        Fault{"certificate in certificate chain", unknown_issuer},
        Fault{"unable to get", unknown_issuer},
        Fault{"unable to verify the first certificate", unknown_issuer},
        Fault{"certificate verification failed", unknown_issuer},
        Fault{"self-signed certificate", "its certificate is self-signed: see --cacert"},
        Fault{"self signed certificate", "its certificate is self-signed: see --cacert"},
        Fault{"certificate has expired", "its certificate has expired: see --insecure"},
        Fault{"expiration date has passed",
              "its certificate has expired: see --insecure"},
        Fault{"not yet valid", "its certificate isn't valid yet: see --insecure"},
        Fault{"not yet activated", "its certificate isn't valid yet: see --insecure"},
        Fault{"subject name", "its certificate is for another host: see --insecure"},
    };
    const auto* const found = std::ranges::find_if(faults, [&](const Fault& fault) {
        return words.find(fault.sign) != std::string_view::npos;
    });
    return found != faults.end() ? found->meaning : std::string_view();
}

bool is_about_issuer(std::string_view fault) { return fault.ends_with("see --cacert"); }

} // namespace stage3
