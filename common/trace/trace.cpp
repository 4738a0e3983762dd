#include "common/trace/trace.h"

#include <fmt/core.h>

#include <cerrno>

namespace common {

std::string json_string(std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            result += {'\\', c};
        else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
            result += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        else
            result += c;
    }
    return result + '"';
}

std::string_view file_of(const std::source_location& at) {
    std::string_view file = at.file_name();
    file.remove_prefix(file.rfind('/') + 1); // npos + 1 is 0: no slash, nothing removed
    return file;
}

std::string file_and_line(const std::source_location& at) {
    return fmt::format("{}:{}", file_of(at), at.line());
}

Tracer::Tracer(const std::string& path) : file_(std::fopen(path.c_str(), "we")) {
    if (!file_)
        throw std::system_error(errno, std::generic_category(),
                                fmt::format("cannot write the trace file '{}'", path));
}

void Tracer::write(std::string_view event, std::string_view fields) {
    const auto t = std::chrono::duration_cast<std::chrono::microseconds>(
        std::chrono::steady_clock::now() - start_);
    const std::string line = fmt::format("{{\"t\":{},\"turn\":{},\"event\":\"{}\",{}}}\n",
                                         t.count(), turn_, event, fields);
    if (std::fwrite(line.data(), 1, line.size(), file_.get()) < line.size())
        fail();
}

void Tracer::fail() {
    error_ = std::error_code(errno, std::generic_category());
    file_.reset();
}

std::error_code Tracer::close() {
    if (enabled() && std::fflush(file_.get()) != 0)
        fail();
    file_.reset();
    return error_;
}

void Tracer::write_select(std::optional<Selector::Milliseconds> timeout,
                          std::size_t watched) {
    write("select",
          fmt::format("\"timeout_ms\":{},\"fds\":{}",
                      timeout ? std::to_string(timeout->count()) : "null", watched));
}

void Tracer::write_ready(const Ready& ready) {
    const bool read = (ready.events & Events::read) != Events::none;
    const bool write_too = (ready.events & Events::write) != Events::none;
    write("ready",
          fmt::format("\"fd\":{},\"events\":\"{}{}{}\"", ready.fd, read ? "read" : "",
                      read && write_too ? "|" : "", write_too ? "write" : ""));
}

void Tracer::write_callback(std::string_view phase, std::string_view name,
                            const std::source_location& at) {
    write("callback", fmt::format("\"phase\":\"{}\",\"name\":{},\"at\":{}", phase,
                                  json_string(name), json_string(file_and_line(at))));
}

void Tracer::write_task(std::string_view phase, const void* task, const void* future,
                        std::span<const ChainLink> chain) {
    if (phase == "new")
        known_[task] = {.id = next_id_++, .waiters = 0};
    std::string fields =
        fmt::format("\"phase\":\"{}\",\"id\":{}", phase, known_[task].id);
    if (future != nullptr) {
        Known& awaited = known_[future];
        ++awaited.waiters;
        fields += fmt::format(",\"awaiting\":{}", awaited.id);
    }
    if (!chain.empty()) {
        fields += fmt::format(",\"name\":{},\"chain\":[", json_string(chain[0].name));
        for (const ChainLink& link : chain)
            fields += fmt::format("{}{{\"name\":{},\"at\":{}}}",
                                  &link == chain.data() ? "" : ",",
                                  json_string(link.name), json_string(link.at));
        fields += ']';
    }
    write("task", fields);
    if (phase == "done")
        known_.erase(task); // its address may be another's from now on
}

void Tracer::write_future_new(const void* future) {
    const auto [entry, is_new] = known_.try_emplace(future, Known{next_id_, 0});
    if (!is_new)
        return;
    ++next_id_;
    write("future", fmt::format("\"phase\":\"new\",\"id\":{}", entry->second.id));
}

void Tracer::write_future_end(const void* future, std::string_view phase) {
    const auto found = known_.find(future);
    if (found == known_.end())
        return;
    write("future", fmt::format("\"phase\":\"{}\",\"id\":{},\"waiters\":{}", phase,
                                found->second.id, found->second.waiters));
    known_.erase(found);
}

void Tracer::write_queue(std::string_view phase, const Queue& queue) {
    write("queue",
          fmt::format("\"phase\":\"{}\",\"size\":{},\"unfinished\":{},\"getters\":{},"
                      "\"putters\":{}",
                      phase, queue.size, queue.unfinished, queue.getters, queue.putters));
}

void Tracer::write_fetch_start(std::uint64_t id, std::string_view url) {
    write("fetch",
          fmt::format("\"phase\":\"start\",\"id\":{},\"url\":{}", id, json_string(url)));
}

void Tracer::write_fetch_end(std::uint64_t id, std::string_view url, int status,
                             std::size_t bytes) {
    write("fetch",
          fmt::format("\"phase\":\"end\",\"id\":{},\"url\":{},\"status\":{},\"bytes\":{}",
                      id, json_string(url), status == 0 ? "null" : std::to_string(status),
                      bytes));
}

} // namespace common
