// Dates in which cookies expire.
#include "stage3_queue_crawler/crawler/cookie_date.h"
#include "tests/support/prelude.h"

using stage3::parse_cookie_date;

namespace {

/// "2027-06-09 10:18:14"; empty if there is no date.
std::string read(std::string_view text) {
    const auto date = parse_cookie_date(text);
    if (!date)
        return {};
    const auto day = std::chrono::floor<std::chrono::days>(*date);
    const std::chrono::year_month_day parts(day);
    const std::chrono::hh_mm_ss time(*date - day);
    return fmt::format("{}-{:02}-{:02} {:02}:{:02}:{:02}", static_cast<int>(parts.year()),
                       static_cast<unsigned>(parts.month()),
                       static_cast<unsigned>(parts.day()), time.hours().count(),
                       time.minutes().count(), time.seconds().count());
}

} // namespace

TEST_CASE("a cookie's date is found in any order and between anything") {
    const std::string usual = "2027-06-09 10:18:14";
    const std::vector<std::pair<std::string_view, std::string>> rows{
        {"Wed, 09 Jun 2027 10:18:14 GMT", usual},
        {"Wednesday, 09-Jun-27 10:18:14 GMT", usual},
        {"Wed Jun  9 10:18:14 2027", usual},
        {"10:18:14 2027 june 9", usual},
        {"9JUNIOR;10:18:14x/2027", ""}, // the day swallows the month
        {"9th-JUNIOR;10:18:14x/2027y", usual},
        {"9 Jun 2027 10:18:14 -0800", usual}, // always UTC
        {"\t09\tJun\t2027\t10:18:14", usual},
        {"1 2 Jun 2027 10:18:14", "2027-06-01 10:18:14"},
        {"9 Jun 27 28 10:18:14", usual},
        {"9 Jun Jul 2027 10:18:14 11:11:11", usual},
        {"1 Jan 70 0:0:0", "1970-01-01 00:00:00"},
        {"1 Jan 69 0:0:0", "2069-01-01 00:00:00"},
        {"1 Jan 99 0:0:0", "1999-01-01 00:00:00"},
        {"1 Jan 00 0:0:0", "2000-01-01 00:00:00"},
        {"1 Jan 100 0:0:0", ""},
        {"31 Dec 1600 23:59:59", ""},
        {"1 Jan 1601 0:0:0", "1601-01-01 00:00:00"},
        {"31 Dec 9999 23:59:59", "9999-12-31 23:59:59"},
        {"31 Dec 10000 23:59:59", ""},
        {"29 Feb 2028 0:0:0", "2028-02-29 00:00:00"},
        {"29 Feb 2027 0:0:0", ""},
        {"31 Apr 2027 0:0:0", ""},
        {"0 Jan 2027 0:0:0", ""},
        {"32 Jan 2027 0:0:0", ""},
        {"1 Jan 2027 24:00:00", ""},
        {"1 Jan 2027 0:60:0", ""},
        {"1 Jan 2027 0:0:60", ""},
        {"1 Jan 2027 0:0", ""},
        {"1 Jan 2027 0:0:000", ""},
        {"1 Jan 2027 001:0:0", ""},
        {"1 Jan 2027", ""},
        {"Jan 2027 0:0:0", ""}, // no day
        {"1 Ja 2027 0:0:0", ""},
        {"1 Jan 0:0:0", ""},
        {"", ""}};
    for (const auto& [text, date] : rows) {
        CAPTURE(text);
        CHECK(read(text) == date);
    }
}
