#include "common/command_line/option_table.h"
#include "common/text/join.h"

#include <fmt/core.h>

#include <algorithm>
#include <sstream>
#include <string_view>

namespace common {
namespace {

constexpr std::string_view file = "FILE"; // a value with this name

/// "-w,--workers" → "-w", "--workers".
std::vector<std::string> names_of(const OptionRow& option) {
    std::vector<std::string> names;
    std::istringstream all(option.names);
    for (std::string name; std::getline(all, name, ',');)
        names.push_back(name);
    return names;
}

/// In one line.
std::string meaning_of(const OptionRow& option) {
    std::string text = option.meaning;
    std::ranges::replace(text, '\n', ' ');
    return text;
}

/// With a backslash before each of these characters.
std::string escaped(std::string_view text, std::string_view characters) {
    std::string result;
    for (const char c : text) {
        if (characters.find(c) != std::string_view::npos)
            result += '\\';
        result += c;
    }
    return result;
}

/// As a word in quotes for bash and zsh.
std::string in_quotes(std::string_view text) {
    std::string word = "'";
    for (const char c : text)
        if (c == '\'')
            word += "'\\''"; // the quotes end, and begin again
        else
            word += c;
    return word + '\'';
}

std::string for_bash(const OptionTable& table, const std::vector<OptionRow>& options) {
    std::vector<std::string> names;
    std::vector<std::string> files;
    std::vector<std::string> others;
    std::string cases;
    for (const OptionRow& option : options) {
        const auto its_names = names_of(option);
        names.insert(names.end(), its_names.begin(), its_names.end());
        if (option.value.empty())
            continue;
        if (!option.words.empty())
            cases += "    " + join(its_names, "|") + ") words='" + join(option.words, " ")
                     + "' ;;\n";
        else
            (option.value == file ? files : others).push_back(join(its_names, "|"));
    }
    if (!files.empty())
        cases += "    " + join(files, "|")
                 + ")\n"
                   "        local IFS=$'\\n'\n"
                   "        compopt -o filenames 2>/dev/null # since bash 4\n"
                   "        COMPREPLY=($(compgen -f -- \"$word\"))\n"
                   "        return ;;\n";
    if (!others.empty())
        cases += "    " + join(others, "|") + ") return ;;\n";
    const std::string function = '_' + table.program;
    return function
           + "() {\n"
             "    local word=${COMP_WORDS[COMP_CWORD]} words=\n"
             "    local before=${COMP_WORDS[COMP_CWORD - 1]}\n"
             "    COMPREPLY=()\n"
             "    if [ \"$word\" = = ]; then # --scope=, which bash takes apart\n"
             "        word=\n"
             "    elif [ \"$before\" = = ]; then\n"
             "        before=${COMP_WORDS[COMP_CWORD - 2]}\n"
             "    fi\n"
             "    case $before in\n"
           + cases + "    *) case $word in -*) words='" + join(names, " ")
           + "' ;; esac ;;\n"
             "    esac\n"
             "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
             "}\n"
             "complete -F "
           + function + ' ' + table.program + '\n';
}

/// Lines for _arguments. Source: man zshcompsys.
std::string for_zsh(const OptionRow& option) {
    const auto names = names_of(option);
    std::string rest = '[' + escaped(meaning_of(option), "[]\\") + ']';
    if (!option.value.empty()) {
        rest += ':' + escaped(option.value, ":\\") + ':';
        if (option.value == file)
            rest += "_files";
        else
            rest += option.words.empty() ? " " : '(' + join(option.words, " ") + ')';
    }
    std::string lines;
    for (std::string name : names) {
        if (!option.value.empty())
            name += name.starts_with("--") ? '=' : '+';
        lines +=
            fmt::format("    {} \\\n",
                        in_quotes(fmt::format(
                            "{}{}{}", option.repeats ? "*" : '(' + join(names, " ") + ')',
                            name, rest)));
    }
    return lines;
}

std::string for_fish(const std::string& program, const OptionRow& option) {
    std::string line = "complete -c " + program;
    for (const std::string& name : names_of(option))
        line +=
            name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    if (option.value == file)
        line += " -r -F";
    else if (!option.value.empty())
        line += " -x";
    if (!option.words.empty())
        line += " -a '" + join(option.words, " ") + '\'';
    return line + " -d '" + escaped(meaning_of(option), "'\\") + "'\n";
}

} // namespace

std::string as_completions(const OptionTable& table, const std::string& shell) {
    std::vector<OptionRow> options = table.options;
    std::erase_if(options,
                  [](const OptionRow& option) { return option.meaning.empty(); });
    if (shell == "bash")
        return for_bash(table, options);
    std::string text = shell == "zsh"
                           ? "#compdef " + table.program + "\n_arguments -s -S \\\n"
                           : "complete -c " + table.program + " -f\n";
    for (const OptionRow& option : options)
        text += shell == "zsh" ? for_zsh(option) : for_fish(table.program, option);
    return shell == "zsh" ? text + "    '*:URL: '\n" : text;
}

} // namespace common
