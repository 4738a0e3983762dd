// The order in which a person counts.
#include "stage3_queue_crawler/program/formats/natural_order.h"
#include "tests/support/prelude.h"
#include "tests/support/url.h"

using stage3::comes_before;
using tests::url_of;

TEST_CASE("in natural order, numbers are compared as numbers") {
    const std::vector<std::string> sorted{
        "", "/", "/a", "/a0", "/a01", "/a1", "/a2/x9y", "/a2/x10", "/a10", "/ab", "/b"};
    for (std::size_t i = 0; i < sorted.size(); ++i)
        for (std::size_t j = 0; j < sorted.size(); ++j) {
            CAPTURE(sorted[i]);
            CAPTURE(sorted[j]);
            CHECK(comes_before(sorted[i], sorted[j]) == (i < j));
        }
    CHECK(comes_before("99999999999999999999998", "99999999999999999999999"));
}

TEST_CASE("in natural order, a page comes before the fragments that it lacks") {
    stage3::ReportLines lines;
    for (const auto& [url, fragment] :
         {std::pair("http://h/10", ""), std::pair("http://h/2", "b10"),
          std::pair("http://h/2", "b9"), std::pair("http://h/2", "")}) {
        stage3::Record record(url_of(url));
        record.error = "x";
        record.fragment = fragment;
        lines.emplace_back(record);
    }
    std::string text;
    for (const stage3::ReportLine* const line : stage3::in_natural_order(lines))
        text += address(*line) + ' ';
    CHECK(text == "http://h/2 http://h/2#b9 http://h/2#b10 http://h/10 ");
}
