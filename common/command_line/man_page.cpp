#include "common/command_line/option_table.h"
#include "common/text/ascii.h"

#include <sstream>
#include <string_view>

namespace common {
namespace {

/// As text of a man page: a hyphen that may be copied, and no line that is a command.
std::string escaped(std::string_view text) {
    std::string result;
    for (const char c : text) {
        const bool begins_line = result.empty() || result.back() == '\n';
        if (begins_line && c == '.')
            result += "\\&";
        if (c == '-')
            result += "\\-";
        else if (c == '\'')
            result += "\\(aq"; // or it may become a typographic one
        else if (c == '\\')
            result += "\\e";
        else
            result += c;
    }
    return result;
}

/// "The verdicts" → ".SH THE VERDICTS".
std::string section(const std::string& title) {
    std::string upper = title;
    for (char& c : upper)
        if (is_alpha(c) && c == to_lower(c))
            c = static_cast<char>(c - 'a' + 'A');
    return ".SH " + escaped(upper) + '\n';
}

std::string as_it_is(const std::string& text) {
    return ".nf\n" + escaped(text) + (text.ends_with('\n') ? "" : "\n") + ".fi\n";
}

/// "-w,--workers" and "N" → "\fB-w\fR, \fB--workers\fR \fIN\fR".
std::string left_side(const OptionRow& option) {
    std::string text;
    std::istringstream names(option.names);
    for (std::string name; std::getline(names, name, ',');)
        text += (text.empty() ? "\\fB" : ", \\fB") + escaped(name) + "\\fR";
    if (!option.after_equals.empty())
        return text + escaped(option.rest());
    return option.value.empty() ? text : text + " \\fI" + escaped(option.value) + "\\fR";
}

} // namespace

std::string
as_man_page(const OptionTable& table, const std::string& version,
            const std::vector<std::pair<std::string, std::string>>& sections) {
    std::string text = ".TH " + table.program + " 1 \"\" \"" + version + "\"\n";
    text += section("Name") + table.program + " \\- " + escaped(table.description) + '\n';
    text += section("Synopsis") + "\\fB" + table.program + "\\fR " + escaped(table.usage)
            + '\n';
    if (!table.arguments.empty())
        text += section("Arguments");
    for (const auto& [name, meaning] : table.arguments)
        text += ".TP\n\\fI" + escaped(name) + "\\fR\n" + escaped(meaning) + '\n';
    text += section("Options");
    std::string heading;
    for (const OptionRow& option : table.options) {
        if (option.meaning.empty())
            continue;
        if (option.heading != heading)
            text += ".SS " + escaped(option.heading) + '\n';
        heading = option.heading;
        text += ".TP\n" + left_side(option) + '\n' + escaped(option.meaning) + '\n';
    }
    if (!table.footer.empty())
        text += section("Examples and exit status") + as_it_is(table.footer);
    for (const auto& [title, lines] : sections)
        text += section(title) + as_it_is(lines);
    return text;
}

} // namespace common
