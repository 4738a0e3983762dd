// How records look to programs and to people.
#include "stage3_queue_crawler/program/formats/escape.h"
#include "stage3_queue_crawler/program/formats/formats.h"
#include "stage3_queue_crawler/program/formats/text_report.h"
#include "tests/stage3/program/folder.h"
#include "tests/support/prelude.h"
#include "tests/support/url.h"

using namespace stage3;
using tests::url_of;

namespace {

Record record_of(const std::string& url, Outcome outcome = Outcome::failed,
                 const std::string& error = "", int status = 0) {
    Record record(url_of(url));
    record.outcome = outcome;
    record.error = error;
    record.status = status;
    return record;
}

ReportLines lines_of(const std::vector<Record>& records) {
    ReportLines lines;
    for (const Record& record : records)
        lines.emplace_back(record);
    return lines;
}

} // namespace

TEST_CASE("for a terminal, characters that aren't printable ASCII are escaped") {
    CHECK(for_terminal("plain \\ text~") == "plain \\ text~");
    CHECK(for_terminal("\x1b[2J\x07\r\n") == "\\x1b[2J\\x07\\x0d\\x0a");
    // NOLINTNEXTLINE(misc-misleading-bidirectional): this is what the test is about
    CHECK(for_terminal("\x7f\xc2\x9b\xe2\x80\xae") == "\\x7f\\xc2\\x9b\\xe2\\x80\\xae");
    CHECK(for_terminal(std::string("\0", 1)) == "\\x00");
}

TEST_CASE("as JSON, a text is one ASCII string, whatever its bytes") {
    CHECK(as_json("") == "\"\"");
    CHECK(as_json("a\"b\\c/") == R"("a\"b\\c/")");
    CHECK(as_json("\x1b\n\x7f") == R"("\u001b\u000a\u007f")");
    // NOLINTNEXTLINE(misc-misleading-bidirectional)
    CHECK(as_json("\xc3\xa9 \xe2\x80\xae \xf0\x9f\x98\x80")
          == R"("\u00e9 \u202e \ud83d\ude00")");
    CHECK(as_json("a\xff\xc3z") == R"("a\ufffd\ufffdz")");
    CHECK(as_json("\xef\xbb\xbfz") == R"("\ufeffz")"); // which is not a byte order mark
    CHECK(as_json("\xff\xfez\x01") == R"("\ufffd\ufffdz\u0001")");
    CHECK(as_json(std::string("\0", 1)) == R"("\ufffd")");
}

TEST_CASE("as a CSV cell, a text is quoted if necessary and never a formula") {
    using stage3::as_csv;
    CHECK(as_csv("") == "");
    CHECK(as_csv("text/html") == "text/html");
    CHECK(as_csv("a,b") == "\"a,b\"");
    CHECK(as_csv("a;b c") == "\"a;b c\"");
    CHECK(as_csv("a\"b") == "\"a\"\"b\"");
    CHECK(as_csv("\x1b\n") == "\\x1b\\x0a");
    for (const char* formula : {"=1", "+1", "-1", "@x"})
        CHECK(as_csv(formula) == std::string("'") + formula);
}

TEST_CASE("as a Graphviz string, a text has its quotes and backslashes escaped") {
    CHECK(stage3::as_dot("a\"b\\c\x1b") == R"("a\"b\\c\\x1b")");
}

TEST_CASE("a record as CSV has as many cells as there are columns") {
    const auto csv = stage3::make_csv({});
    CHECK(csv->record(record_of("http://h/"), Standing::counts)
          == "http://h/,0,,failed,,,,,,0,0,0,1,0.000000,,,,,,,,\r\n");
    CHECK(csv->record(record_of("http://h/", Outcome::failed, "HTTP status 404", 404),
                      Standing::known)
          == "http://h/,0,,failed,404,,\"HTTP status "
             "404\",,,0,0,0,1,0.000000,,,known,,,,,\r\n");
    const std::string header = csv->begin();
    CHECK(std::ranges::count(header, ',') == 21);

    Record deep(url_of("http://h/a"));
    deep.parent = url_of("http://h/b,c");
    deep.depth = 3;
    CHECK(csv->record(deep, Standing::counts)
          == "http://h/a,3,\"http://h/b,c\",failed,,,,,,0,0,0,1,0.000000,,,,,,,,\r\n");
}

TEST_CASE("a record as a node has a colour, and a redirect an arrow") {
    const auto dot = stage3::make_dot({});
    Record record(url_of("http://h/"));
    CHECK(dot->record(record, Standing::counts)
              .starts_with("  \"http://h/\" [color=red, "));
    record.outcome = Outcome::redirect;
    record.next_url = "x:\"";
    const std::string text = dot->record(record, Standing::counts);
    CHECK(text.starts_with("  \"http://h/\" [color=blue, "));
    CHECK(text.find("  \"http://h/\" -> \"x:\\\"\" [style=dashed, ") != text.npos);
    CHECK(dot->links(record.url, {url_of("http://h/a"), url_of("http://h/b")})
          == "  \"http://h/\" -> \"http://h/a\";\n"
             "  \"http://h/\" -> \"http://h/b\";\n");
}

TEST_CASE("a record as JSON has all fields, with null for unknown ones") {
    const auto jsonl = stage3::make_jsonl({});
    const Record nothing(url_of("http://h/"));
    CHECK(
        jsonl->record(nothing, Standing::counts)
        == R"({"url": "http://h/", "depth": 0, "parent": null, "outcome": "failed", )"
           R"("status": null, "next_url": null, "error": null, "content_type": null, )"
           R"("charset": null, "bytes": 0, "links": 0, "new_links": 0, "tries": 1, )"
           R"("seconds": 0.000000, "kind": null, "fragment": null, "excuse": null, "nearest_id": null, )"
           R"("line": null, "column": null, "text": null, "href": null})"
           "\n");

    Record record(url_of("http://h/a"));
    record.parent = url_of("http://h/");
    record.depth = 3;
    record.outcome = Outcome::redirect;
    record.status = 301;
    record.next_url = "x\"y";
    record.error = "e";
    record.content_type = "text/html";
    record.charset = "\xff";
    record.bytes = 1;
    record.links = 2;
    record.new_links = 3;
    record.tries = 4;
    record.seconds = 1.5;
    record.role = common::LinkRole::image;
    record.fragment = "a\"b";
    CHECK(
        jsonl->record(record, Standing::ignored)
        == R"({"url": "http://h/a", "depth": 3, "parent": "http://h/", )"
           R"("outcome": "redirect", "status": 301, "next_url": "x\"y", "error": "e", )"
           R"("content_type": "text/html", "charset": "\ufffd", "bytes": 1, )"
           R"("links": 2, "new_links": 3, "tries": 4, "seconds": 1.500000, )"
           R"("kind": "img", "fragment": "a\"b", "excuse": "ignored", "nearest_id": null, )"
           R"("line": null, "column": null, "text": null, "href": null})"
           "\n");
}

TEST_CASE("a record as a line contains all there is to say") {
    const auto line = [](const Record& record) { return to_text(ReportLine(record)); };
    CHECK(line(record_of("http://h/", Outcome::failed, "connection refused"))
          == "failed        -         0  http://h/ (connection refused)");
    CHECK(line(record_of("http://h/", Outcome::failed, "\x1b[2J"))
          == "failed        -         0  http://h/ (\\x1b[2J)");
    Record record = record_of("http://h/", Outcome::redirect, "", 302);
    record.next_url = "mailto:\x1b";
    CHECK(line(record) == "redirect    302         0  http://h/ -> mailto:\\x1b");
}

TEST_CASE(
    "the report has records by URL, sums, the most frequent links, and the dead ones") {
    KnownUrls urls;
    const auto root = urls.number_of(url_of("http://h/"));
    const auto b = urls.number_of(url_of("http://h/b"));
    const auto a = urls.number_of(url_of("http://h/a"));
    urls.meet(b, root);
    urls.meet(b, a);
    urls.meet(a, root);
    const auto lines = [] {
        std::vector<Record> records{
            record_of("http://h/", Outcome::page, "", 200),
            record_of("http://h/a", Outcome::page, "", 200),
            record_of("http://h/b", Outcome::error, "HTTP status 404", 404)};
        for (Record& record : records)
            record.bytes = 100;
        return lines_of(records);
    };
    CHECK(stage3::text_report(lines(), {urls, {}, 1500ms})
          == R"(page        200       100  http://h/
page        200       100  http://h/a
error       404       100  http://h/b (HTTP status 404)

URLs:  1 error, 2 page
       2 with status 200, 1 with status 404
Bytes: 300
On how many pages a link was met:
       2  http://h/b
       1  http://h/a
Done in 1.50 s: 2 fetched, 0 redirects, 1 dead.
Dead:
  http://h/b (HTTP status 404)
    on http://h/
    on http://h/a
)");
    const std::string shorter =
        stage3::text_report(lines(),
                            {urls,
                             {{"links too long for URLs", "", 7, "http://h/"},
                              {"that never end", "http://h/a/a/", 12}},
                             1500ms},
                            {.top = 1});
    CHECK(shorter.find("       1  http://h/a") == std::string::npos);
    CHECK(shorter.find("\nLeft out:\n"
                       "  7 links too long for URLs, on http://h/\n"
                       "  12 that never end, such as http://h/a/a/\nDone in")
          != std::string::npos);
}

TEST_CASE(
    "the report says how a dead asset is referred to, and lists what is unclear and "
    "missing fragments apart") {
    KnownUrls urls;
    const auto root = urls.number_of(url_of("http://h/"));
    ReportLines lines;
    const auto add = [&](const char* url, Outcome outcome, const char* error) {
        urls.meet(urls.number_of(url_of(url)), root);
        Record record(url_of(url));
        record.outcome = outcome;
        record.error = error;
        return record;
    };
    urls[url_of("http://h/b.png")].role = common::LinkRole::image;
    Record fragment = add("http://h/a", Outcome::error, "no element has this id");
    fragment.fragment = "x\x1b";
    fragment.mentions = {{.page = url_of("http://h/"), .place = {}}};
    lines.emplace_back(fragment);
    lines.emplace_back(add("http://h/b.png", Outcome::error, "HTTP status 404"));
    lines.emplace_back(add("http://other/", Outcome::unclear, "HTTP status 403"));
    std::string report = stage3::text_report(lines, {urls, {}, 1s});
    CHECK(report.find("URLs:  1 error, 1 missing fragment, 1 unclear\n")
          != std::string::npos);
    CHECK(report.find("  http://h/b.png\nDone") == std::string::npos); // no link met
    CHECK(report.ends_with("1 dead, 1 missing fragment, 1 unclear.\nUnclear:\n"
                           "  http://other/ (HTTP status 403)\n"
                           "    on http://h/\n"
                           "Dead:\n"
                           "  http://h/a#x\\x1b (no element has this id)\n"
                           "    on http://h/\n"
                           "  http://h/b.png (img: HTTP status 404)\n"
                           "    on http://h/\n"));
    fragment.outcome = Outcome::unclear;
    lines.emplace_back(fragment);
    report = stage3::text_report(lines, {urls, {}, 1s});
    CHECK(report.find("1 missing fragment, 1 unclear, 1 unclear fragment\n")
          != std::string::npos);
    CHECK(report.find("1 dead, 1 missing fragment, 2 unclear.\n") != std::string::npos);
}

TEST_CASE("the report counts responses whose certificates were not checked") {
    const KnownUrls urls;
    const auto report = [&](bool is_unchecked) {
        return stage3::text_report(
            lines_of({record_of("https://h/", Outcome::error, "", 404),
                      record_of("https://h/a", Outcome::error, "", 404),
                      record_of("http://h/", Outcome::error, "", 404),
                      record_of("https://h/none")}),
            {.urls = urls, .left_out = {}, .time = 1s, .is_unchecked = is_unchecked});
    };
    CHECK(report(true).find("not checked (--insecure): 2\n") != std::string::npos);
    CHECK(report(false).find("not checked") == std::string::npos);
}

TEST_CASE("for a link that is everywhere, the report names some pages and counts the "
          "rest; else the redirect that leads to it") {
    KnownUrls urls;
    const auto dead = urls.number_of(url_of("http://h/x"));
    for (int i = 0; i < 25; ++i)
        urls.meet(dead, urls.number_of(url_of("http://h/" + std::to_string(i))));
    stage3::KnownUrl& target = urls[url_of("http://h/y")];
    target.parent = urls.number_of(url_of("http://h/moved"));
    const std::string report = stage3::text_report(
        lines_of({record_of("http://h/x"),
                  record_of("http://h/y", Outcome::failed, "no URL: \x1b[2J")}),
        {urls, {}, 1s});
    CHECK(report.ends_with("    on http://h/9\n    and on 15 more\n"
                           "  http://h/y (no URL: \\x1b[2J)\n"
                           "    on http://h/moved\n"));
    CHECK(report.find('\x1b') == std::string::npos);
}

TEST_CASE("the report says what to start if a root on this machine refuses") {
    const auto report_of = [](const std::string& root, const std::string& error) {
        KnownUrls urls;
        urls.number_of(url_of(root));
        return stage3::text_report(lines_of({record_of(root, Outcome::failed, error)}),
                                   {urls, {}, 1s});
    };
    std::string advice = "    nothing listens there";
    const tests::Folder here;
    SUBCASE("in the book's repository") {
        tests::Folder::write("learn", "");
        advice += "; ./learn site --port 8000 starts the practice site";
    }
    SUBCASE("elsewhere") {}
    advice += '\n';
    CHECK(report_of("http://127.0.0.1:8000/", "connection refused").ends_with(advice));
    CHECK(report_of("http://localhost:8000/", "connection refused").ends_with(advice));
    CHECK(report_of("http://h/", "connection refused").ends_with(")\n"));
    CHECK(report_of("http://127.0.0.1:8000/", "timed out").ends_with(")\n"));
    const std::string unknown = "cannot resolve 'publc': Name or service not known";
    CHECK(report_of("http://publc/", unknown)
              .ends_with("    there is no folder 'publc' here, either\n"));
    CHECK(report_of("http://publc.example/", unknown).ends_with(")\n"));
}

TEST_CASE("what is left out is counted in words, also if it's one") {
    using stage3::counted_kind;
    CHECK(counted_kind(2, "links too long for URLs") == "2 links too long for URLs");
    CHECK(counted_kind(1, "links too long for URLs") == "1 link too long for URLs");
    CHECK(counted_kind(1, "URLs of h:80 are unclear: we are told")
          == "1 URL of h:80 is unclear: we are told");
    CHECK(counted_kind(1, "sitemaps, since their URLs are too long")
          == "1 sitemap, since their URLs are too long");
    CHECK(counted_kind(1, "") == "1 ");
}

TEST_CASE("an empty crawl has a report, too") {
    CHECK(stage3::text_report({}, {KnownUrls(), {}, 0s})
              .ends_with("Done in 0.00 s: 0 fetched, 0 redirects, 0 dead.\n"));
}
