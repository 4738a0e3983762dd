#include "tests/live/settings.h"

#include "common/text/join.h"

#include <fmt/core.h>

#include <array>
#include <charconv>
#include <set>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace tests::live {
namespace {

using Names = std::vector<std::string_view>;

/// A setting: its name, what it may be, and where it is. A word's number is its place.
struct Setting {
    std::string_view name;
    int least = 0, most = 0;
    Names words = {};
    void (*set)(Settings&, int) = nullptr;
    int (*get)(const Settings&) = nullptr;
};

template <auto member>
Setting in(Setting setting) {
    using Value = std::remove_reference_t<decltype(Settings().*member)>;
    setting.set = [](Settings& s, int value) { s.*member = static_cast<Value>(value); };
    setting.get = [](const Settings& s) { return static_cast<int>(s.*member); };
    return setting;
}

const std::array all_settings{
    in<&Settings::workers>({"workers", 1, 20}),
    in<&Settings::latency>({"latency", 1, 10'000}),
    in<&Settings::pages>({"pages", 1, 200}),
    in<&Settings::links>({"links", 1, 20}),
    in<&Settings::room>({"room", 0, 100}),
    in<&Settings::answers>(
        {.name = "answers", .words = {"alike", "by_chance", "one_slow"}}),
    in<&Settings::queue>({.name = "queue", .words = {"book", "losing"}}),
    in<&Settings::ask>({"ask", 0, 20}),
    in<&Settings::at>({"at", 3, 1'000'000}),
};

const Setting& setting_called(std::string_view name) {
    Names names;
    for (const Setting& one : all_settings) {
        if (one.name == name)
            return one;
        names.push_back(one.name);
    }
    throw std::invalid_argument(fmt::format("there is no setting '{}': there are {}",
                                            name, common::join(names, ", ")));
}

int value_of(const Setting& setting, std::string_view text) {
    for (std::size_t i = 0; i < setting.words.size(); ++i)
        if (setting.words[i] == text)
            return static_cast<int>(i);
    if (!setting.words.empty())
        throw std::invalid_argument(fmt::format("{}: '{}' is none of {}", setting.name,
                                                text, common::join(setting.words, ", ")));
    int value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size()
        || value < setting.least || value > setting.most)
        throw std::invalid_argument(fmt::format("{}: '{}' is no number from {} to {}",
                                                setting.name, text, setting.least,
                                                setting.most));
    return value;
}

} // namespace

Settings read_settings(std::string_view text) {
    Settings result;
    std::set<std::string_view> given;
    while (!text.empty()) {
        const std::string_view one = text.substr(0, text.find(' '));
        text.remove_prefix(std::min(one.size() + 1, text.size()));
        if (one.empty())
            continue; // a blank too many
        const std::size_t name_ends = one.find('=');
        if (name_ends == std::string_view::npos)
            throw std::invalid_argument(
                fmt::format("'{}' is no setting, such as workers=3", one));
        const Setting& setting = setting_called(one.substr(0, name_ends));
        if (!given.insert(setting.name).second)
            throw std::invalid_argument(fmt::format("{} is given twice", setting.name));
        setting.set(result, value_of(setting, one.substr(name_ends + 1)));
    }
    if (result.ask > result.workers)
        throw std::invalid_argument(
            fmt::format("ask: there is no worker {} of {}", result.ask, result.workers));
    return result;
}

std::string describe_settings() {
    std::vector<std::string> settings;
    for (const Setting& one : all_settings) {
        const int usual = one.get(Settings());
        settings.push_back(
            one.words.empty()
                ? fmt::format(R"({{"name":"{}","least":{},"most":{},"usual":{}}})",
                              one.name, one.least, one.most, usual)
                : fmt::format(R"({{"name":"{}","words":["{}"],"usual":"{}"}})", one.name,
                              common::join(one.words, R"(",")"),
                              one.words.at(static_cast<std::size_t>(usual))));
    }
    return fmt::format(R"({{"settings":[{}]}})", common::join(settings, ","));
}

std::string describe(const Outcome& outcome) {
    return fmt::format("{{\"hangs\":{},\"found\":{},\"fetched\":{},\"lost\":{},"
                       "\"milliseconds\":{},\"steps\":{}}}",
                       outcome.hangs, outcome.found, outcome.fetched, outcome.lost,
                       outcome.milliseconds, outcome.steps);
}

} // namespace tests::live
