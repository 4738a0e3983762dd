#include "stage3_queue_crawler/http/remapped_session.h"

#include "common/text/ascii.h"
#include "common/web/http_response.h"
#include "stage3_queue_crawler/http/folder_server.h"
#include "stage3_queue_crawler/http/response_head.h"

#include <fmt/core.h>

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>

namespace stage3 {
namespace {

using common::Url;

/// An answer that no server has given.
class MadeUp final : public Exchange {
  public:
    MadeUp(EventLoop& loop, ResponseHead head) : head_(std::move(head)), complete_(loop) {
        complete_.set_result();
    }
    const ResponseHead& head() const override { return head_; }
    bool is_wanted() const override { return false; }
    const Future<>& complete() const override { return complete_; }
    Future<> beginning(std::size_t /*bytes*/) override { return complete_; }
    const std::string& body() const override { return body_; }
    std::string take_body() override { return {}; }
    bool do_without_body() override { return true; }

  private:
    const ResponseHead head_;
    Future<> complete_;
    const std::string body_;
};

/// A redirect whose target is spelled as the crawl knows it.
class Renamed final : public Exchange {
  public:
    Renamed(std::shared_ptr<Exchange> real, ResponseHead head)
        : real_(std::move(real)), head_(std::move(head)) {}
    const ResponseHead& head() const override { return head_; }
    bool is_wanted() const override { return real_->is_wanted(); }
    const Future<>& complete() const override { return real_->complete(); }
    Future<> beginning(std::size_t bytes) override { return real_->beginning(bytes); }
    const std::string& body() const override { return real_->body(); }
    std::string take_body() override { return real_->take_body(); }
    bool do_without_body() override { return real_->do_without_body(); }

  private:
    const std::shared_ptr<Exchange> real_;
    const ResponseHead head_;
};

/// "/a" from the server that stands in for another is the "/a" of that one only if both
/// begin at the root. So it's resolved where it was said.
Response rename_target(Response response, const Url& at, const UrlMappings& mappings) {
    const ResponseHead& head = response.exchange()->head();
    const std::string_view location = common::trim(head.header("Location"));
    if (!common::is_redirect(head.status()) || location.empty())
        return response;
    std::optional<Url> target = common::resolve_url(location, at);
    if (!target)
        return response;
    mappings.rename(*target);
    const auto hash = location.find('#');
    std::string text(target->href());
    if (hash != std::string_view::npos)
        text += location.substr(hash);
    ResponseHead renamed = head;
    renamed.replace("Location", std::move(text));
    return Response(std::make_shared<Renamed>(response.exchange(), std::move(renamed)));
}

/// It's the folder that has failed, and another attempt won't help.
FetchError refusal(std::string_view why) {
    FetchError error(FetchError::Kind::unreadable, std::string(why), 0);
    error.was_sent = true;
    return error;
}

Response made_up(std::size_t most_bytes, std::initializer_list<std::string> lines) {
    ResponseHead head(most_bytes);
    for (const std::string& line : lines)
        head.take(line + "\r\n");
    head.take("\r\n");
    return Response(std::make_shared<MadeUp>(running_loop(), std::move(head)));
}

Response redirect(std::size_t most_bytes, const Url& target) {
    return made_up(most_bytes, {"HTTP/1.1 301 Moved Permanently",
                                fmt::format("Location: {}", target.href())});
}

SessionOptions trusting(SessionOptions options, bool uses_proxy) {
    options.objection = {};
    options.uses_proxy = options.uses_proxy && uses_proxy;
    return options;
}

} // namespace

RemappedSession::RemappedSession(EventLoop& loop, const SessionOptions& options,
                                 std::shared_ptr<const UrlMappings> mappings,
                                 const OpenHttp& open)
    : mappings_(std::move(mappings)), max_headers_(options.max_headers),
      others_(open(loop, options)), mapped_(open(loop, trusting(options, true))),
      folders_(open(loop, trusting(options, false))) {}

bool RemappedSession::is_busy() const {
    return others_->is_busy() || mapped_->is_busy() || folders_->is_busy();
}

Coroutine<Response> RemappedSession::get(Url url, GetOptions options) {
    std::optional<UrlMappings::Way> way = mappings_->find(url);
    if (!way)
        return get_elsewhere(std::move(url), std::move(options));
    return get_mapped(std::move(url), *std::move(way), std::move(options));
}

/// Whether private addresses may be asked is known here: see Http::may_be_private.
Coroutine<Response> RemappedSession::get_elsewhere(Url url, GetOptions options) {
    if (may_be_private())
        others_->allow_private();
    Response response = co_await others_->get(std::move(url), std::move(options));
    if (others_->may_be_private())
        allow_private();
    co_return response;
}

Coroutine<Response> RemappedSession::get_mapped(Url url, UrlMappings::Way way,
                                                GetOptions options) {
    options.only_public = false;
    if (options.on_head)
        options.on_head = [url, tell = std::move(options.on_head)](
                              const Url&, const ResponseHead& head) { tell(url, head); };
    if (way.redirect_to)
        co_return redirect(max_headers_, *way.redirect_to);
    if (!way.to) {
        Coroutine<Response> asking = get_robots_txt(std::move(url), std::move(options));
        co_return co_await std::move(asking);
    }
    if (way.mapping->is_folder) { // what is for servers could only confuse it
        options.with_headers = false;
        options.login.reset();
    }
    Http& session = way.mapping->is_folder ? *folders_ : *mapped_;
    Response response = co_await session.get(*way.to, std::move(options));
    constexpr int forbidden = 403;
    if (const std::string_view why = response.header(FolderServer::reason);
        way.mapping->is_folder && response.status() == forbidden && !why.empty()) {
        throw refusal(why);
    }
    co_return rename_target(std::move(response), *way.to, *mappings_);
}

/// Its rules count for what isn't mapped, and will count for the rest. If the site isn't
/// published at all, there are none.
Coroutine<Response> RemappedSession::get_robots_txt(Url url, GetOptions options) {
    try {
        Coroutine<Response> asking = get_elsewhere(std::move(url), std::move(options));
        co_return co_await std::move(asking);
    } catch (const FetchError& error) {
        if (error.kind == FetchError::Kind::no_descriptor)
            throw;
    }
    co_return made_up(max_headers_, {"HTTP/1.1 404 Not Found"});
}

} // namespace stage3
