// What a program's user may type after its name, and what was typed.
//
// A narrow interface to CLI11, which does the work. That is a library of templates, and a
// file that includes it takes as long to compile as a whole stage. So only one file does,
// command_line.cpp, and the programs say what they accept in the few words below. No page
// covers it, because what the programs are about begins after the command line has been
// read.
#pragma once

#include "common/command_line/option_table.h"
#include "common/command_line/usage_error.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace common {

/// Reads the text of a value. Returns what is wrong with it, in words that say what is
/// allowed, or nothing if all is well.
struct ReadValue : std::function<std::string(const std::string& text)> {
    using function::function;
    std::vector<std::string> words; ///< the only texts that it accepts; none: others
};

class CommandLine {
  public:
    /// `description`: what the program does, for the help.
    CommandLine(const std::string& program, const std::string& description);
    ~CommandLine();
    CommandLine(const CommandLine&) = delete;
    CommandLine& operator=(const CommandLine&) = delete;

    /// An option with a value. `names` are like "-w,--workers", and `value` is the word
    /// that stands for the value in the help. If the option is given twice, the last one
    /// counts.
    void add(const std::string& names, const std::string& value,
             const std::string& description, ReadValue read);
    /// The same, but each one counts.
    void add_repeatable(const std::string& names, const std::string& value,
                        const std::string& description, ReadValue read);
    /// An option that is there or not.
    void add_flag(const std::string& names, const std::string& description, bool& given);
    /// An option that may have a value, but only after "=": the next word isn't its
    /// value. Each one counts; `read` gets "true" if there is no value.
    void add_flag_or_value(const std::string& name, const std::string& value,
                           const std::string& description, ReadValue read);
    /// A flag that may have this word as its value, but only after "=": then both are
    /// set. The last one counts.
    void add_flag_or_word(const std::string& name, const std::string& word,
                          const std::string& description, bool& given, bool& has_word);
    /// The one word that must be there without an option.
    void add_argument(const std::string& name, const std::string& description,
                      std::string& text);
    /// Words without an option, any number of them.
    void add_arguments(const std::string& name, const std::string& description,
                       std::vector<std::string>& texts);
    /// The help leaves out this option; `name` is one of its names.
    void hide(const std::string& name);
    /// The help lists the options that are added from now on under this heading.
    void start_heading(const std::string& heading);
    /// The last lines of the help.
    void add_footer(const std::string& text);

    /// Reads the arguments of `main`. Returns the help if that is what the user asked
    /// for; then the values mean nothing. Throws UsageError.
    std::optional<std::string> parse(int argc, char** argv);
    /// After that, and if no help was asked for: reads the text of a file of options (see
    /// config_file.h). What was typed counts more, except that each value of a repeatable
    /// option counts. Options under the heading "Help" can only be typed. Throws
    /// UsageError, with the file's name and the line's number.
    void read_config(std::string_view text, const std::string& file);
    /// All that could be given.
    const OptionTable& table() const;
    /// And was this option given? `name` is one of its names.
    bool has(const std::string& name) const;

  private:
    struct Parser;
    std::unique_ptr<Parser> parser_;
};

/// Returns what is wrong with a number, as ReadValue does. Otherwise sets `number`.
std::string read_whole_number(const std::string& text, std::int64_t least,
                              std::int64_t most, std::int64_t& number);

/// Reads a whole number from `least` to `most`.
template <class Number>
ReadValue number_into(Number& number, std::int64_t least, std::int64_t most) {
    return [&number, least, most](const std::string& text) {
        std::int64_t read = 0;
        std::string wrong = read_whole_number(text, least, most, read);
        if (wrong.empty())
            number = static_cast<Number>(read);
        return wrong;
    };
}

/// Accepts any text.
ReadValue text_into(std::string& text);

/// The message that a text is none of these words.
std::string not_one_of(const std::string& text, const std::vector<std::string>& words);

/// Reads one of some words, each with its meaning.
template <class Value>
ReadValue choice_into(Value& value, std::vector<std::pair<std::string, Value>> choices) {
    std::vector<std::string> words;
    words.reserve(choices.size());
    for (const auto& [word, meaning] : choices)
        words.push_back(word);
    ReadValue read = [&value, words,
                      choices = std::move(choices)](const std::string& text) {
        for (const auto& [word, meaning] : choices)
            if (word == text) {
                value = meaning;
                return std::string();
            }
        return not_one_of(text, words);
    };
    read.words = std::move(words);
    return read;
}

/// Reads the name of a selector: see make_selector.
ReadValue selector_into(std::string& name);

} // namespace common
