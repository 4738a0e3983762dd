#include "common/command_line/command_line.h"

#include "common/command_line/config_file.h"
#include "common/command_line/nearest.h"
#include "common/system/selector.h"
#include "common/text/ascii.h"
#include "common/text/join.h"

#include <CLI/CLI.hpp>

#include <charconv>
#include <cstddef>
#include <initializer_list>
#include <map>
#include <span>
#include <string_view>
#include <system_error>

namespace common {

// CLI11 can write the help as well, but each of its versions formats it differently.
struct CommandLine::Parser {
    CLI::App app;
    OptionTable table;
    std::string heading = "Options";
    std::map<std::string, ReadValue> readers = {}; // by name, for files; for flags, too
    std::string ignored = {};                      // a value, after it was read

    CLI::Option* add(const std::string& names, ReadValue read) {
        // The value is read when it is checked. Adding an option in this way needs no
        // template.
        const auto ignore = [](const CLI::results_t&) { return true; };
        readers.insert_or_assign(config_name(names), read);
        return app.add_option(names, ignore)->check(std::move(read));
    }

    CLI::Option* add_option(const std::string& names, const std::string& value,
                            const std::string& meaning, ReadValue read,
                            bool repeats = false) {
        table.options.push_back({names, value, meaning, heading, read.words, repeats});
        return add(names, std::move(read))->type_name(value);
    }

    void add_flag_row(const std::string& names, const std::string& meaning) {
        table.options.push_back({names, "", meaning, heading, {}});
    }

    /// "-w,--workers" → "workers"; "URL" → "url".
    static std::string config_name(const std::string& names) {
        const auto dashes = names.find("--");
        return lower(dashes == std::string::npos ? names : names.substr(dashes + 2));
    }

    /// "workers" → its option; nullptr if there is none, or if it can only be typed.
    const CLI::Option* find_for_config(const std::string& name) const {
        if (!readers.contains(name))
            return nullptr;
        for (const OptionRow& option : table.options)
            if (config_name(option.names) == name)
                return option.heading == "Help"
                               || option.names.find("--") == std::string::npos
                           ? nullptr
                           : app.get_option_no_throw("--" + name);
        for (const auto& [argument, meaning] : table.arguments)
            if (config_name(argument) == name)
                return app.get_option_no_throw(argument);
        return nullptr;
    }

    /// A word like "--no-x" was typed, if the name is "x"; or the other way round.
    bool opposite_was_typed(const std::string& name) const {
        const std::string other = name.starts_with("no-") ? name.substr(3) : "no-" + name;
        const CLI::Option* const option = app.get_option_no_throw("--" + other);
        return option != nullptr && option->count() > 0;
    }

    /// Throws if an option is left over, since none has its name.
    void refuse_unknown_options() const {
        for (const std::string& word : app.remaining()) {
            if (word.size() < 2 || word.front() != '-')
                continue;
            const bool is_short = word[1] != '-';
            // What follows a letter is a value, and may be secret.
            const std::string typed = word.substr(0, is_short ? 2 : word.find('='));
            std::vector<std::string> names;
            for (const OptionRow& option : table.options)
                if (const auto dashes = option.names.find("--");
                    dashes != std::string::npos && !option.meaning.empty())
                    names.push_back(option.names.substr(dashes + 2));
            const std::string name = is_short ? "" : nearest(trim(typed, "-"), names);
            throw UsageError("unknown option " + typed
                             + (name.empty() ? "" : ": did you mean --" + name + '?'));
        }
    }
};

namespace {

/// CLI11 takes "--exclude= http://h/" to mean "--exclude http://h/".
void check_values_given_with_equals_sign(int argc, char** argv) {
    for (const std::string_view argument :
         std::span(argv, static_cast<std::size_t>(argc))) {
        if (argument == "--")
            return;
        if (argument.starts_with("--") && argument.find('=') == argument.size() - 1)
            throw UsageError("a value is missing: " + std::string(argument));
    }
}

} // namespace

CommandLine::CommandLine(const std::string& program, const std::string& description)
    : parser_(new Parser{.app = CLI::App(description, program),
                         .table = {.program = program, .description = description}}) {
    CLI::App& app = parser_->app;
    app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

CommandLine::~CommandLine() = default;

void CommandLine::add(const std::string& names, const std::string& value,
                      const std::string& description, ReadValue read) {
    parser_->add_option(names, value, description, std::move(read));
}

void CommandLine::add_repeatable(const std::string& names, const std::string& value,
                                 const std::string& description, ReadValue read) {
    parser_->add_option(names, value, description, std::move(read), true)->take_all();
}

void CommandLine::add_flag(const std::string& names, const std::string& description,
                           bool& given) {
    parser_->add_flag_row(names, description);
    parser_->app.add_flag_callback(names, [&given] { given = true; });
    ReadValue read = [&given](const std::string& text) {
        given = text.empty() || text == "true";
        return given || text == "false" ? std::string() : "write true or false";
    };
    parser_->readers.insert_or_assign(Parser::config_name(names), std::move(read));
}

void CommandLine::add_flag_or_value(const std::string& name, const std::string& value,
                                    const std::string& description, ReadValue read) {
    OptionRow row{name, "", description, parser_->heading, {}, true};
    row.after_equals = value;
    parser_->table.options.push_back(std::move(row));
    ReadValue from_file = [this, name, read](const std::string& text) {
        const std::string choice = lower(text.empty() ? "true" : text);
        if (choice != "true" && choice != "false")
            return read(text);
        return has(name) ? std::string() : read(choice); // typed, which counts more
    };
    parser_->readers.insert_or_assign(Parser::config_name(name), std::move(from_file));
    parser_->app.add_flag(name, parser_->ignored)->take_all()->check(std::move(read));
}

void CommandLine::add_flag_or_word(const std::string& name, const std::string& word,
                                   const std::string& description, bool& given,
                                   bool& has_word) {
    OptionRow row{name, "", description, parser_->heading, {}};
    row.after_equals = word;
    parser_->table.options.push_back(std::move(row));
    ReadValue read = [word, &given, &has_word](const std::string& text) {
        bool value = true;
        // As a flag without a word would be read: "on" and the like will do, too.
        if (text != word && !text.empty() && !CLI::detail::lexical_cast(text, value))
            return not_one_of(text, {"true", "false", word});
        given = value;
        has_word = text == word;
        return std::string();
    };
    parser_->readers.insert_or_assign(Parser::config_name(name), read);
    parser_->app.add_flag(name, parser_->ignored)->take_last()->check(std::move(read));
}

void CommandLine::add_argument(const std::string& name, const std::string& description,
                               std::string& text) {
    parser_->table.usage += ' ' + name;
    parser_->table.arguments.emplace_back(name + " REQUIRED", description);
    parser_->add(name, text_into(text))->required();
}

void CommandLine::add_arguments(const std::string& name, const std::string& description,
                                std::vector<std::string>& texts) {
    const auto take = [&texts](const std::string& text) {
        texts.push_back(text);
        return std::string();
    };
    parser_->table.usage += " [" + name + "]...";
    parser_->table.arguments.emplace_back(name, description);
    parser_->add(name, take)->take_all()->expected(-1);
}

void CommandLine::hide(const std::string& name) {
    for (OptionRow& option : parser_->table.options)
        if (option.names == name || option.names.ends_with(',' + name))
            option.is_hidden = true;
}

void CommandLine::start_heading(const std::string& heading) {
    parser_->heading = heading;
}

void CommandLine::add_footer(const std::string& text) { parser_->table.footer = text; }

const OptionTable& CommandLine::table() const { return parser_->table; }

std::optional<std::string> CommandLine::parse(int argc, char** argv) {
    check_values_given_with_equals_sign(argc, argv);
    parser_->add_flag_row("-h,--help", "print this help and exit");
    try {
        parser_->app.parse(argc, argv);
        return std::nullopt;
    } catch (const CLI::CallForHelp&) {
        return as_help(parser_->table);
    } catch (const CLI::ArgumentMismatch& error) {
        throw UsageError(std::string("a value is missing: ") + error.what());
    } catch (const CLI::ParseError& error) {
        parser_->refuse_unknown_options(); // whatever else is wrong
        throw UsageError(error.what());
    }
}

void CommandLine::read_config(std::string_view text, const std::string& file) {
    const auto refuse = [&file](std::size_t number,
                                std::initializer_list<std::string> why) {
        throw UsageError(file + ", line " + std::to_string(number) + ": "
                         + join(why, ""));
    };
    std::vector<ConfigLine> lines;
    try {
        lines = common::read_config(text);
    } catch (const UsageError& error) {
        throw UsageError(file + ", " + error.what());
    }
    for (const auto& [number, name, value] : lines) {
        const CLI::Option* const option = parser_->find_for_config(name);
        if (option == nullptr) {
            std::vector<std::string> names;
            for (const auto& [known, read] : parser_->readers)
                if (parser_->find_for_config(known) != nullptr)
                    names.push_back(known);
            const std::string meant = nearest(name, names);
            refuse(number, {"unknown option '", name, "'",
                            meant.empty() ? "" : ": did you mean " + meant + '?'});
        }
        const bool is_flag = option->get_expected_min() == 0;
        if (value.empty() && !is_flag)
            refuse(number, {"a value is missing"});
        const bool repeats =
            option->get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll
            && !option->get_positional();
        if ((option->count() > 0 && !repeats) || parser_->opposite_was_typed(name))
            continue;
        if (const std::string why = parser_->readers.at(name)(value); !why.empty())
            refuse(number, {name, ": ", why});
    }
}

bool CommandLine::has(const std::string& name) const {
    return parser_->app.count(name) > 0;
}

std::string read_whole_number(const std::string& text, std::int64_t least,
                              std::int64_t most, std::int64_t& number) {
    std::int64_t read = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, read);
    if (error != std::errc() || stop != end || read < least || read > most)
        return "'" + text + "' is not a number from " + std::to_string(least) + " to "
               + std::to_string(most);
    number = read;
    return {};
}

ReadValue text_into(std::string& text) {
    return [&text](const std::string& read) {
        text = read;
        return std::string();
    };
}

std::string not_one_of(const std::string& text, const std::vector<std::string>& words) {
    return "'" + text + "': choose one of " + join(words, ", ");
}

ReadValue selector_into(std::string& name) {
    std::vector<std::pair<std::string, std::string>> choices;
    for (const std::string_view known : selector_names())
        choices.emplace_back(known, known);
    return choice_into(name, std::move(choices));
}

} // namespace common
