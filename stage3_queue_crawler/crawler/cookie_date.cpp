#include "stage3_queue_crawler/crawler/cookie_date.h"

#include "common/text/ascii.h"

#include <array>
#include <cstddef>
#include <string>

namespace stage3 {
namespace {

using namespace std::chrono;

/// What stands between tokens: a tab, or printable ASCII that is no digit, letter or
/// colon. (The other control characters don't get here.)
bool is_delimiter(char c) {
    return c == '\t'
           || (c >= ' ' && c <= '~' && c != ':' && !common::is_digit(c)
               && !common::is_alpha(c));
}

/// How many characters at the front are of this kind.
template <class Kind>
std::size_t length_of(std::string_view text, Kind is_kind) {
    std::size_t length = 0;
    while (length < text.size() && is_kind(text[length]))
        ++length;
    return length;
}

/// Takes a number of so many digits from the front of `text`.
std::optional<int> take_number(std::string_view& text, std::size_t fewest,
                               std::size_t most) {
    const std::size_t digits = length_of(text, common::is_digit);
    if (digits < fewest || digits > most)
        return {};
    int number = 0;
    for (const char digit : text.substr(0, digits))
        number = 10 * number + (digit - '0');
    text.remove_prefix(digits);
    return number;
}

std::optional<int> number_in(std::string_view token, std::size_t fewest,
                             std::size_t most) {
    return take_number(token, fewest, most);
}

/// "10:18:14", perhaps with more behind it: its numbers, whatever they are.
using Time = std::array<int, 3>;
std::optional<Time> time_in(std::string_view token) {
    Time time{};
    for (std::size_t i = 0; i < time.size(); ++i) {
        if (i > 0 && !token.starts_with(':'))
            return {};
        token.remove_prefix(i > 0 ? 1 : 0);
        const auto number = take_number(token, 1, 2);
        if (!number)
            return {};
        time.at(i) = *number;
    }
    return time;
}

/// The number of a month, by the first three letters of its name.
std::optional<unsigned> month_in(std::string_view token) {
    constexpr std::array names{"jan", "feb", "mar", "apr", "may", "jun",
                               "jul", "aug", "sep", "oct", "nov", "dec"};
    const std::string name = common::lower(token.substr(0, 3));
    for (unsigned i = 0; i < names.size(); ++i)
        if (name == names.at(i))
            return i + 1;
    return {};
}

int with_century(int year) {
    if (year >= 70 && year <= 99)
        return year + 1900;
    return year < 70 ? year + 2000 : year;
}

struct Parts {
    std::optional<Time> time;
    std::optional<int> day;
    std::optional<unsigned> month;
    std::optional<int> year;

    /// The first token of each kind counts, and a token counts as the first kind that it
    /// fits and that is still missing.
    void take(std::string_view token) {
        if (!fill(time, time_in(token)) && !fill(day, number_in(token, 1, 2))
            && !fill(month, month_in(token)))
            fill(year, number_in(token, 2, 4));
    }

  private:
    template <class Part>
    static bool fill(std::optional<Part>& part, std::optional<Part> found) {
        if (part || !found)
            return false;
        part = found;
        return true;
    }
};

} // namespace

std::optional<sys_seconds> parse_cookie_date(std::string_view text) {
    Parts parts;
    while (!text.empty()) {
        text.remove_prefix(length_of(text, is_delimiter));
        const std::size_t length =
            length_of(text, [](char c) { return !is_delimiter(c); });
        parts.take(text.substr(0, length));
        text.remove_prefix(length);
    }
    if (!parts.time || !parts.day || !parts.month || !parts.year)
        return {};
    constexpr int first_year = 1601;
    const int year = with_century(*parts.year);
    const year_month_day date{std::chrono::year(year), std::chrono::month(*parts.month),
                              std::chrono::day(static_cast<unsigned>(*parts.day))};
    const auto [hour, minute, second] = *parts.time;
    if (year < first_year || !date.ok() || hour > 23 || minute > 59 || second > 59)
        return {};
    return sys_days(date) + hours(hour) + minutes(minute) + seconds(second);
}

} // namespace stage3
