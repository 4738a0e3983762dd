#include "common/web/http_response.h"
#include "tests/support/prelude.h"

using namespace common;

namespace {

std::string error_of(const std::string& bytes) {
    return split_http_response(bytes).error;
}

const std::string ok = "HTTP/1.1 200 OK\r\n";
const std::string chunked = ok + "Transfer-Encoding: chunked\r\n\r\n";

std::string body_of(const std::string& bytes) { return split_http_response(bytes).body; }

} // namespace

TEST_CASE("a response is split into status, headers and body") {
    const auto response = split_http_response("HTTP/1.0 404 Not Found\r\n"
                                              "Content-Type:  text/html \r\n"
                                              "X: 1\r\n"
                                              "x: 2\r\n"
                                              "\r\n"
                                              "gone\r\n\r\nreally");
    CHECK(response.error.empty());
    CHECK(response.status == 404);
    CHECK(response.header("content-type") == "text/html");
    CHECK(response.header("X") == "1");
    CHECK(response.header("Location").empty());
    CHECK(response.body == "gone\r\n\r\nreally");
}

TEST_CASE("sloppy servers are understood") {
    CHECK(body_of("HTTP/1.1 200\n\nx") == "x");
    CHECK(split_http_response("HTTP/1.1  200 OK\r\nA: b\r\n  c\r\n\r\n").header("A")
          == "b c");
    CHECK(body_of("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + ok + "\r\nbody")
          == "body");
    CHECK(body_of("HTTP/1.1 204 No Content\r\n\r\nsurprise").empty());
}

TEST_CASE("a body is as long as Content-Length says, which may be repeated") {
    for (const char* value : {"3", "3, 3", "3\r\nContent-Length: 3"}) {
        CAPTURE(value);
        CHECK(body_of(ok + "Content-Length: " + value + "\r\n\r\nabcdef") == "abc");
    }
    const auto cut = split_http_response(ok + "Content-Length: 9\r\n\r\nabc");
    CHECK(cut.error == "truncated: 3 of 9 bytes came");
    CHECK(cut.status == 200);
    for (const char* value : {"-1", "", "x", "3x", "99999999999999999999999", "+3", "3,4",
                              "3\r\nContent-Length: 4"}) {
        CAPTURE(value);
        CHECK(error_of(ok + "Content-Length: " + value + "\r\n\r\nabcd")
              == "malformed Content-Length");
    }
}

TEST_CASE("the chunks of a body are joined") {
    const std::string head = ok + "Transfer-Encoding: Chunked\r\n\r\n";
    CHECK(body_of(head + "3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\n\r\n")
          == "abc0123456789");
    CHECK(split_http_response(head + "1\r\na\r\n0\r\nTrailer: x\r\n\r\n").error.empty());
    CHECK(error_of(head + "3\r\nab").starts_with("truncated"));
    CHECK(error_of(head + "3\r\nabc\r\n").starts_with("truncated"));
    CHECK(error_of(head + "0fffffffffffffff\r\nabc").starts_with("truncated"));
    for (const std::string& rest :
         {std::string("ffffffffffffffff\r\nabc"), "3" + std::string(70'000, ' '),
          std::string("g\r\nabc\r\n"), std::string("-1\r\nabc\r\n"),
          std::string("111111111111111111111\r\nabc\r\n"),
          std::string("2\r\nabc\r\n0\r\n\r\n")}) {
        CAPTURE(rest);
        CHECK(error_of(head + rest) == "malformed chunk");
    }
}

TEST_CASE("chunks override a Content-Length that disagrees") {
    CHECK(body_of(ok
                  + "Content-Length: 99\r\nTransfer-Encoding: chunked\r\n\r\n"
                    "3\r\nabc\r\n0\r\n\r\n")
          == "abc");
    CHECK(body_of(ok + "Transfer-Encoding: identity\r\n\r\nx") == "x");
}

TEST_CASE("a malformed response is an error that says what is wrong") {
    CHECK(error_of("") == "empty response");
    for (const char* line :
         {"SSH-2.0-OpenSSH\r\n", "HTTP/1.1 abc\r\n\r\n", "HTTP/1.1 000 x\r\n\r\n",
          "HTTP/1.1 999 x\r\n\r\n", "HTTP/1.1 2000 x\r\n\r\n", "HTTP/1.1 20 x\r\n\r\n"})
        CHECK(error_of(line) == "not an HTTP response");
    CHECK(error_of(ok + "no colon\r\n\r\n") == "malformed header");
    CHECK(error_of(ok + std::string("a: \0\r\n\r\n", 8)) == "malformed header");
    CHECK(error_of(ok + "A: b\r\n").starts_with("truncated"));
    CHECK(error_of(ok + "A: " + std::string(100'000, 'x') + "\r\n\r\n")
          == "headers larger than 64 KiB");
    for (const char* more : {"", "Transfer-Encoding: chunked\r\n"})
        CHECK(error_of(ok + "Transfer-Encoding: gzip\r\n" + more + "\r\n0\r\n\r\n")
              == "unknown Transfer-Encoding");
}

TEST_SUITE("the end of a response, as it comes in") {
    TEST_CASE("a response ends at its last byte, however it is cut") {
        const std::string early = "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n";
        for (const std::string& whole :
             {ok + "Content-Length: 3\r\n\r\nabc", ok + "Content-Length: 0\n\n",
              fmt::format("{0}{0}{1}Content-Length: 3\r\n\r\nabc", early, ok),
              chunked + "3\r\nabc\r\n0\r\n\r\n",
              chunked + "A;x\r\n0123456789\r\n0\r\nT: y\r\nU: z\r\n\r\n",
              ok + "Transfer-Encoding: chunked\n\n1\na\n0\n\n",
              ok + "Content-Length: x\r\n" + chunked.substr(ok.size())
                  + "3\r\nabc\r\n0\r\n\r\n",
              std::string("HTTP/1.1 204 No Content\r\nContent-Length: 9\r\n\r\n")}) {
            CAPTURE(whole);
            common::ResponseEnd end;
            for (std::size_t size = 1; size < whole.size(); ++size) {
                CAPTURE(size);
                CHECK_FALSE(end.reached(whole.substr(0, size)));
            }
            CHECK(end.reached(whole));
            CHECK(common::ResponseEnd().reached(whole));
            CHECK(error_of(whole).empty());
        }
    }
    TEST_CASE("a response without a length has no end before the connection closes") {
        const std::string response = ok + "A: b\r\n\r\nabc";
        common::ResponseEnd end;
        for (std::size_t size = 0; size <= response.size(); ++size)
            CHECK_FALSE(end.reached(response.substr(0, size)));
    }
    TEST_CASE("a response that can only be an error ends at once") {
        for (const std::string& broken :
             {std::string("SSH-2.0"), std::string("HTTX"),
              std::string("HTTP/1.1 abc\r\n\r\n"), ok + "no colon\r\n\r\n",
              ok + "Content-Length: x\r\n\r\n", ok + "Transfer-Encoding: gzip\r\n\r\n",
              ok + "A: " + std::string(70'000, 'x'),
              ok + "A: " + std::string(70'000, 'x') + "\r\n\r\n", chunked + "x\r\n",
              chunked + "ffffffffffffffff\r\n", chunked + std::string(70'000, '1'),
              chunked + std::string(70'000, '1') + "\r\n"}) {
            CAPTURE(broken.substr(0, 60));
            CHECK(common::ResponseEnd().reached(broken));
            CHECK_FALSE(error_of(broken).empty());
            CHECK_FALSE(error_of(broken).starts_with("truncated"));
        }
    }
    TEST_CASE("a response with endless trailers is cut off after its last chunk") {
        std::string response = chunked + "3\r\nabc\r\n0\r\n";
        common::ResponseEnd end;
        while (response.size() < 60'000) {
            CHECK_FALSE(end.reached(response));
            response += "A: trailer\r\n";
        }
        response += std::string(10'000, 'x');
        CHECK(end.reached(response));
        CHECK(split_http_response(response).body == "abc");
        CHECK(error_of(response).empty());
    }
    TEST_CASE("a long head that arrives in small pieces is not read again each time") {
        // If all of it were read again each time, this would take minutes.
        std::string head = ok;
        while (head.size() < 60'000)
            head += "a:\n";
        common::ResponseEnd end;
        for (std::size_t size = 1; size < head.size(); ++size)
            CHECK_FALSE(end.reached(std::string_view(head).substr(0, size)));
        head += "\n";
        for (int i = 0; i < 100'000; ++i)
            end.reached(head);
        CHECK_FALSE(end.reached(head));
    }
}

TEST_CASE("five statuses are redirects") {
    for (const int status : {301, 302, 303, 307, 308})
        CHECK(common::is_redirect(status));
    for (const int status : {200, 300, 304, 305, 306, 309, 404})
        CHECK_FALSE(common::is_redirect(status));
}

TEST_CASE("a request asks for one page and for the connection to be closed") {
    const std::string request = common::http_get_request("h:8000", "/a?b");
    CHECK(request.starts_with("GET /a?b HTTP/1.0\r\nHost: h:8000\r\n"));
    CHECK(request.find("\r\nConnection: close\r\n") != std::string::npos);
    CHECK(request.ends_with("\r\n\r\n"));
}
