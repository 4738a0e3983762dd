// A name service that a test can slow down. Preloaded (LD_PRELOAD) into the program under
// test, it replaces getaddrinfo: each name that ends in ".test" is 127.0.0.1, and
// "slow.test" takes as many seconds as the variable SLOW_NAMES says, or until the file
// named by SLOW_NAMES_UNTIL exists. All other names are looked up as usual. If the
// variable NO_THREADS is set, no thread can be started; and as soon as the file named by
// NO_SOCKETS_WHEN exists, no descriptor is left for a socket.
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>

#include <dlfcn.h>
#include <netdb.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

// NOLINTNEXTLINE(misc-use-internal-linkage,readability-inconsistent-declaration-parameter-name)
extern "C" int getaddrinfo(const char* host, const char* port, const addrinfo* hints,
                           addrinfo** found) {
    using Function = decltype(&getaddrinfo);
    const auto real = reinterpret_cast<Function>(::dlsym(RTLD_NEXT, "getaddrinfo"));
    const std::string_view name = host == nullptr ? "" : host;
    if (!name.ends_with(".test"))
        return real(host, port, hints, found);
    const char* const seconds = std::getenv("SLOW_NAMES");
    if (name == "slow.test" && seconds != nullptr)
        std::this_thread::sleep_for(std::chrono::seconds(std::stoi(seconds)));
    const char* const until = std::getenv("SLOW_NAMES_UNTIL");
    while (name == "slow.test" && until != nullptr && ::access(until, F_OK) != 0)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return real("127.0.0.1", port, hints, found);
}

// NOLINTNEXTLINE(misc-use-internal-linkage,readability-inconsistent-declaration-parameter-name)
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                              void* (*function)(void*), void* argument) {
    if (std::getenv("NO_THREADS") != nullptr)
        return EAGAIN;
    using Function = decltype(&pthread_create);
    const auto real = reinterpret_cast<Function>(::dlsym(RTLD_NEXT, "pthread_create"));
    return real(thread, attributes, function, argument);
}

// NOLINTNEXTLINE(misc-use-internal-linkage,readability-inconsistent-declaration-parameter-name)
extern "C" int socket(int family, int type, int protocol) noexcept {
    const char* const when = std::getenv("NO_SOCKETS_WHEN");
    if (when != nullptr && ::access(when, F_OK) == 0) {
        errno = EMFILE;
        return -1;
    }
    using Function = decltype(&socket);
    const auto real = reinterpret_cast<Function>(::dlsym(RTLD_NEXT, "socket"));
    return real(family, type, protocol);
}
