#include "common/web/response_links.h"

#include "common/web/links.h"

namespace common {

// [links-of]
std::vector<Url> links_of(const HttpResponse& response, const Url& url) {
    if (is_redirect(response.status)) {
        const auto target = resolve_url(response.header("Location"), url);
        return target ? std::vector{*target} : std::vector<Url>{};
    }
    if (response.status != 200)
        return {};
    return find_links(response.body, response.header("Content-Type"), url).urls;
}
// [/links-of]

} // namespace common
