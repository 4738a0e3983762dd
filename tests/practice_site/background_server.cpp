#include "tests/practice_site/background_server.h"

#include "stage3_queue_crawler/runtime/loop/at_exit.h"

#include <csignal>
#include <utility>

#include <pthread.h>

namespace practice_site {

BackgroundServer::BackgroundServer(Handler handler, const ServerOptions& options)
    : server_(std::move(handler), options) {
    // A new thread starts with the signals blocked that its creator has blocked.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const stage3::AtExit restore(
        [&before] { pthread_sigmask(SIG_SETMASK, &before, nullptr); });
    thread_ = std::thread([this] { server_.run(); });
}

BackgroundServer::~BackgroundServer() {
    server_.stop();
    thread_.join();
}

} // namespace practice_site
