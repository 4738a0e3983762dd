// The programs, as programs: what they print, when they end, and with which status.
#include "common/system/socket.h"
#include "tests/practice_site/client.h"
#include "tests/practice_site/site.h"
#include "tests/support/prelude.h"
#include "tests/support/process.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace practice_site;

namespace {

enum class Kind : std::uint8_t { socket, terminal };

/// Two ends of a line: what is written into one can be read from the other. The second
/// one may look like a terminal to a program.
std::array<common::Socket, 2> make_line(Kind kind) {
    std::array<int, 2> ends{-1, -1};
    if (kind == Kind::socket) {
        if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) < 0)
            throw std::runtime_error("socketpair");
    } else {
        ends[0] = ::posix_openpt(O_RDWR | O_NOCTTY);
        if (::grantpt(ends[0]) < 0 || ::unlockpt(ends[0]) < 0)
            throw std::runtime_error("posix_openpt");
        ends[1] = ::open(::ptsname(ends[0]), O_RDWR | O_NOCTTY);
    }
    return {common::Socket(ends[0]), common::Socket(ends[1])};
}

/// False in some containers.
bool has_terminals() {
    const common::Socket one(::posix_openpt(O_RDWR | O_NOCTTY));
    return one && ::grantpt(one.fd()) == 0 && ::unlockpt(one.fd()) == 0
           && ::ptsname(one.fd()) != nullptr;
}

/// A running program; its standard input and both its outputs are at the other end of a
/// line. It is killed at the latest when its object is destroyed.
class Process {
  public:
    Process(const std::string& program, std::vector<std::string> arguments,
            Kind kind = Kind::socket)
        : line_(make_line(kind)) {
        if (common::make_nonblocking(line_[0].fd()))
            throw std::runtime_error("make_nonblocking");
        arguments.insert(arguments.begin(), program);
        std::vector<char*> argv;
        for (std::string& argument : arguments)
            argv.push_back(argument.data());
        argv.push_back(nullptr);
        pid_ = ::fork();
        if (pid_ == 0) {
            for (const int fd : {0, 1, 2})
                ::dup2(line_[1].fd(), fd);
            ::close(line_[1].fd()); // else it would be its own reader
            ::execv(program.c_str(), argv.data());
            ::_exit(127);
        }
        line_[1].close();
    }
    ~Process() {
        if (pid_ > 0) {
            ::kill(pid_, SIGKILL);
            ::waitpid(pid_, nullptr, 0);
        }
    }
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    void signal(int number) const { ::kill(pid_, number); }
    void write(std::string_view text) const {
        if (::write(line_[0].fd(), text.data(), text.size()) < 0)
            throw std::runtime_error("write");
    }
    void end_input() const { ::shutdown(line_[0].fd(), SHUT_WR); }

    /// Its output up to and including this text.
    std::string read_until(std::string_view text) {
        while (output_.find(text) == std::string::npos)
            if (!fill())
                throw std::runtime_error("the program ended after printing: " + output_);
        const auto end = output_.find(text) + text.size();
        std::string front = output_.substr(0, end);
        output_.erase(0, end);
        return front;
    }
    std::string read_rest() {
        while (fill()) {
        }
        return std::exchange(output_, {});
    }
    /// Its exit status; -1 if a signal has ended it.
    int wait() {
        int status = 0;
        ::waitpid(std::exchange(pid_, -1), &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }

  private:
    bool fill() {
        pollfd entry{line_[0].fd(), POLLIN, 0};
        if (::poll(&entry, 1, 20'000) <= 0)
            throw std::runtime_error("the program was silent for 20 seconds");
        std::array<char, 4096> chunk;
        // A terminal that is no longer open anywhere reports EIO, not the end.
        const auto count = ::read(line_[0].fd(), chunk.data(), chunk.size());
        output_.append(chunk.data(),
                       static_cast<std::size_t>(std::max(count, ssize_t{0})));
        return count > 0;
    }

    pid_t pid_ = -1;
    std::array<common::Socket, 2> line_; // our end, and theirs
    std::string output_;
};

std::string first_line(Process& process) {
    std::string line = process.read_until("\n");
    line.pop_back();
    return line;
}

/// What a URL has before its path.
std::string origin_of(const std::string& url) { return url.substr(0, url.rfind('/')); }

std::string site() { return tests::path_in("PRACTICE_SITE"); }

} // namespace

TEST_CASE("practice_site: prints its URL, and ends with its input") {
    Process process(site(), {"--pages", "20", "--size", "5000", "--until-eof"});
    const std::string url = first_line(process);
    CHECK(url.starts_with("http://127.0.0.1:"));
    CHECK(url.ends_with("/"));
    Client client(origin_of(url));
    client.send(get("/p/19"));
    CHECK(client.receive().body.size() == 5000);
    client.send(get("/p/20"));
    CHECK(client.receive().status == 404);
    process.end_input();
    CHECK(process.read_rest() == "");
    CHECK(process.wait() == 0);
}

TEST_CASE("practice_site: ends on SIGINT and SIGTERM, with clients waiting") {
    for (const int number : {SIGINT, SIGTERM}) {
        Process process(site(), {"--latency", "60000"});
        const std::string origin = origin_of(first_line(process));
        Client client(origin);
        client.send(get("/"));
        process.end_input(); // which it ignores without --until-eof
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        const Client another(origin);
        process.signal(number);
        CHECK(process.read_rest() == "");
        CHECK(process.wait() == 0);
    }
}

TEST_CASE("practice_site: shows on a terminal how busy it is") {
    if (!has_terminals()) {
        MESSAGE("skipped: this system has no pseudo-terminals (is /dev/pts mounted?)");
        return;
    }
    Process process(site(), {"--pages", "5"}, Kind::terminal);
    Client client(origin_of(first_line(process)));
    client.send(get("/") + get("/p/1"));
    CHECK(client.receive().status == 200);
    CHECK(client.receive().status == 200);
    CHECK(process.read_until(" 2 in all").find("1 connections open, ")
          != std::string::npos);
    CHECK(process.read_until(" 0 requests/s, 2 in all") != "");
    process.signal(SIGINT);
    CHECK(process.read_rest() == "\r\x1b[K"); // the line is gone
    CHECK(process.wait() == 0);
}

TEST_CASE("practice_site: prints the manifest, and serves what it says") {
    Process process(site(), {"--pages", "60", "--links", "8", "--seed", "5", "--manifest",
                             "--selector", "poll", "--until-eof"});
    const std::string origin = origin_of(first_line(process));
    const Site same({.pages = 60, .links = 8, .seed = 5});
    CHECK(process.read_until("\nend\n") == to_text(same.manifest(origin)));
    Client client(origin);
    for (const auto& [from, to] : same.manifest(origin).redirects) {
        client.send(get(from.substr(origin.size())));
        CHECK(client.receive().status / 100 == 3);
    }
    process.end_input();
    CHECK(process.wait() == 0);
}

TEST_CASE("practice_site: serves a folder") {
    std::string folder = "/tmp/practice_site.XXXXXX";
    REQUIRE(::mkdtemp(folder.data()) != nullptr);
    Process process(site(), {"--root", folder, "--until-eof"});
    Client client(origin_of(first_line(process)));
    client.send(get("/") + get("/../") + get("/%2e%2e/", "Connection: close\r\n"));
    CHECK(client.receive().status == 200);
    CHECK(client.receive().status == 404);
    CHECK(client.receive().status == 404);
    process.end_input();
    CHECK(process.wait() == 0);
    ::rmdir(folder.c_str());
}

TEST_CASE("practice_site: keeps pages, logs requests, and prints counts") {
    std::string folder = "/tmp/practice_site.XXXXXX";
    REQUIRE(::mkdtemp(folder.data()) != nullptr);
    const std::string log = folder + "/log";
    Process process(site(), {"--pages", "20", "--keep", "--counts", "--log", log});
    const std::string url = first_line(process);
    {
        Client client(origin_of(url));
        client.send(get("/p/3"));
        const std::string made_up = client.receive().body;
        client.send(get("/p/3") + get("/nothing") + get("/nothing"));
        CHECK(client.receive().body == made_up);
        CHECK(client.receive().status == 404);
        CHECK(client.receive().status == 404);
        client.send(get("/old/7"));
        CHECK(client.receive().status / 100 == 3);
        std::stringstream noted;
        noted << std::ifstream(log).rdbuf();
        CHECK(noted.str()
              == "200 /p/3\n200 /p/3\n404 /nothing\n404 /nothing\n301 /old/7\n");
        client.send(get("/", "Connection: close\r\n"));
        client.receive_all(); // so that all are counted
    }
    process.write("\n");
    CHECK(first_line(process) == "requests 6 at_once 1 connections 1");
    process.write("\n");
    CHECK(first_line(process).starts_with("requests 0 at_once 0 "));
    process.end_input(); // and --until-eof need not be said
    CHECK(process.wait() == 0);
    std::filesystem::remove_all(folder);

    Process unable(site(), {"--log", "/no/such/folder/log"});
    CHECK(unable.read_rest().starts_with("practice_site: cannot write to /no/such/"));
    CHECK(unable.wait() == 1);
}

TEST_CASE("practice_site: bad usage prints one line and exits with status 2") {
    for (const auto& arguments : std::vector<std::vector<std::string>>{
             {"--pages", "0"},
             {"--pages", "1000001"},
             {"--pages"},
             {"--links", "0"},
             {"--links", "10001"},
             {"--size", "100000001"},
             {"--latency", "3600001"},
             {"--seed", "2000000001"},
             {"--port", "65536"},
             {"--selector", "sundial"},
             {"--root", "/no/such/folder"},
             {"--root", "/tmp", "--pages", "100"},
             {"--root", "/tmp", "--links", "10"},
             {"--root", "/tmp", "--size", "1"},
             {"--root", "/tmp", "--seed", "1"},
             {"--manifest", "--root", "/tmp"},
             {"--keep", "--root", "/tmp"},
             {"--no-such-option"},
             {"something"},
         }) {
        CAPTURE(arguments.front());
        CAPTURE(arguments.back());
        Process process(site(), arguments);
        const std::string said = process.read_rest();
        CAPTURE(said);
        CHECK(process.wait() == 2);
        CHECK(said.starts_with("practice_site: "));
        CHECK(said.find('\n') == said.size() - 1);
    }
}

TEST_CASE("practice_site: a port that is taken means exit status 1") {
    Process first(site(), {"--until-eof"});
    const std::string url = first_line(first);
    const std::string port =
        url.substr(url.rfind(':') + 1, url.size() - url.rfind(':') - 2);
    Process second(site(), {"--port", port});
    const std::string said = second.read_rest();
    CHECK(second.wait() == 1);
    CHECK(said.starts_with("practice_site: cannot listen on port " + port));
    CHECK(said.find('\n') == said.size() - 1);
}

TEST_CASE("demo: reports what a stage missed and which stage did not run") {
    const std::string demo = tests::path_in("DEMO");
    // echo prints the URL, which is no finding; true prints nothing at all.
    for (const std::string_view stage : {"echo", "true"}) {
        Process process(demo, {"--pages", "30", fmt::format("idle={}", stage)});
        const std::string said = process.read_rest();
        CHECK(process.wait() == 1);
        CHECK(said.find("demo: idle missed 30 of 30 pages, such as http://127.0.0.1:")
              != std::string::npos);
        CHECK(said.find("\nidle  ") != std::string::npos); // the table
    }
    Process failing(demo, {"broken=false", "absent=/no/such/program", "idle=echo"});
    const std::string said = failing.read_rest();
    CHECK(failing.wait() == 1);
    CHECK(said.find("demo: cannot run '/no/such/program': no such file")
          != std::string::npos);
    CHECK(said.find("demo: absent ended by itself, with status 127")
          != std::string::npos);

    Process confused(demo, {"stage1"});
    CHECK(confused.read_rest().starts_with("demo: "));
    CHECK(confused.wait() == 2);
}
