#include "common/trace/stack_trace.h"

#include "common/trace/trace.h"

#include <fmt/core.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <ranges>
#include <string_view>

#include <cxxabi.h>
#include <dlfcn.h>

#if __has_include(<execinfo.h>)
#include <execinfo.h>
#endif

namespace common {
namespace {

/// "_ZN6stage19EventLoop4stopEv" → "stage1::EventLoop::stop", without parameters.
std::string readable(const char* symbol) {
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> text(
        abi::__cxa_demangle(symbol, nullptr, nullptr, &status), &std::free);
    const std::string name = status == 0 ? text.get() : symbol;
    constexpr std::string_view nameless = "(anonymous namespace)";
    auto parameters = name.find('(');
    while (parameters != std::string::npos
           && std::string_view(name).substr(parameters).starts_with(nameless))
        parameters = name.find('(', parameters + nameless.size());
    return name.substr(0, parameters);
}

} // namespace

std::vector<std::string> stack_trace() {
    std::vector<std::string> names;
#if __has_include(<execinfo.h>)
    std::array<void*, 128> addresses{};
    const int count = ::backtrace(addresses.data(), static_cast<int>(addresses.size()));
    for (int i = 1; i < count; ++i) { // 0 is this function
        Dl_info info{};
        if (::dladdr(addresses[static_cast<std::size_t>(i)], &info) == 0
            || info.dli_sname == nullptr)
            continue;
        names.push_back(readable(info.dli_sname));
        if (names.back() == "main")
            break; // what comes before main is the system's affair
    }
#endif
    return names;
}

TracedError::TracedError(const std::string& what, std::source_location at)
    : std::runtime_error(what), where(at), stack(stack_trace()) {
    if (!stack.empty())
        stack.erase(stack.begin()); // this constructor
}

void FailOnPurpose::count(std::source_location at) {
    if (++counted_ == number_)
        throw TracedError("parsing failed, as --fail-parsing asked", at);
}

std::string describe(const TracedError& error) {
    std::string text = "the calls that led here, the last one at the bottom:\n";
    for (const std::string& name : std::views::reverse(error.stack))
        text += fmt::format("  {}\n", name);
    return text + fmt::format("{}: {}", file_and_line(error.where), error.what());
}

} // namespace common
