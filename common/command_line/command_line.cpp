#include "common/command_line/command_line.h"

#include "common/command_line/nearest.h"
#include "common/system/selector.h"
#include "common/text/ascii.h"
#include "common/text/join.h"

#include <CLI/CLI.hpp>

#include <charconv>
#include <cstddef>
#include <span>
#include <string_view>
#include <system_error>

namespace common {

namespace {

/// A line of the help: "-w,--workers N", and what it means.
std::string help_line(const std::string& left, std::string_view meaning) {
    constexpr std::size_t column = 26;
    std::string line = "  " + left;
    line += line.size() < column ? std::string(column - line.size(), ' ')
                                 : "\n" + std::string(column, ' ');
    for (const char c : meaning) {
        line += c;
        if (c == '\n')
            line.append(column, ' ');
    }
    return line + '\n';
}

} // namespace

// CLI11 can write the help as well, but each of its versions formats it differently.
struct CommandLine::Parser {
    CLI::App app;
    std::string footer = {};
    std::string arguments = {}; // for the line of usage: " URL"
    std::string arguments_help = {};
    std::vector<std::pair<std::string, std::string>> options_help = {}; // names, line

    CLI::Option* add(const std::string& names, ReadValue read) {
        // The value is read when it is checked. Adding an option in this way needs no
        // template.
        const auto ignore = [](const CLI::results_t&) { return true; };
        return app.add_option(names, ignore)->check(std::move(read));
    }

    CLI::Option* add_option(const std::string& names, const std::string& value,
                            const std::string& meaning, ReadValue read) {
        options_help.emplace_back(names, help_line(names + ' ' + value, meaning));
        return add(names, std::move(read))->type_name(value);
    }

    /// Throws if an option is left over, since none has its name.
    void refuse_unknown_options() const {
        for (const std::string& word : app.remaining()) {
            const std::string typed = word.substr(0, word.find('='));
            if (typed.size() < 2 || typed.front() != '-')
                continue;
            std::vector<std::string> names;
            for (const CLI::Option* const option : app.get_options())
                for (const std::string& name : option->get_lnames())
                    names.push_back(name);
            const std::string name = nearest(trim(typed, "-"), names);
            throw UsageError("unknown option " + typed
                             + (name.empty() ? "" : ": did you mean --" + name + '?'));
        }
    }

    std::string help() const {
        std::string text = app.get_description() + "\nUsage: " + app.get_name()
                           + " [OPTIONS]" + arguments + "\n\n";
        if (!arguments_help.empty())
            text += "Arguments:\n" + arguments_help + '\n';
        text += "Options:\n" + help_line("-h,--help", "print this help and exit");
        for (const auto& [names, line] : options_help)
            text += line;
        return footer.empty() ? text : text + '\n' + footer + '\n';
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
    : parser_(new Parser{.app = CLI::App(description, program)}) {
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
    parser_->add_option(names, value, description, std::move(read))->take_all();
}

void CommandLine::add_flag(const std::string& names, const std::string& description,
                           bool& given) {
    parser_->options_help.emplace_back(names, help_line(names, description));
    parser_->app.add_flag_callback(names, [&given] { given = true; });
}

void CommandLine::add_argument(const std::string& name, const std::string& description,
                               std::string& text) {
    parser_->arguments += ' ' + name;
    parser_->arguments_help += help_line(name + " REQUIRED", description);
    parser_->add(name, text_into(text))->required();
}

void CommandLine::add_arguments(const std::string& name, const std::string& description,
                                std::vector<std::string>& texts) {
    const auto take = [&texts](const std::string& text) {
        texts.push_back(text);
        return std::string();
    };
    parser_->arguments += " [" + name + ']';
    parser_->arguments_help += help_line(name, description);
    parser_->add(name, take)->take_all()->expected(-1);
}

void CommandLine::hide(const std::string& name) {
    std::erase_if(parser_->options_help, [&](const auto& option) {
        return option.first == name || option.first.ends_with(',' + name);
    });
}

void CommandLine::add_footer(const std::string& text) { parser_->footer = text; }

std::optional<std::string> CommandLine::parse(int argc, char** argv) {
    check_values_given_with_equals_sign(argc, argv);
    try {
        parser_->app.parse(argc, argv);
        return std::nullopt;
    } catch (const CLI::CallForHelp&) {
        return parser_->help();
    } catch (const CLI::ArgumentMismatch& error) {
        throw UsageError(std::string("a value is missing: ") + error.what());
    } catch (const CLI::ParseError& error) {
        parser_->refuse_unknown_options(); // whatever else is wrong
        throw UsageError(error.what());
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
