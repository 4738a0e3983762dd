// What a program's command line may contain, as data: for its help, its man page and the
// completions of shells, so that these can't differ from what the program accepts.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace common {

struct OptionRow {
    std::string names;              ///< "-w,--workers"
    std::string value;              ///< the word that stands for it; empty: a flag
    std::string meaning;            ///< one or more lines
    std::string heading;            ///< under which the help lists it
    std::vector<std::string> words; ///< the values that it may have; none: others
    bool repeats = false;
    bool is_hidden = false; ///< from the help
    std::string after_equals =
        {}; ///< "URL", for a flag that is also an option, as --x=URL

    /// What follows its names: " N", "[=URL]" or nothing.
    std::string rest() const {
        if (!after_equals.empty())
            return "[=" + after_equals + ']';
        return value.empty() ? "" : ' ' + value;
    }
};

struct OptionTable {
    std::string program;
    std::string description;
    std::string usage = "[OPTIONS]";
    std::vector<std::pair<std::string, std::string>> arguments = {}; ///< with meanings
    std::vector<OptionRow> options = {};
    std::string footer = {};
};

/// What `--help` prints.
std::string as_help(const OptionTable& table);

/// A man page (man 7 man), with further sections, whose lines stay as they are.
std::string
as_man_page(const OptionTable& table, const std::string& version,
            const std::vector<std::pair<std::string, std::string>>& sections = {});

/// A script that tells a shell how to complete the program's options. `shell` is bash,
/// zsh or fish.
std::string as_completions(const OptionTable& table, const std::string& shell);

} // namespace common
