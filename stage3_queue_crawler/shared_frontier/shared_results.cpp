#include "stage3_queue_crawler/shared_frontier/shared_results.h"

#include "stage3_queue_crawler/shared_frontier/chunks.h"
#include "stage3_queue_crawler/shared_frontier/shared_fragments.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <map>
#include <string_view>
#include <utility>

namespace stage3 {

namespace {

std::uint64_t to_number(std::string_view text) {
    std::uint64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

common::Url read_url(const std::string& text) {
    if (auto url = url_of_word(text))
        return *url;
    throw CantTakePart(fmt::format("'{}' is in the crawl, and is no URL", text));
}

Outcome outcome_of(std::string_view name) {
    for (const Outcome outcome : {Outcome::page, Outcome::file, Outcome::redirect,
                                  Outcome::error, Outcome::disallowed, Outcome::unclear})
        if (name == name_of(outcome))
            return outcome;
    return Outcome::failed;
}

/// A stream entry consists of its ID, and of names with values.
using Fields = std::map<std::string_view, std::string_view>;
Fields fields_of(const RedisReply& entry) {
    Fields fields;
    const std::vector<RedisReply>& list = entry.items.at(1).items;
    for (std::size_t i = 0; i + 1 < list.size(); i += 2)
        fields.emplace(list[i].text, list[i + 1].text);
    return fields;
}

} // namespace

SharedResults::SharedResults(EventLoop& loop, SharedCrawl crawl)
    : crawl_(std::move(crawl)) {
    for (const RedisUrl& url : crawl_.servers) {
        Server server;
        server.client = std::make_unique<RedisClient>(
            loop, url,
            RedisSettings{.wait_at_start = crawl_.wait_for_servers,
                          .on_note = crawl_.on_note});
        servers_.push_back(std::move(server));
    }
}

std::string SharedResults::key(std::string_view name) const {
    return fmt::format("{{{}}}:{}", crawl_.name, name);
}

Coroutine<RedisReply> SharedResults::ask(std::size_t server,
                                         std::vector<std::string> command) {
    try {
        co_return co_await servers_[server].client->call(std::move(command));
    } catch (const RedisError& error) {
        throw CantTakePart(
            fmt::format("{}: {}", crawl_.servers[server].shown(), error.what()));
    }
}

Coroutine<> SharedResults::look() {
    try {
        for (const Server& server : servers_)
            co_await server.client->check();
    } catch (const RedisUnfit& error) {
        throw CantTakePart(error.what());
    }
}

Coroutine<std::size_t> SharedResults::forget() {
    std::size_t count = 0;
    for (std::size_t i = 0; i < servers_.size(); ++i) {
        std::string cursor = "0";
        do {
            std::vector<std::string> scan{"SCAN",   cursor,  "MATCH",
                                          key("*"), "COUNT", "1000"};
            const RedisReply reply = co_await ask(i, std::move(scan));
            cursor = reply.items.at(0).text;
            std::vector<std::string> unlink{"UNLINK"};
            for (const RedisReply& name : reply.items.at(1).items)
                unlink.push_back(name.text);
            count += unlink.size() - 1;
            if (unlink.size() > 1)
                co_await ask(i, std::move(unlink));
        } while (cursor != "0");
    }
    co_return count;
}

Coroutine<> SharedResults::read() {
    for (std::size_t i = 0; i < servers_.size(); ++i)
        co_await read_state(i);
    for (std::size_t i = 0; i < servers_.size(); ++i)
        co_await read_pages(i);
    for (std::size_t i = 0; i < servers_.size(); ++i) {
        co_await read_urls(i);
        co_await read_links(i);
    }
}

Coroutine<> SharedResults::read_state(std::size_t server) {
    std::vector<std::string> command{
        "HMGET", key("meta"), "state", "unfinished", "records",  "known",   "dead",
        "clock", "servers",   "begun", "ended",      "given_up", "deferred"};
    const RedisReply reply = co_await ask(server, std::move(command));
    const std::vector<RedisReply>& values = reply.items;
    if (values.at(0).is_null)
        throw CantTakePart(fmt::format("there is no crawl '{}' on {}", crawl_.name,
                                       crawl_.servers[server].shown()));
    if (to_number(values.at(6).text) != servers_.size())
        throw CantTakePart(fmt::format("the crawl '{}' has {} servers: name them all",
                                       crawl_.name, values.at(6).text));
    const SharedState::Stage stage = stage_named(values.at(0).text);
    if (server == 0 || stage != SharedState::Stage::complete)
        state_.stage = stage;
    state_.unfinished += to_number(values.at(1).text) + to_number(values.at(10).text);
    state_.records += to_number(values.at(2).text);
    state_.known += to_number(values.at(3).text);
    state_.dead += to_number(values.at(4).text);
    state_.given_up += to_number(values.at(9).text);
    state_.is_whole = state_.is_whole && values.at(7).text == values.at(8).text;
    const std::chrono::duration<double, std::micro> clock(
        static_cast<double>(to_number(values.at(5).text)));
    time_ = std::max<std::chrono::duration<double>>(time_, clock);
}

/// A page has the number of its record.
Coroutine<> SharedResults::read_pages(std::size_t server) {
    reading_ = server;
    last_ = "-";
    while (true) {
        const RedisReply some = co_await read_entries(server);
        if (some.items.empty())
            break;
        for (const RedisReply& entry : some.items) {
            const Fields fields = fields_of(entry);
            const common::Url url = read_url(std::string(fields.at("url")));
            servers_[server].pages.insert_or_assign(to_number(fields.at("number")),
                                                    urls_.number_of(url));
        }
    }
    reading_ = 0;
    last_ = "-";
}

Coroutine<RedisReply> SharedResults::read_entries(std::size_t server) {
    std::vector<std::string> command{"XRANGE", key("records"), last_,
                                     "+",      "COUNT",        "1000"};
    RedisReply some = co_await ask(server, std::move(command));
    if (!some.items.empty())
        last_ = "(" + some.items.back().items.at(0).text;
    co_return some;
}

Coroutine<> SharedResults::read_urls(std::size_t server) {
    std::string cursor = "0";
    do {
        std::vector<std::string> command{"HSCAN", key("urls"), cursor, "COUNT", "1000"};
        const RedisReply reply = co_await ask(server, std::move(command));
        cursor = reply.items.at(0).text;
        const std::vector<RedisReply>& list = reply.items.at(1).items;
        for (std::size_t i = 0; i + 1 < list.size(); i += 2)
            note_url(server, list[i].text, list[i + 1].text);
    } while (cursor != "0");
}

/// `name`: a number, "12"; or another server's, "2.12". nullptr: it has no record yet.
const KnownUrl::Number* SharedResults::page(std::size_t server,
                                            std::string_view name) const {
    if (const auto dot = name.find('.'); dot != std::string_view::npos) {
        server = to_number(name.substr(0, dot));
        name.remove_prefix(dot + 1);
    }
    if (server >= servers_.size())
        return nullptr;
    const auto found = servers_[server].pages.find(to_number(name));
    return found == servers_[server].pages.end() ? nullptr : &found->second;
}

/// `value`: its state and its number there, "q12". It may come more than once.
void SharedResults::note_url(std::size_t server, const std::string& url,
                             std::string_view value) {
    const KnownUrl::Number ours = urls_.number_of(read_url(url));
    const char state = value.empty() ? 'm' : value.front();
    if (state == 'q' || state == 'c')
        urls_[ours].state = KnownUrl::State::queued;
    else if (state != 'm')
        urls_[ours].state =
            state == 'f' ? KnownUrl::State::fetched : KnownUrl::State::dead;
    const std::size_t number =
        to_number(value.substr(std::min<std::size_t>(1, value.size())));
    std::vector<KnownUrl::Number>& numbers = servers_[server].urls;
    if (number >= numbers.size())
        numbers.resize(std::max(number + 1, 2 * numbers.size()), KnownUrl::none);
    numbers[number] = ours;
}

Coroutine<> SharedResults::read_links(std::size_t server) {
    constexpr std::size_t at_once = 1000;
    for (std::size_t first = 0;; first += at_once) {
        std::vector<std::string> command{"LRANGE", key("met"), std::to_string(first),
                                         std::to_string(first + at_once - 1)};
        const RedisReply some = co_await ask(server, std::move(command));
        if (some.items.empty())
            break;
        for (const RedisReply& links : some.items)
            note_links(server, links.text);
    }
}

/// `links`: "PAGE q12f13m14", the numbers of URLs that the page has links to.
void SharedResults::note_links(std::size_t server, std::string_view links) {
    const auto space = std::min(links.find(' '), links.size());
    const KnownUrl::Number* const on = page(server, links.substr(0, space));
    if (on == nullptr)
        return; // its record isn't written yet
    const std::vector<KnownUrl::Number>& numbers = servers_[server].urls;
    for (std::size_t at = space + 2; at < links.size();) {
        std::size_t number = 0;
        const char* const end =
            std::from_chars(links.data() + at, links.data() + links.size(), number).ptr;
        if (number < numbers.size() && numbers[number] != KnownUrl::none)
            urls_.meet(numbers[number], *on);
        at = static_cast<std::size_t>(end - links.data()) + 1; // past the next letter
    }
}

Coroutine<std::vector<Record>> SharedResults::next_records() {
    std::vector<Record> records;
    while (records.empty() && reading_ < servers_.size()) {
        const RedisReply some = co_await read_entries(reading_);
        for (const RedisReply& entry : some.items) {
            records.push_back(to_record(reading_, entry));
            const Record& record = records.back();
            KnownUrl& known = urls_[record.url];
            known.depth = static_cast<std::uint32_t>(record.depth);
            known.role = record.role.value_or(known.role);
            known.is_redirect = record.outcome == Outcome::redirect;
            if (record.parent)
                known.parent = urls_.number_of(*record.parent);
        }
        if (some.items.empty()) {
            ++reading_;
            last_ = "-";
        }
    }
    co_return records;
}

Coroutine<std::vector<Record>> SharedResults::missing_fragments() {
    constexpr std::size_t at_once = 10; // each may be large
    Fragments fragments;
    for (std::size_t server = 0; server < servers_.size(); ++server) {
        for (std::size_t first = 0;; first += at_once) {
            std::vector<std::string> command{"LRANGE", key("places"),
                                             std::to_string(first),
                                             std::to_string(first + at_once - 1)};
            const RedisReply some = co_await ask(server, std::move(command));
            if (some.items.empty())
                break;
            for (const RedisReply& one : some.items) {
                const auto end = std::min(one.text.find('\n'), one.text.size() - 1);
                const std::string_view text = one.text;
                if (const auto* const on = page(server, text.substr(0, end)))
                    read_places(text.substr(end + 1), *on, urls_, fragments);
            }
        }
    }
    co_return records_of_missing(fragments, urls_);
}

Coroutine<> SharedResults::note(Findings findings) {
    std::vector<std::string> command{"HSET",
                                     key("meta"),
                                     "more_dead",
                                     std::to_string(findings.more_dead),
                                     "nothing_checked",
                                     findings.nothing_checked,
                                     "left_some_out",
                                     findings.has_left_some_out ? "1" : ""};
    co_await ask(0, std::move(command));
}

Coroutine<SharedResults::Findings> SharedResults::findings() {
    std::vector<std::string> command{"HMGET", key("meta"), "more_dead", "nothing_checked",
                                     "left_some_out"};
    const RedisReply reply = co_await ask(0, std::move(command));
    Findings findings;
    findings.more_dead = static_cast<std::ptrdiff_t>(to_number(reply.items.at(0).text));
    findings.nothing_checked = reply.items.at(1).text;
    findings.has_left_some_out = !reply.items.at(2).text.empty();
    co_return findings;
}

Record SharedResults::to_record(std::size_t server, const RedisReply& entry) const {
    const Fields fields = fields_of(entry);
    const auto text = [&](std::string_view name) { return std::string(fields.at(name)); };
    const auto number = [&](std::string_view name) { return to_number(fields.at(name)); };
    Record record(read_url(text("url")));
    if (const KnownUrl::Number* const parent = page(server, fields.at("parent"))) {
        record.parent = urls_[*parent].url;
        record.role = role_of(text("kind").front());
    }
    record.is_foreign = fields.at("purpose") == "x" || record.url.is_malformed();
    record.depth = number("depth");
    record.outcome = outcome_of(fields.at("outcome"));
    record.status = static_cast<int>(number("status"));
    record.next_url = text("next_url");
    record.error = text("error");
    record.content_type = text("content_type");
    record.charset = text("charset");
    record.bytes = number("bytes");
    record.links = number("links");
    record.new_links = number("new_links");
    record.tries = static_cast<int>(number("tries"));
    record.seconds = std::strtod(text("seconds").c_str(), nullptr);
    return record;
}

} // namespace stage3
