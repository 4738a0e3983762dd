#include "common/trace/place.h"

#include "common/trace/trace.h"

#include <fmt/core.h>

#include <cstddef>

namespace common {

std::string short_name(std::string_view function_name) {
    std::string name(function_name);
    for (const std::string_view nameless : {"(anonymous namespace)::", "{anonymous}::"})
        for (auto at = name.find(nameless); at != std::string::npos;
             at = name.find(nameless))
            name.erase(at, nameless.size());
    // The name ends where the parameters begin, and begins behind the last blank before
    // that. Blanks and parentheses inside <...> belong to the types.
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < name.size(); ++i) {
        if (name[i] == '<')
            ++depth;
        else if (name[i] == '>')
            --depth;
        else if (depth == 0 && name[i] == ' ')
            begin = i + 1;
        else if (depth == 0 && name[i] == '(')
            return name.substr(begin, i - begin);
    }
    return name.substr(begin);
}

bool has_only_begun(const Place& place) {
    return place.line.line() == place.function.line()
           && place.line.column() == place.function.column();
}

std::string describe(const std::vector<Place>& chain, Last last) {
    constexpr std::size_t shown_at_each_end = 50;
    std::string text;
    for (std::size_t i = 0; i < chain.size(); ++i) {
        if (i == shown_at_each_end && chain.size() > 2 * shown_at_each_end) {
            i = chain.size() - shown_at_each_end;
            text += fmt::format("  ... and {} more ...\n", i - shown_at_each_end);
        }
        const bool has_gone_on = last == Last::has_gone_on && i + 1 == chain.size();
        text += fmt::format("  {}, {}\n", short_name(chain[i].function.function_name()),
                            has_only_begun(chain[i])
                                ? fmt::format("before its first co_await, in {}",
                                              file_of(chain[i].function))
                                : fmt::format("{} {}",
                                              has_gone_on ? "resumed at" : "waiting at",
                                              file_and_line(chain[i].line)));
    }
    return text;
}

} // namespace common
