// The options for TLS, HTTP versions and proxies.
#pragma once

#include "common/command_line/command_line.h"
#include "stage3_queue_crawler/http/session.h"

namespace stage3 {

/// Adds them to the command line. Both arguments must live until it has been parsed.
class ConnectionOptions {
  public:
    explicit ConnectionOptions(common::CommandLine& line);

    /// After parsing: did the user ask for help on them?
    bool wants_help() const { return wants_help_; }

    /// After parsing: sets what was asked for, here or in the environment. Throws
    /// common::UsageError if a file can't be read or isn't what it should be.
    void apply(SessionOptions& session) const;

  private:
    TlsOptions tls_;
    std::string proxy_;
    bool http1_ = false;
    bool http2_ = false;
    bool wants_help_ = false;
};

} // namespace stage3
