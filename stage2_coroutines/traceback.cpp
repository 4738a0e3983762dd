#include "stage2_coroutines/traceback.h"

#include "common/stack_trace.h"
#include "common/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

namespace stage2 {
namespace {

/// What the innermost coroutine had called when the error was born, the outermost first:
/// the part of the machine's stack above the resumption.
std::vector<std::string> plain_calls(const common::TracedError& error) {
    const auto resumption = std::ranges::find_if(error.stack, [](const auto& name) {
        return name.find("stage2::Generator") != std::string::npos;
    });
    std::vector<std::string> calls(error.stack.begin(), resumption);
    std::ranges::reverse(calls);
    return calls;
}

} // namespace

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

std::string describe(const std::vector<Place>& chain) {
    std::string text;
    for (const Place& place : chain) {
        // The last one was going on from there when something happened.
        const bool last = &place == &chain.back();
        text += fmt::format("  {}, {} {}\n", short_name(place.function.function_name()),
                            last ? "gone on from" : "waiting at",
                            common::file_and_line(place.line));
    }
    return text;
}

TaskFailed::TaskFailed(const std::vector<Place>& chain)
    : std::runtime_error(describe(chain)) {}

std::string describe(const TaskFailed& failure) {
    std::string text = fmt::format(
        "the coroutines that led here, the last one at the bottom:\n{}", failure.what());
    try {
        failure.rethrow_nested();
    } catch (const common::TracedError& error) {
        for (const std::string& call : plain_calls(error))
            text += fmt::format("  {}\n", call);
        text += fmt::format("{}: {}", common::file_and_line(error.where), error.what());
    } catch (const std::exception& error) {
        text += error.what();
    } catch (...) {
        text += "something was thrown that is no std::exception";
    }
    return text;
}

} // namespace stage2
