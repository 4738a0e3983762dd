#include "stage3_queue_crawler/crawler/host.h"

#include <fmt/core.h>

namespace stage3 {

std::string host_of(const common::Url& url) {
    return fmt::format("{}:{}", url.host(), url.port());
}

} // namespace stage3
