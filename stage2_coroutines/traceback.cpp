#include "stage2_coroutines/traceback.h"

#include "common/trace/stack_trace.h"
#include "common/trace/trace.h"

#include <fmt/core.h>

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

TaskFailed::TaskFailed(const std::vector<Place>& chain)
    : std::runtime_error(common::describe(chain)) {}

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
