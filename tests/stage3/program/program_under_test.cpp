#include "tests/stage3/program/program_under_test.h"

#include "tests/support/waits.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

namespace tests {
namespace {

/// Waits until a count is above 0, and the same several times in a row: once might be
/// because the whole machine stood still.
void wait_until_same(const std::function<std::uint64_t()>& count) {
    may_wait(31s, "only time tells whether another program has come to rest");
    std::uint64_t before = 0;
    int times = 0;
    wait_until([&] {
        std::this_thread::sleep_for(200ms);
        const std::uint64_t now = count();
        times = now > 0 && std::exchange(before, now) == now ? times + 1 : 0;
        return times == 5;
    });
}

} // namespace

std::string program() { return path_in("PROGRAM"); }

Finished run_stage3(std::vector<std::string> arguments, const RunOptions& how) {
    return run_program("PROGRAM", std::move(arguments), how);
}

std::vector<std::string> preloaded(const std::string& variable,
                                   const std::vector<std::string>& arguments) {
    const char* const asan = std::getenv("ASAN_OPTIONS");
    std::vector<std::string> command{
        "/usr/bin/env", fmt::format("LD_PRELOAD={}", path_in("SLOW_NAMES_LIB")), variable,
        // The address sanitizer wants to be the first library.
        fmt::format("ASAN_OPTIONS={}:verify_asan_link_order=0",
                    asan != nullptr ? asan : ""),
        program()};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return command;
}

Finished run_preloaded(const std::string& variable,
                       const std::vector<std::string>& arguments, const RunOptions& how) {
    return run(preloaded(variable, arguments), how);
}

TemporaryFile::~TemporaryFile() { std::filesystem::remove(path_); }

std::string TemporaryFile::text() const {
    std::ifstream file(path_);
    return {std::istreambuf_iterator<char>(file), {}};
}

void TemporaryFile::write(std::string_view text) const { std::ofstream(path_) << text; }

std::vector<std::string> lines(const std::string& text) {
    std::vector<std::string> result;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);)
        result.push_back(line);
    return result;
}

std::string field(const std::string& json, const std::string& name) {
    const auto key = json.find("\"" + name + "\": ");
    if (key == std::string::npos)
        return "(none)";
    const auto begin = key + name.size() + 4;
    const bool text = json[begin] == '"';
    const auto end = json.find_first_of(text ? "\"" : ",}", begin + 1);
    return json.substr(text ? begin + 1 : begin, end - begin - (text ? 1 : 0));
}

std::map<std::string, std::multiset<std::string>> by_outcome(const std::string& out) {
    std::map<std::string, std::multiset<std::string>> result;
    for (const std::string& line : lines(out)) {
        CHECK(line.starts_with("{\"url\": "));
        CHECK(line.ends_with("}"));
        result[field(line, "outcome")].insert(field(line, "url"));
    }
    return result;
}

HangingSite::HangingSite(int pages) {
    std::string links;
    for (int i = 0; i < pages; ++i) {
        links += fmt::format("<a href=/{}>x</a>", i);
        server.on(fmt::format("/{}", i), {Hold{}});
    }
    server.on("/", html(links));
}

void add_long_urls(ScriptedServer& server, std::string links) {
    for (int i = 0; i < 100; ++i) {
        const std::string path = fmt::format("/{}/{}", i, std::string(2000, 'x'));
        links += fmt::format("<a href='{}'>x</a>", path);
        server.on(path, html(""));
    }
    server.on("/", html(links));
}

void PracticeSite::check(const Finished& finished, int status) const {
    CAPTURE(finished.err);
    CHECK(finished.status == status);
    const auto found = by_outcome(finished.out);
    const auto all = [](const auto& urls) {
        return std::multiset<std::string>(urls.begin(), urls.end());
    };
    std::multiset<std::string> redirects;
    for (const auto& [url, target] : manifest.redirects)
        redirects.insert(url);
    CHECK(found.size() == 3);
    CHECK(found.at("page") == all(manifest.pages));
    CHECK(found.at("error") == all(manifest.dead));
    CHECK(found.at("redirect") == redirects);
}

void wait_until_it_rests(const PracticeSite& site) {
    wait_until_same([&] { return site.server.statistics().requests_served; });
}

void wait_until_it_rests(const ScriptedServer& server) {
    wait_until_same([&] { return server.requests().size(); });
}

void interrupt(pid_t process, int signal) {
    ::kill(process, signal);
    wait_until([&] {
        std::ifstream status(fmt::format("/proc/{}/status", process));
        std::uint64_t pending = 0; // 0 where there is no such file
        for (std::string word; status >> word;)
            if (word == "ShdPnd:")
                status >> std::hex >> pending;
        return (pending >> (signal - 1) & 1) == 0;
    });
}

} // namespace tests
