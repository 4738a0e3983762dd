// What stage 3 prints instead of crawling: `--help-verdicts`, `--help-connections`,
// `--help-reports` and `--help-frontier` have room for what `--help` hides, and the man
// page has them all. No page covers it.
#pragma once

#include "common/command_line/option_table.h"

#include <string>

namespace stage3 {

/// What a user has asked for. (CommandLine itself answers --help.)
struct AskedHelp {
    bool version = false;
    bool on_verdicts = false;
    bool on_connections = false;
    bool on_reports = false;
    bool on_sharing = false;
    std::string to_generate; ///< a kind of file: "man", or a shell's name
};

/// What to print for that; empty: nothing was asked for.
std::string answer(const AskedHelp& asked, const common::OptionTable& table);

} // namespace stage3
