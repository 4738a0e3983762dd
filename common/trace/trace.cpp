#include "common/trace/trace.h"

#include <fmt/core.h>

#include <cerrno>
#include <exception>
#include <filesystem>
#include <utility>

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

namespace {

std::string normal(const char* file) {
    return std::filesystem::path(file).lexically_normal().generic_string();
}

/// Compilers are told paths from where they run, "../../common/trace/trace.cpp", or from
/// the root of the file system. This file knows its own place, and so ours.
std::string from_root(const char* file) {
    const std::string own = normal(std::source_location::current().file_name());
    const std::string root = own.substr(0, own.rfind("common/trace/"));
    std::string path = normal(file);
    if (path.starts_with(root))
        path.erase(0, root.size());
    while (path.starts_with("../"))
        path.erase(0, 3);
    return path;
}

} // namespace

const std::string& path_of(const std::source_location& at) {
    // Once for each file: its name is a constant of the program's.
    thread_local static std::unordered_map<const char*, std::string> known;
    auto place = known.find(at.file_name());
    if (place == known.end())
        place = known.emplace(at.file_name(), from_root(at.file_name())).first;
    return place->second;
}

std::string path_and_line(const std::source_location& at) {
    return fmt::format("{}:{}", path_of(at), at.line());
}

namespace {

std::string_view words_for(Events events) {
    const bool reads = (events & Events::read) != Events::none;
    const bool writes = (events & Events::write) != Events::none;
    if (reads && writes)
        return "read|write";
    if (reads)
        return "read";
    return writes ? "write" : "";
}

std::string where(const Place& place) {
    return json_string(has_only_begun(place) ? path_of(place.function)
                                             : path_and_line(place.line));
}

/// Of a coroutine: its function's name, and the line that it has reached.
std::string function_and_line(const Place& place) {
    return fmt::format("\"name\":{},\"at\":{}",
                       json_string(short_name(place.function.function_name())),
                       where(place));
}

/// The field "chain".
std::string links(const std::vector<Place>& chain) {
    std::string text = ",\"chain\":[";
    for (const Place& place : chain)
        text += fmt::format("{}{{{}}}", &place == chain.data() ? "" : ",",
                            function_and_line(place));
    return text + ']';
}

} // namespace

Tracer::Tracer(const std::string& path, std::string_view program, Clock clock)
    : file_(std::fopen(path.c_str(), "we")), clock_(std::move(clock)), start_(clock_()) {
    if (!file_)
        throw std::system_error(errno, std::generic_category(),
                                fmt::format("cannot write the trace file '{}'", path));
    write("trace", fmt::format("\"version\":2,\"program\":{}", json_string(program)));
}

// NOLINTNEXTLINE(bugprone-exception-escape): if memory is used up
Tracer::~Tracer() {
    if (enabled())
        write_end();
}

void Tracer::write(std::string_view event, std::string_view fields) {
    const auto t =
        std::chrono::duration_cast<std::chrono::microseconds>(clock_() - start_);
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
    if (enabled())
        write_end();
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

void Tracer::write_end() { write("end", "\"whole\":true"); }

void Tracer::write_awake(std::size_t ready) {
    write("awake", fmt::format("\"ready\":{}", ready));
}

void Tracer::write_ready(const Ready& ready) {
    write("ready",
          fmt::format("\"fd\":{},\"events\":\"{}\"", ready.fd, words_for(ready.events)));
}

void Tracer::write_watch_add(int fd, Events events, std::string_view name,
                             const std::source_location& at) {
    write("watch",
          fmt::format(
              "\"phase\":\"add\",\"fd\":{},\"events\":\"{}\",\"name\":{},\"at\":{}", fd,
              words_for(events), json_string(name), json_string(path_and_line(at))));
}

void Tracer::write_watch_remove(int fd, Events events) {
    write("watch", fmt::format("\"phase\":\"remove\",\"fd\":{},\"events\":\"{}\"", fd,
                               words_for(events)));
}

void Tracer::CallbackRuns::begin() {
    if (name_.empty())
        return;
    exceptions_ = std::uncaught_exceptions();
    std::string more;
    if (fd_ >= 0) {
        more = fmt::format(",\"fd\":{}", fd_);
    } else if (const auto call = tracer_.calls_.extract(call_)) {
        more = fmt::format(",\"call\":{}", call.mapped());
    }
    tracer_.write_callback("begin", name_, at_, more);
}

void Tracer::CallbackRuns::end() const {
    if (name_.empty())
        return;
    const bool threw = std::uncaught_exceptions() > exceptions_;
    tracer_.write_callback("end", name_, at_, threw ? ",\"threw\":true" : "");
}

void Tracer::write_callback(std::string_view phase, std::string_view name,
                            const std::source_location& at, std::string_view more) {
    write("callback",
          fmt::format("\"phase\":\"{}\",\"name\":{},\"at\":{}{}", phase,
                      json_string(name), json_string(path_and_line(at)), more));
}

void Tracer::write_task_new(const void* task, std::string_view name, const Place& first) {
    const std::uint64_t id = next_id_++;
    known_[task] = {.id = id, .is_task = true};
    const std::string function = short_name(first.function.function_name());
    write("task",
          fmt::format("\"phase\":\"new\",\"id\":{},\"name\":{},\"function\":{},\"at\":{}",
                      id, json_string(name.empty() ? function : name),
                      json_string(function), where(first)));
}

void Tracer::write_task(const void* task, std::string_view phase) {
    Known& known = known_[task];
    if (phase == "step") {
        stepping_.push_back(known.id);
        known.waits = nullptr;
    }
    write("task", fmt::format("\"phase\":\"{}\",\"id\":{}", phase, known.id));
}

void Tracer::write_task_suspend(const void* task, const void* future,
                                const std::vector<Place>& chain) {
    std::erase(stepping_, known_[task].id);
    std::string fields = fmt::format("\"phase\":\"suspend\",\"id\":{}", known_[task].id);
    if (future != nullptr) {
        known_[task].waits = future;
        Known& awaited = known_[future];
        ++awaited.waiters;
        fields += fmt::format(",\"awaiting\":{}", awaited.id);
    }
    write("task", fields + links(chain));
}

void Tracer::write_task_done(const void* task, std::string_view outcome) {
    // Was it destroyed while it waited? Then a future that nobody else waits for may be
    // gone, too, and its address another's.
    const auto awaited = known_.find(known_[task].waits);
    if (awaited != known_.end() && !awaited->second.is_task
        && awaited->second.waiters > 0) {
        --awaited->second.waiters;
        if (awaited->second.waiters == 0)
            known_.erase(awaited);
    }
    std::erase(stepping_, known_[task].id);
    write("task", fmt::format("\"phase\":\"done\",\"id\":{},\"outcome\":\"{}\"",
                              known_[task].id, outcome));
    known_.erase(task); // its address may be another's from now on
}

void Tracer::write_coroutine(const void* task, std::string_view phase,
                             const Place& called, const Place& caller) {
    write("coroutine", fmt::format("\"phase\":\"{}\",\"task\":{},{},\"from\":{}", phase,
                                   known_[task].id, function_and_line(called),
                                   json_string(path_and_line(caller.line))));
}

void Tracer::write_generator(const void* generator, const GeneratorEvent& event) {
    const bool is_new = event.phase == "new";
    if (is_new)
        known_[generator] = {.id = next_id_++, .is_task = true};
    std::string fields =
        fmt::format("\"phase\":\"{}\",\"id\":{}", event.phase, known_[generator].id);
    if (!event.how.empty())
        fields += fmt::format(",\"how\":\"{}\"", event.how);
    if (!event.word.empty())
        fields += ",\"word\":" + json_string(event.word);
    if (event.at != nullptr)
        fields += fmt::format(",\"by\":{},\"at\":{}",
                              json_string(short_name(event.at->function_name())),
                              json_string(path_and_line(*event.at)));
    if (event.number)
        fields += fmt::format(",\"number\":{}", *event.number);
    if (is_new)
        fields += "," + function_and_line(event.chain.front());
    else if (!event.chain.empty())
        fields += links(event.chain);
    write("generator", fields);
}

void Tracer::write_future_new(const void* future, const std::source_location* at) {
    known_[future] = {.id = next_id_};
    write("future",
          fmt::format("\"phase\":\"new\",\"id\":{}{}", next_id_,
                      at == nullptr ? "" : ",\"at\":" + json_string(path_and_line(*at))));
    ++next_id_;
}

void Tracer::write_future_met(const void* future) {
    if (!known_.contains(future))
        write_future_new(future, nullptr);
}

void Tracer::write_future_end(const void* future, std::string_view phase,
                              std::optional<std::size_t> waiters) {
    const auto found = known_.find(future);
    if (found == known_.end())
        return;
    write("future",
          fmt::format("\"phase\":\"{}\",\"id\":{},\"waiters\":{}", phase,
                      found->second.id, waiters.value_or(found->second.waiters)));
    if (!found->second.is_task) // it has yet to be done
        known_.erase(found);
}

void Tracer::write_queue(const QueueEvent& event, const Queue& queue) {
    std::string fields =
        fmt::format("\"phase\":\"{}\",\"queue\":{}", event.phase, queue.id);
    if (!event.item.empty())
        fields += ",\"item\":" + json_string(event.item);
    if (event.future != nullptr)
        fields += fmt::format(",\"future\":{}", known_[event.future].id);
    write("queue", fmt::format("{},\"size\":{},\"unfinished\":{},\"getters\":{},"
                               "\"putters\":{}",
                               fields, queue.size, queue.unfinished, queue.getters,
                               queue.putters));
}

void Tracer::write_task_scheduled(const void* task) {
    write("schedule", fmt::format("\"task\":{}", known_[task].id));
}

void Tracer::write_call_scheduled(const void* call, std::string_view name,
                                  const std::source_location& at) {
    calls_[call] = next_id_; // the address may be an old one
    write("schedule", fmt::format("\"call\":{},\"name\":{},\"at\":{}", new_id(),
                                  json_string(name), json_string(path_and_line(at))));
}

void Tracer::write_timer_set(const void* call, std::string_view name,
                             const std::source_location& at,
                             std::chrono::nanoseconds delay) {
    calls_[call] = next_id_;
    const std::chrono::duration<double, std::milli> in_ms = delay;
    write("timer",
          fmt::format(
              "\"phase\":\"set\",\"call\":{},\"name\":{},\"at\":{},\"in_ms\":{:.3f}",
              new_id(), json_string(name), json_string(path_and_line(at)),
              in_ms.count()));
}

/// "due" or "cancel"; what is cancelled is forgotten.
void Tracer::write_call(const void* call, std::string_view event,
                        std::string_view phase) {
    const auto known = calls_.find(call);
    if (known == calls_.end())
        return;
    write(event, fmt::format("\"phase\":\"{}\",\"call\":{}", phase, known->second));
    if (phase == "cancel")
        calls_.erase(known);
}

void Tracer::write_fetch_start(std::uint64_t id, std::string_view url, int fd) {
    std::string fields =
        fmt::format("\"phase\":\"start\",\"id\":{},\"url\":{}", id, json_string(url));
    if (!stepping_.empty())
        fields += fmt::format(",\"task\":{}", stepping_.back());
    if (fd >= 0)
        fields += fmt::format(",\"fd\":{}", fd);
    write("fetch", fields);
}

void Tracer::write_fetch_end(std::uint64_t id, std::string_view url,
                             const Fetched& fetched) {
    std::string fields = fmt::format(
        "\"phase\":\"end\",\"id\":{},\"url\":{},\"status\":{},\"bytes\":{}", id,
        json_string(url), fetched.status == 0 ? "null" : std::to_string(fetched.status),
        fetched.bytes);
    if (!fetched.next.empty())
        fields += ",\"next\":" + json_string(fetched.next);
    if (!fetched.error.empty())
        fields += ",\"error\":" + json_string(fetched.error);
    write("fetch", fields);
}

} // namespace common
