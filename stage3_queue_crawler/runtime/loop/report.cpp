#include "stage3_queue_crawler/runtime/loop/report.h"

#include "stage3_queue_crawler/runtime/loop/errors.h"

#include <fmt/core.h>

#include <cstdio>
#include <new>

namespace stage3 {

Cancelled& Cancelled::operator=(const Cancelled& other) noexcept {
    if (this == &other)
        return *this;
    try {
        message = other.message;
    } catch (const std::bad_alloc&) {
        message.clear();
    }
    return *this;
}

std::string describe(const std::exception_ptr& exception) {
    try {
        std::rethrow_exception(exception);
    } catch (const std::exception& error) {
        return error.what();
    } catch (const Cancelled& cancelled) {
        return cancelled.message.empty()
                   ? "cancelled"
                   : fmt::format("cancelled: {}", cancelled.message);
    } catch (...) {
        return "something was thrown that is no std::exception";
    }
}

std::string describe(const Report& report) {
    std::string text = report.message + '\n' + common::describe(report.chain);
    if (report.exception)
        text += "  " + describe(report.exception) + '\n';
    return text;
}

void print(const Report& report) noexcept {
    try {
        // Not checked: if stderr fails, there is nowhere left to say so.
        static_cast<void>(std::fputs(describe(report).c_str(), stderr));
    } catch (...) {
        static_cast<void>(std::fputs("an error, and no memory to tell which\n", stderr));
    }
}

void print(const char* what, const std::exception_ptr& exception) noexcept {
    static_cast<void>(std::fputs(what, stderr));
    print({.message = {}, .exception = exception, .chain = {}});
}

} // namespace stage3
