#include "tests/support/box/site_web.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <vector>

namespace tests::box {
namespace {

constexpr int too_many = 429;

std::string type_of(Resource::Kind kind) {
    switch (kind) {
    case Resource::Kind::robots:
    case Resource::Kind::sitemap: return "text/plain";
    case Resource::Kind::file: return "image/png";
    default: return "text/html";
    }
}

} // namespace

Reply SiteWeb::answer(const Request& request) {
    const auto found = site_.hosts.find(request.host);
    const Time now = time().now();
    if (found == site_.hosts.end() || (found->second.dies && now >= *found->second.dies))
        return {.fault = Fault::unreachable};
    const Host& host = found->second;
    if (host.closes && now >= *host.closes)
        return {.status = too_many, .body = "closed", .until_head = host.latency};
    if (host.limit && !takes_token(request.host, *host.limit))
        return host.limit->refusal.after(host.latency);
    const auto resource = site_.resources.find(request.url);
    if (resource == site_.resources.end())
        return {.status = 404, .body = "gone", .until_head = host.latency};
    Reply reply = reply_of(request, resource->second);
    reply.until_head = host.latency + resource->second.until_head;
    return reply;
}

bool SiteWeb::takes_token(const std::string& name, const RateLimit& limit) {
    const Time now = time().now();
    const auto [place, is_new] = buckets_.try_emplace(name);
    Bucket& bucket = place->second;
    const std::chrono::duration<double> since = now - bucket.filled;
    const double most = limit.burst;
    bucket.tokens =
        is_new ? most : std::min(most, bucket.tokens + since.count() * limit.per_second);
    bucket.filled = now;
    if (bucket.tokens < 1)
        return false;
    --bucket.tokens;
    return true;
}

Reply SiteWeb::reply_of(const Request& request, const Resource& one) {
    if (request.is_head && one.refuses_head)
        return {.status = 405};
    const std::size_t number = asked_[request.url]++;
    if (number < one.failures.size())
        return one.failures[number];
    if (one.never_recovers && !one.failures.empty())
        return one.failures.back();
    Reply reply{.status = one.status, .body = body_of(request, one)};
    reply.headers.push_back("Content-Type: " + type_of(one.kind));
    if (!one.location.empty())
        reply.headers.push_back("Location: " + one.location);
    reply.until_body = one.until_body;
    return reply;
}

std::string SiteWeb::body_of(const Request& request, const Resource& one) const {
    const Host& host = site_.hosts.at(request.host);
    std::string body;
    switch (one.kind) {
    case Resource::Kind::file: return "PNG";
    case Resource::Kind::redirect:
    case Resource::Kind::error: return "";
    case Resource::Kind::sitemap:
        for (const Link& link : one.links)
            body += link.url + "\n";
        return body;
    case Resource::Kind::robots:
        body = "User-agent: *\n";
        if (host.forbids_no)
            body += "Disallow: /no/\n";
        if (host.crawl_delay > Time())
            body += fmt::format("Crawl-delay: {:.3f}\n",
                                std::chrono::duration<double>(host.crawl_delay).count());
        if (!host.named_sitemap.empty())
            body +=
                fmt::format("Sitemap: http://{}{}\n", request.host, host.named_sitemap);
        return body;
    case Resource::Kind::page: break;
    }
    body = "<h1 id=top>A page</h1>\n<a href='mailto:a@b.test'>x</a>\n";
    for (const Link& link : one.links) {
        const std::string url =
            link.url + (link.fragment.empty() ? "" : "#" + link.fragment);
        body += link.is_picture ? fmt::format("<img src='{}'>\n", url)
                                : fmt::format("<a href='{}'>x</a>\n", url);
    }
    return body;
}

} // namespace tests::box
