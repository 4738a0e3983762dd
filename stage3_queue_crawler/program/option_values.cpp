#include "stage3_queue_crawler/program/option_values.h"

#include "common/text/ascii.h"
#include "common/web/url.h"
#include "stage3_queue_crawler/crawler/decimal.h"
#include "stage3_queue_crawler/program/local_roots.h"
#include "stage3_queue_crawler/program/options.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>

namespace stage3 {
namespace {

/// What a header's value may contain: above all, no line end.
bool is_header_value(std::string_view text) {
    return std::ranges::all_of(
        text, [](char c) { return c == '\t' || (c >= ' ' && c < 0x7f); });
}

} // namespace

common::ReadValue noting(bool& given, common::ReadValue read) {
    std::vector<std::string> words = read.words;
    common::ReadValue noted = [&given, read = std::move(read)](const std::string& text) {
        given = true;
        return read(text);
    };
    noted.words = std::move(words);
    return noted;
}

std::string read_seconds(const std::string& text, double least,
                         std::chrono::duration<double>& time) {
    constexpr double most = 1e9; // 31 years
    const auto read = read_decimal(text);
    if (!read || *read < least || *read > most)
        return fmt::format("'{}' is not a number of seconds from {} to {:.0f}", text,
                           least, most);
    time = std::chrono::duration<double>(*read);
    return {};
}

common::ReadValue reader_of_age(std::chrono::seconds& age) {
    return [&age](const std::string& text) -> std::string {
        constexpr std::array<std::pair<char, int>, 4> units{
            {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86'400}}};
        std::string digits = text;
        int seconds = 1;
        for (const auto& [letter, unit] : units)
            if (digits == text && text.ends_with(letter)) {
                digits.pop_back();
                seconds = unit;
            }
        std::int64_t number = 0;
        constexpr std::int64_t most = 1'000'000'000;
        if (!common::read_whole_number(digits, 0, most / seconds, number).empty())
            return fmt::format("'{}' is not an age, such as 3600, 90m, 12h or 7d", text);
        age = std::chrono::seconds(number * seconds);
        return {};
    };
}

common::ReadValue reader_of_size(std::size_t& size) {
    return [&size](const std::string& text) -> std::string {
        constexpr std::string_view units = "kKmMgG"; // two letters for each power of 1024
        std::string digits = text;
        unsigned shift = 0;
        if (const auto unit = units.find(text.empty() ? ' ' : text.back());
            unit != std::string_view::npos) {
            digits.pop_back();
            shift = 10 * (static_cast<unsigned>(unit) / 2 + 1);
        }
        std::int64_t number = 0;
        constexpr std::int64_t most = std::int64_t{1} << 40U;
        if (!common::read_whole_number(digits, 1, most >> shift, number).empty())
            return fmt::format("'{}' is not a number of bytes, such as 500000, 64k, 16M "
                               "or 1G; at most 1024G",
                               text);
        size = static_cast<std::size_t>(number) << shift;
        return {};
    };
}

common::ReadValue reader_of_patterns(std::vector<Pattern>& patterns,
                                     std::vector<std::string>& texts,
                                     std::string_view option) {
    return [&patterns, &texts, option](const std::string& text) -> std::string {
        try {
            patterns.emplace_back(text);
            texts.push_back(fmt::format("{} {}", option, text));
            return {};
        } catch (const std::invalid_argument& error) {
            return fmt::format("'{}' is not an extended regular expression: {}", text,
                               error.what());
        }
    };
}

common::ReadValue reader_of_user_agent(std::string& user_agent) {
    return [&user_agent](const std::string& text) -> std::string {
        if (common::trim(text).empty() || !is_header_value(text))
            return fmt::format("'{}': give one line of printable ASCII", text);
        user_agent = text;
        return {};
    };
}

common::ReadValue reader_of_headers(std::vector<std::string>& headers) {
    return [&headers](const std::string& text) -> std::string {
        const auto colon = text.find(':');
        const std::string_view name = std::string_view(text).substr(0, colon);
        // RFC 9110, section 5.6.2: a token.
        const bool is_token = !name.empty() && std::ranges::all_of(name, [](char c) {
            return common::is_alpha(c) || common::is_digit(c)
                   || std::string_view("!#$%&'*+-.^_`|~").find(c)
                          != std::string_view::npos;
        });
        if (colon == std::string::npos || !is_token || !is_header_value(text))
            return fmt::format("'{}' is not a header like 'Name: value'", text);
        headers.push_back(text);
        return {};
    };
}

common::ReadValue reader_of_servers(std::vector<RedisUrl>& servers) {
    return [&servers](const std::string& text) -> std::string {
        try {
            RedisUrl server = parse_redis_url(text);
            const char* const password =
                std::getenv("REDISCLI_AUTH"); // NOLINT(concurrency-mt-unsafe)
            if (server.password.empty() && password)
                server.password = password;
            servers.push_back(std::move(server));
            return {};
        } catch (const std::invalid_argument& error) {
            return error.what();
        }
    };
}

common::ReadValue reader_of_name(std::string& name) {
    return [&name](const std::string& text) -> std::string {
        constexpr std::size_t longest = 100;
        const bool is_good = std::ranges::all_of(text, [](char c) {
            return common::is_alpha(c) || common::is_digit(c) || c == '.' || c == '-'
                   || c == '_';
        });
        if (!is_good || text.empty() || text.size() > longest)
            return fmt::format("'{}' is not a name: letters, digits, '.', '-' and '_', "
                               "at most {}",
                               text, longest);
        name = text;
        return {};
    };
}

common::ReadValue reader_of_statuses(std::vector<std::pair<int, int>>& ranges) {
    return [&ranges](const std::string& text) -> std::string {
        for (std::string_view rest = text;;) {
            const std::string_view item = rest.substr(0, rest.find(','));
            const auto dots = item.find("..");
            std::int64_t from = 0;
            std::int64_t to = 0;
            const std::string first(item.substr(0, dots));
            const std::string last(
                dots == std::string_view::npos ? item : item.substr(dots + 2));
            if (!common::read_whole_number(first, 100, 999, from).empty()
                || !common::read_whole_number(last, 100, 999, to).empty() || to < from)
                return fmt::format("'{}' is not a list of statuses, such as 403,500..599",
                                   text);
            ranges.emplace_back(static_cast<int>(from), static_cast<int>(to));
            if (item.size() == rest.size())
                return {};
            rest.remove_prefix(item.size() + 1);
        }
    };
}

common::ReadValue reader_of_sitemaps(SitemapChoice& sitemaps) {
    return [&sitemaps](const std::string& text) -> std::string {
        if (common::equal_ignoring_case(text, "true")
            || common::equal_ignoring_case(text, "false")) {
            sitemaps.of_roots = common::equal_ignoring_case(text, "true");
            return {};
        }
        if (!written_path(text).empty())
            return fmt::format("'{}' is a path: of a folder, --sitemap alone reads what "
                               "its robots.txt names, or /sitemap.xml",
                               text);
        const auto url = common::parse_root_url(text);
        if (!url)
            return fmt::format("'{}' is not a sitemap's URL, like "
                               "https://example.org/sitemap.xml",
                               text);
        sitemaps.urls.push_back(*url);
        return {};
    };
}

common::ReadValue files_into(std::vector<std::string>& files) {
    return [&files](const std::string& text) {
        files.push_back(text);
        return std::string();
    };
}

common::ReadValue format_into(const FormatEntry*& format) {
    std::vector<std::pair<std::string, const FormatEntry*>> choices;
    choices.reserve(all_formats.size());
    for (const FormatEntry& entry : all_formats)
        choices.emplace_back(entry.name, &entry);
    return common::choice_into(format, std::move(choices));
}

common::ReadValue reader_of_sources(Sources& sources) {
    return [&sources](const std::string& text) -> std::string {
        try {
            sources.push_back(read_source(text));
            return {};
        } catch (const std::invalid_argument& error) {
            return fmt::format("'{}' {}", text, error.what());
        }
    };
}

common::ReadValue reader_of_remaps(std::vector<Remap>& remaps) {
    return [&remaps](const std::string& text) -> std::string {
        try {
            Remap remap = read_remap(text);
            for (const Remap& other : remaps)
                if (other.from == remap.from)
                    return fmt::format("{} has two places: give one", remap.from.href());
            remaps.push_back(std::move(remap));
            return {};
        } catch (const std::invalid_argument& error) {
            return fmt::format("'{}' {}", text, error.what());
        }
    };
}

common::ReadValue reader_of_reports(std::vector<AlsoReport>& reports) {
    return [&reports](const std::string& text) -> std::string {
        const auto equals = text.find('=');
        const std::string file =
            equals == std::string::npos ? "" : text.substr(equals + 1);
        if (file.empty() || file == "-")
            return fmt::format("'{}': give a format and a file, as in junit=report.xml",
                               text);
        AlsoReport report{.format = nullptr, .file = file, .option = "--also"};
        std::string wrong = format_into(report.format)(text.substr(0, equals));
        if (wrong.empty())
            reports.push_back(std::move(report));
        return wrong;
    };
}

} // namespace stage3
