#include "common/small/crawl.h"

#include "common/web/http_response.h"
#include "common/web/response_links.h"

namespace small {

std::vector<common::Url> links_in(const std::string& response, const common::Url& url) {
    return common::links_of(common::split_http_response(response), url);
}

} // namespace small
