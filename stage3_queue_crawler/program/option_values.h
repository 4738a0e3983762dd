// How the values of stage 3's options are read: what is allowed, and where it goes. No
// page covers it.
//
// Each function returns a reader, which writes into the setting that the option is for,
// so that a row of the table in options.cpp is all that an option needs. What is wrong
// with a value is said in words that tell what is allowed.
#pragma once

#include "common/command_line/command_line.h"
#include "stage3_queue_crawler/crawler/scope.h"
#include "stage3_queue_crawler/crawler/sitemap.h"
#include "stage3_queue_crawler/program/formats/formats.h"
#include "stage3_queue_crawler/program/remaps.h"
#include "stage3_queue_crawler/redis/redis_url.h"

#include <chrono>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stage3 {

struct AlsoReport; // in options.h

/// Reads as `read` does, and notes that there is a value: for options that are wrong
/// without another one.
common::ReadValue noting(bool& given, common::ReadValue read);

/// One of these values, by its name.
template <class Value>
common::ReadValue choice_by_name(Value& value, std::initializer_list<Value> values) {
    std::vector<std::pair<std::string, Value>> choices;
    for (const Value each : values)
        choices.emplace_back(name_of(each), each);
    return common::choice_into(value, std::move(choices));
}

constexpr double shortest_time = 0.001; ///< in seconds, unless 0 means something

/// Returns what is wrong with a number of seconds, as ReadValue does. Otherwise sets
/// `time`.
std::string read_seconds(const std::string& text, double least,
                         std::chrono::duration<double>& time);

/// Seconds, rounded up to what the setting can hold.
template <class Duration>
common::ReadValue reader_of_time(Duration& time, double least = shortest_time) {
    return [&time, least](const std::string& text) {
        std::chrono::duration<double> read{};
        std::string wrong = read_seconds(text, least, read);
        if (wrong.empty())
            time = std::chrono::ceil<Duration>(read);
        return wrong;
    };
}

/// The same, for a setting that may be absent.
template <class Duration>
common::ReadValue reader_of_time(std::optional<Duration>& time,
                                 double least = shortest_time) {
    return [&time, least](const std::string& text) {
        Duration read{};
        std::string wrong = reader_of_time(read, least)(text);
        if (wrong.empty())
            time = read;
        return wrong;
    };
}

/// "90", "12h"
common::ReadValue reader_of_age(std::chrono::seconds& age);

/// "16M"
common::ReadValue reader_of_size(std::size_t& size);

/// Each value becomes one more pattern; its text is put after the option's name, as it
/// could be typed, and added to `texts`.
common::ReadValue reader_of_patterns(std::vector<Pattern>& patterns,
                                     std::vector<std::string>& texts,
                                     std::string_view option);

/// A line that is fit for a header.
common::ReadValue reader_of_user_agent(std::string& user_agent);

/// "Name: value", each of which is added.
common::ReadValue reader_of_headers(std::vector<std::string>& headers);

/// URLs of Redis servers, each of which is added. One without a password gets that of the
/// environment, as redis-cli would use.
common::ReadValue reader_of_servers(std::vector<RedisUrl>& servers);

/// A name that can be part of Redis keys.
common::ReadValue reader_of_name(std::string& name);

/// "200..299,403": ranges, from and to, each of which is added.
common::ReadValue reader_of_statuses(std::vector<std::pair<int, int>>& ranges);

/// A URL, which is added, or "true": robots.txt knows. No one means a host with the name
/// "false".
common::ReadValue reader_of_sitemaps(SitemapChoice& sitemaps);

/// Any texts, each of which is added.
common::ReadValue files_into(std::vector<std::string>& files);

/// The name of one of all_formats.
common::ReadValue format_into(const FormatEntry*& format);

/// "https://example.org/=public", each of which is added.
common::ReadValue reader_of_sources(Sources& sources);

/// "https://example.org=public", each of which is added.
common::ReadValue reader_of_remaps(std::vector<Remap>& remaps);

/// "junit=report.xml", each of which is added.
common::ReadValue reader_of_reports(std::vector<AlsoReport>& reports);

} // namespace stage3
