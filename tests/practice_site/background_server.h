// The practice site beside the program that uses it: a server with its own thread.
//
// Tests and the demonstration need a server that runs while they do something else and
// ends when they do, even if an exception ends them. So its lifetime is a scope.
#pragma once

#include "tests/practice_site/server.h"

#include <string>
#include <thread>

namespace practice_site {

/// Serves from its construction to the end of its scope. The thread takes no signals:
/// they are for the thread that started it.
class BackgroundServer {
  public:
    /// Throws as PracticeServer's constructor does.
    explicit BackgroundServer(Handler handler, const ServerOptions& options = {});
    ~BackgroundServer();
    BackgroundServer(const BackgroundServer&) = delete;
    BackgroundServer& operator=(const BackgroundServer&) = delete;

    const std::string& origin() const { return server_.origin(); }
    std::string url() const { return server_.url(); }
    Statistics statistics() const { return server_.statistics(); }
    void reset_statistics() { server_.reset_statistics(); }

  private:
    PracticeServer server_;
    std::thread thread_;
};

} // namespace practice_site
