#include "stage3_queue_crawler/crawler/host.h"

namespace stage3 {

std::string host_of(const common::Url& url) {
    // Called several times per page: fmt::format takes three times as long.
    return std::string(url.host()).append(":").append(std::to_string(url.port()));
}

} // namespace stage3
