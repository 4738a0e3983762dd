#include "common/first/crawl.h"

#include "common/web/http_response.h"
#include "common/web/links.h"

namespace first {

std::vector<common::Url> links_in(const std::string& response, const common::Url& url) {
    const auto taken_apart = common::split_http_response(response);
    if (common::is_redirect(taken_apart.status)) {
        const auto target = common::resolve_url(taken_apart.header("Location"), url);
        return target ? std::vector{*target} : std::vector<common::Url>{};
    }
    if (taken_apart.status != 200)
        return {};
    return common::find_links(taken_apart.body, taken_apart.header("Content-Type"), url)
        .urls;
}

} // namespace first
