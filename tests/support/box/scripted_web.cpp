#include "tests/support/box/scripted_web.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>

namespace tests::box {

Reply respond(int status, std::string_view content_type, std::string_view body,
              std::vector<std::string> headers) {
    headers.insert(headers.begin(), fmt::format("Content-Type: {}", content_type));
    return {.status = status, .headers = std::move(headers), .body = std::string(body)};
}

Reply html(std::string_view body) {
    return respond(200, "text/html; charset=utf-8", body);
}

Reply page(const std::vector<std::string>& links) {
    std::string body;
    for (const std::string& link : links)
        body += fmt::format("<a href='{}'>x</a>\n", link);
    return html(body);
}

Reply redirect_to(std::string_view location, int status) {
    return respond(status, "text/html", "", {fmt::format("Location: {}", location)});
}

Reply fail(Fault fault) { return {.fault = fault}; }

Reply ScriptedWeb::answer(const Request& request) {
    const auto found = servers_.find(request.host);
    return found == servers_.end() ? fail(Fault::unreachable)
                                   : found->second->answer(request);
}

Server::Server(ScriptedWeb& web, std::string host)
    : web_(web),
      host_(host.empty() ? fmt::format("server{}.test", web.servers_.size() + 1)
                         : std::move(host)) {
    if (!web_.servers_.emplace(host_, this).second)
        throw std::logic_error("there are two servers " + host_);
}

Server::~Server() { web_.servers_.erase(host_); }

void Server::on(const std::string& target, std::vector<Reply> replies) {
    scripts_[target] = {.replies = std::move(replies)};
}

void Server::on_each(const std::vector<std::string>& targets, const Reply& reply) {
    for (const std::string& target : targets)
        on(target, reply);
}

void Server::on_head(const std::string& target, std::vector<Reply> replies) {
    head_scripts_[target] = {.replies = std::move(replies)};
}

std::string Server::url(std::string_view target) const {
    return fmt::format("http://{}{}", host_, target);
}

Reply Server::answer(const Request& request) {
    const std::string target = request.url.substr(url("").size());
    const bool has_own = request.is_head && head_scripts_.contains(target);
    auto& scripts = has_own ? head_scripts_ : scripts_;
    const auto found = scripts.find(target);
    if (found == scripts.end())
        return respond(404, "text/html", "<h1>Not in the script</h1>");
    Script& script = found->second;
    const std::size_t last = script.replies.size() - 1;
    return script.replies[std::min(script.next++, last)];
}

std::vector<Request> Server::requests() const {
    std::vector<Request> own;
    std::ranges::copy_if(web_.requests(), std::back_inserter(own),
                         [this](const Request& one) { return one.host == host_; });
    return own;
}

Times Server::begins() const {
    Times times;
    for (const Request& one : requests())
        times.push_back(one.begin);
    return times;
}

Times Server::begins(std::string_view target) const {
    Times times;
    for (const Request& one : requests())
        if (one.url == url(target))
            times.push_back(one.begin);
    return times;
}

std::size_t Server::times_asked(std::string_view target) const {
    return begins(target).size();
}

std::size_t Server::most_at_once() const {
    const auto all = requests();
    std::size_t most = 0;
    for (const Request& one : all) {
        const auto count = std::ranges::count_if(all, [&one](const Request& other) {
            return other.begin <= one.begin && (!other.end || *other.end > one.begin);
        });
        most = std::max(most, static_cast<std::size_t>(count));
    }
    return most;
}

Time Server::shortest_pause() const {
    const auto all = requests();
    Time shortest = VirtualTime::longest;
    for (std::size_t i = 1; i < all.size(); ++i)
        shortest = std::min(shortest, all[i].begin - all[i - 1].begin);
    return shortest;
}

} // namespace tests::box
