// The options for TLS, HTTP versions and proxies.
#pragma once

#include "common/command_line/command_line.h"
#include "stage3_queue_crawler/http/session.h"

namespace stage3 {

class ConnectionOptions {
  public:
    /// Adds them to the command line. `wants_help`: set if the user asks for help on
    /// them. This object and both arguments must live until the line has been parsed.
    ConnectionOptions(common::CommandLine& line, bool& wants_help);

    /// After parsing: sets what was asked for, here or in the environment. Throws
    /// common::UsageError if a file can't be read or isn't what it should be.
    void apply(SessionOptions& session) const;

  private:
    TlsOptions tls_;
    std::string proxy_;
    bool http1_ = false;
    bool http2_ = false;
};

/// `--no-private`: refuses connections to private addresses. To be called after `apply`:
/// throws common::UsageError if there is a proxy, which would make them in our place.
void stay_among_public_addresses(SessionOptions& session);

} // namespace stage3
