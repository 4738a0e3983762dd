#include "common/web/http_response.h"
#include "tests/support/prelude.h"

using namespace common;

namespace {

std::string error_of(const std::string& bytes) {
    return split_http_response(bytes).error;
}

const std::string chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

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
    CHECK(split_http_response("HTTP/1.1 200\n\nx").body == "x");
    CHECK(split_http_response("HTTP/1.1  200 OK\r\nA: b\r\n  c\r\n\r\n").header("A")
          == "b c");
    CHECK(split_http_response("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
                              "HTTP/1.1 200 OK\r\nA: b\r\n\r\nbody")
              .body
          == "body");
    CHECK(split_http_response("HTTP/1.1 204 No Content\r\n\r\nsurprise").body.empty());
}

TEST_CASE("a body is as long as Content-Length says") {
    CHECK(split_http_response("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcdef").body
          == "abc");
    const auto cut =
        split_http_response("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc");
    CHECK(cut.error == "truncated: 3 of 9 bytes came");
    CHECK(cut.status == 200);
}

TEST_CASE("nonsense in Content-Length is an error") {
    for (const char* value : {"-1", "", "x", "3x", "99999999999999999999999", "+3"}) {
        CAPTURE(value);
        CHECK(error_of(std::string("HTTP/1.1 200 OK\r\nContent-Length: ") + value
                       + "\r\n\r\nabc")
              == "malformed Content-Length");
    }
    CHECK(
        error_of("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd")
        == "malformed Content-Length");
    CHECK(error_of("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc")
              .empty());
}

TEST_CASE("the chunks of a body are joined") {
    const std::string head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n";
    CHECK(split_http_response(head + "3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\n\r\n").body
          == "abc0123456789");
    CHECK(split_http_response(head + "1\r\na\r\n0\r\nTrailer: x\r\n\r\n").error.empty());
    CHECK(error_of(head + "3\r\nab").starts_with("truncated"));
    CHECK(error_of(head + "3\r\nabc\r\n").starts_with("truncated"));
    CHECK(error_of(head + "0fffffffffffffff\r\nabc").starts_with("truncated"));
    CHECK(error_of(head + "ffffffffffffffff\r\nabc") == "malformed chunk");
    CHECK(error_of(head + "3" + std::string(70'000, ' ')) == "malformed chunk");
    CHECK(error_of(head + "g\r\nabc\r\n") == "malformed chunk");
    CHECK(error_of(head + "-1\r\nabc\r\n") == "malformed chunk");
    CHECK(error_of(head + "111111111111111111111\r\nabc\r\n") == "malformed chunk");
    CHECK(error_of(head + "2\r\nabc\r\n0\r\n\r\n") == "malformed chunk");
}

TEST_CASE("chunks override a Content-Length that disagrees") {
    CHECK(split_http_response("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n"
                              "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n")
              .body
          == "abc");
}

TEST_CASE("a malformed response is an error that says what is wrong") {
    CHECK(error_of("") == "empty response");
    CHECK(error_of("SSH-2.0-OpenSSH\r\n") == "not an HTTP response");
    CHECK(error_of("HTTP/1.1 abc\r\n\r\n") == "not an HTTP response");
    CHECK(error_of("HTTP/1.1 000 x\r\n\r\n") == "not an HTTP response");
    CHECK(error_of("HTTP/1.1 999 x\r\n\r\n") == "not an HTTP response");
    CHECK(error_of("HTTP/1.1 2000 x\r\n\r\n") == "not an HTTP response");
    CHECK(error_of("HTTP/1.1 20 x\r\n\r\n") == "not an HTTP response");
    CHECK(error_of("HTTP/1.1 200 OK\r\nno colon\r\n\r\n") == "malformed header");
    CHECK(error_of(std::string("HTTP/1.1 200 OK\r\na: \0\r\n\r\n", 25))
          == "malformed header");
    CHECK(error_of("HTTP/1.1 200 OK\r\nA: b\r\n").starts_with("truncated"));
    CHECK(error_of("HTTP/1.1 200 OK\r\nA: " + std::string(100'000, 'x') + "\r\n\r\n")
          == "headers larger than 64 KiB");
    CHECK(error_of("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nx")
          == "unknown Transfer-Encoding");
    CHECK(error_of("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n"
                   "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
          == "unknown Transfer-Encoding");
}

TEST_CASE("a repeated Content-Length and the identity coding are accepted") {
    CHECK(error_of("HTTP/1.1 200 OK\r\nContent-Length: 3, 3\r\n\r\nabc").empty());
    CHECK(error_of("HTTP/1.1 200 OK\r\nContent-Length: 3,4\r\n\r\nabcd")
          == "malformed Content-Length");
    CHECK(split_http_response("HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n\r\nx")
              .body
          == "x");
}

TEST_SUITE("the end of a response, as it comes in") {
    TEST_CASE("a response ends at its last byte, however it is cut") {
        const std::string head = "HTTP/1.1 200 OK\r\n";
        const std::string early = "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n";
        for (const std::string& whole :
             {head + "Content-Length: 3\r\n\r\nabc", head + "Content-Length: 0\n\n",
              fmt::format("{0}{0}{1}Content-Length: 3\r\n\r\nabc", early, head),
              head + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
              head
                  + "Transfer-Encoding: chunked\r\n\r\nA;x\r\n0123456789\r\n0\r\nT: "
                    "y\r\nU: z\r\n\r\n",
              head + "Transfer-Encoding: chunked\n\n1\na\n0\n\n",
              head
                  + "Content-Length: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                    "3\r\nabc\r\n0\r\n\r\n",
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
        const std::string response = "HTTP/1.1 200 OK\r\nA: b\r\n\r\nabc";
        common::ResponseEnd end;
        for (std::size_t size = 0; size <= response.size(); ++size)
            CHECK_FALSE(end.reached(response.substr(0, size)));
    }
    TEST_CASE("a response that can only be an error ends at once") {
        for (const std::string& broken :
             {std::string("SSH-2.0"), std::string("HTTX"),
              std::string("HTTP/1.1 abc\r\n\r\n"),
              std::string("HTTP/1.1 200 OK\r\nno colon\r\n\r\n"),
              std::string("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n"),
              std::string("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n"),
              "HTTP/1.1 200 OK\r\nA: " + std::string(70'000, 'x'),
              "HTTP/1.1 200 OK\r\nA: " + std::string(70'000, 'x') + "\r\n\r\n",
              chunked + "x\r\n", chunked + "ffffffffffffffff\r\n",
              chunked + std::string(70'000, '1'),
              chunked + std::string(70'000, '1') + "\r\n"}) {
            CAPTURE(broken.substr(0, 60));
            CHECK(common::ResponseEnd().reached(broken));
            CHECK_FALSE(error_of(broken).empty());
            CHECK_FALSE(error_of(broken).starts_with("truncated"));
        }
    }
    TEST_CASE("a response with endless trailers is cut off after its last chunk") {
        const std::string chunks = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                                   "3\r\nabc\r\n0\r\n";
        std::string response = chunks;
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
        std::string head = "HTTP/1.1 200 OK\r\n";
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

TEST_CASE("the length of a response is known once its headers are complete") {
    const std::string head = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n";
    for (std::size_t size = 0; size < head.size(); ++size)
        CHECK_FALSE(http_response_length(head.substr(0, size)));
    CHECK(http_response_length(head) == head.size() + 3);
    CHECK(http_response_length(head + "abcdef") == head.size() + 3);
    CHECK_FALSE(http_response_length("HTTP/1.1 200 OK\r\n\r\nabc"));
    CHECK_FALSE(http_response_length("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n"
                                     "Transfer-Encoding: chunked\r\n\r\n"));
    CHECK_FALSE(http_response_length("HTTP/1.1 103 Early\r\nContent-Length: 3\r\n\r\n"));
    CHECK_FALSE(http_response_length("HTTP/1.1 200 OK\r\n"
                                     "Content-Length: 18446744073709551615\r\n\r\n"));
    CHECK_FALSE(http_response_length("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n"
                                     "Transfer-Encoding:\r\n\r\n"));
    const std::string no_content = "HTTP/1.1 204 No Content\r\n\r\n";
    CHECK(http_response_length(no_content) == no_content.size());
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
