// Stage 3's program, run as its user runs it, and sites for it to crawl. The environment
// names the program.
#pragma once

#include "tests/practice_site/background_site.h"
#include "tests/support/prelude.h"
#include "tests/support/process.h"
#include "tests/support/scripted_server.h"

#include <thread>

#include <unistd.h>

namespace tests {

using Clock = std::chrono::steady_clock;

std::string program();

Finished run_stage3(std::vector<std::string> arguments, const RunOptions& how = {});

/// The command that runs the program with tests/support/slow_names.cpp, which reads
/// `variable`.
std::vector<std::string> preloaded(const std::string& variable,
                                   const std::vector<std::string>& arguments);

Finished run_preloaded(const std::string& variable,
                       const std::vector<std::string>& arguments,
                       const RunOptions& how = {});

/// A file that is gone when the test ends. It isn't there before someone writes it.
class TemporaryFile {
  public:
    TemporaryFile() = default;
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    ~TemporaryFile();

    const std::string& path() const { return path_; }
    std::string text() const;
    /// Lets it be there, with this text.
    void write(std::string_view text = "") const;

  private:
    std::string path_ = fmt::format("/tmp/stage3_test_{}", ::getpid());
};

std::vector<std::string> lines(const std::string& text);

/// The value of a field in a line of JSON, as written there, without quotes.
std::string field(const std::string& json, const std::string& name);

/// The URLs in the output of --format jsonl, by outcome.
std::map<std::string, std::multiset<std::string>> by_outcome(const std::string& out);

/// Waits until the condition holds, for at most half a minute.
template <class Condition>
void wait_until(Condition condition) {
    const auto end = Clock::now() + 30s;
    while (!condition() && Clock::now() < end)
        std::this_thread::sleep_for(1ms);
}

/// A site with one page that links to `pages` others, which never answer.
struct HangingSite {
    explicit HangingSite(int pages);
    /// Waits until `number` requests have come.
    void wait_for_requests(std::size_t number) {
        wait_until([&] { return server.requests().size() >= number; });
    }

    ScriptedServer server;
};

/// Lets the server have a page with links to a hundred others, whose URLs are so long
/// that a report of them doesn't fit into a pipe. `links`: the links before these.
void add_long_urls(ScriptedServer& server, std::string links = "");

struct PracticeSite : practice_site::BackgroundSite {
    explicit PracticeSite(const practice_site::SiteOptions& options,
                          std::chrono::milliseconds latency = 2ms)
        : BackgroundSite(options, latency) {}

    /// The status is 1 because there are dead links.
    void check(const Finished& finished, int status = 1) const;
};

/// Waits until the server has had a request, and then none for a while.
void wait_until_it_rests(const PracticeSite& site);
void wait_until_it_rests(const ScriptedServer& server);

/// Sends a signal, and waits until the process has got it: a second one that comes while
/// the first is pending is lost.
void interrupt(pid_t process, int signal);

inline const practice_site::SiteOptions many_pages{
    .pages = 500, .links = 20, .size = 2000, .seed = 3};

} // namespace tests
