#include "stage3_queue_crawler/program/version.h"

#include "stage3_queue_crawler/crawler/registrable_domain.h"
#include "stage3_queue_crawler/state/state_file.h"

#include <curl/curl.h>
#include <fmt/core.h>
#include <libxml/xmlversion.h>

#include <string>
#include <utility>

#include <zlib.h>

namespace stage3 {
namespace {

/// Of libcurl, and of what it uses for HTTP. curl_version() names the library for LDAP,
/// too, and starts it to ask for its version: it loads plugins, which took 5 of the 29
/// million instructions of --version.
std::string versions_of_curl() {
    const curl_version_info_data& curl = *curl_version_info(CURLVERSION_NOW);
    std::string text = fmt::format("libcurl/{}", curl.version);
    for (const auto& [name, version] : {std::pair("", curl.ssl_version),
                                        {"zlib/", curl.libz_version},
                                        {"brotli/", curl.brotli_version},
                                        {"zstd/", curl.zstd_version},
                                        {"libidn2/", curl.libidn},
                                        {"nghttp2/", curl.nghttp2_version}})
        if (version != nullptr)
            text += fmt::format(" {}{}", name, version);
    return text;
}

} // namespace

std::string_view version() { return PROGRAM_VERSION; } // meson.build has it

std::string versions() {
    return fmt::format("stage3 {}\n{}\nlibxml2/{} zlib/{} fmt/{}.{}.{} {} {}\n",
                       version(), versions_of_curl(), LIBXML_DOTTED_VERSION,
                       zlibVersion(), FMT_VERSION / 10'000, FMT_VERSION / 100 % 100,
                       FMT_VERSION % 100, name_of_psl(), name_of_sqlite());
}

} // namespace stage3
