#include "stage3_queue_crawler/program/version.h"

#include "stage3_queue_crawler/crawler/registrable_domain.h"
#include "stage3_queue_crawler/state/state_file.h"

#include <curl/curl.h>
#include <fmt/core.h>
#include <libxml/xmlversion.h>

#include <zlib.h>

namespace stage3 {

std::string_view version() { return PROGRAM_VERSION; } // meson.build has it

std::string versions() {
    return fmt::format("stage3 {}\n{}\nlibxml2/{} zlib/{} fmt/{}.{}.{} {} {}\n",
                       version(), curl_version(), LIBXML_DOTTED_VERSION, zlibVersion(),
                       FMT_VERSION / 10'000, FMT_VERSION / 100 % 100, FMT_VERSION % 100,
                       name_of_psl(), name_of_sqlite());
}

} // namespace stage3
