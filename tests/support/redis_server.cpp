#include "tests/support/redis_server.h"

#include "common/system/socket.h"
#include "tests/support/listener.h"
#include "tests/support/process.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

namespace tests {
namespace {

using namespace std::chrono_literals;

/// A port that was free a moment ago.
std::uint16_t free_port() { return local_port(listen_on_loopback(0)); }

std::string make_folder() {
    std::string folder = std::filesystem::temp_directory_path() / "redis_XXXXXX";
    if (::mkdtemp(folder.data()) == nullptr)
        throw std::system_error(errno, std::generic_category(), folder);
    return folder;
}

/// True if something listens on the socket at this path.
bool listens(const std::string& path) {
    const common::Address address = common::Address::of_unix_socket(path);
    std::error_code error;
    common::Socket socket = common::Socket::open(AF_UNIX, error);
    return !error && !socket.connect(address);
}

/// The child's part, between fork and exec: only calls that are safe there.
[[noreturn]] void become_redis(char* const* arguments) {
#ifdef __linux__
    ::prctl(PR_SET_PDEATHSIG, SIGKILL); // it must not outlive the test
#endif
    const int nowhere = ::open("/dev/null", O_RDWR);
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        ::dup2(nowhere, fd);
    ::execvp(arguments[0], arguments);
    ::_exit(127);
}

} // namespace

bool RedisServer::is_installed() {
    const char* const path = std::getenv("PATH");
    std::istringstream folders(path == nullptr ? "" : path);
    for (std::string folder; std::getline(folders, folder, ':');) {
        if (::access((folder + "/redis-server").c_str(), X_OK) == 0)
            return true;
    }
    return false;
}

RedisServer::RedisServer(std::vector<std::string> options)
    : options_(std::move(options)), folder_(make_folder()) {
    // Another process may have taken the port meanwhile; then try another port.
    for (int tries = 0; tries < 5; ++tries) {
        port_ = free_port();
        if (starts_within_its_time())
            return;
    }
    const std::string why = log();
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
    throw std::runtime_error("redis-server doesn't start: " + why);
}

RedisServer::~RedisServer() {
    kill();
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

void RedisServer::kill() {
    if (pid_ < 0)
        return;
    ::kill(pid_, SIGKILL);
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
}

void RedisServer::freeze() const { ::kill(pid_, SIGSTOP); }

void RedisServer::thaw() const { ::kill(pid_, SIGCONT); }

void RedisServer::start() {
    if (!starts_within_its_time())
        throw std::runtime_error("redis-server doesn't start again: " + log());
}

std::string RedisServer::url() const {
    return "redis://127.0.0.1:" + std::to_string(port_);
}

/// False if it ends again or takes too long.
bool RedisServer::starts_within_its_time() {
    std::vector<std::string> words{"redis-server",
                                   "--port",
                                   std::to_string(port_),
                                   "--bind",
                                   "127.0.0.1",
                                   "--unixsocket",
                                   socket_path(),
                                   "--dir",
                                   folder_,
                                   "--logfile",
                                   folder_ + "/log",
                                   "--save",
                                   "",
                                   "--appendonly",
                                   "no",
                                   "--daemonize",
                                   "no"};
    words.insert(words.end(), options_.begin(), options_.end());
    std::vector<char*> arguments;
    for (std::string& word : words)
        arguments.push_back(word.data());
    arguments.push_back(nullptr);
    std::error_code ignored;
    std::filesystem::remove(socket_path(), ignored); // left by one that was killed
    pid_ = ::fork();
    if (pid_ < 0)
        throw std::system_error(errno, std::generic_category(), "fork");
    if (pid_ == 0)
        become_redis(arguments.data());
    // It opens the port first, and then the socket.
    const auto end = std::chrono::steady_clock::now() + 30s;
    while (is_running(pid_) && std::chrono::steady_clock::now() < end) {
        if (listens(socket_path()))
            return true;
        std::this_thread::sleep_for(5ms);
    }
    kill();
    return false;
}

std::string RedisServer::log() const {
    std::ifstream file(folder_ + "/log");
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

} // namespace tests
