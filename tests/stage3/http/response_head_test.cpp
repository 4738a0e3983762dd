// The head of a response, line by line, without a server. Versions of libcurl differ in
// the heads that they accept, and the verdict must not depend on that.
#include "stage3_queue_crawler/http/response_head.h"
#include "tests/support/prelude.h"

using stage3::ResponseHead;

namespace {

constexpr std::size_t most = 64UL * 1024;

/// A head that has taken the lines of `text` up to the first one it refuses.
ResponseHead head_of(std::string_view text) {
    ResponseHead head(most);
    while (!text.empty()) {
        const auto end = text.find('\n') + 1;
        if (!head.take(text.substr(0, end)))
            break;
        text.remove_prefix(end);
    }
    return head;
}

/// Why a response with these header lines is refused, or an empty string.
std::string refusal_of(const std::string& headers) {
    const ResponseHead head = head_of("HTTP/1.1 200 OK\r\n" + headers + "\r\n");
    CHECK(head.complete() == head.refusal().empty());
    return head.refusal();
}

} // namespace

TEST_CASE("a response's status and headers are read") {
    const ResponseHead head =
        head_of("HTTP/1.1 200 OK\r\nX-Name: a, b\r\nx-name:c\r\nEmpty:\r\n\r\n");
    CHECK(head.complete());
    CHECK(head.refusal().empty());
    CHECK(head.status() == 200);
    CHECK(head.header("x-NAME") == "a, b");
    CHECK(head.list("X-Name") == std::vector<std::string_view>{"a", "b", "c"});
    CHECK(head.header("Empty").empty());
    CHECK(head.header("none").empty());
}

TEST_CASE("the headers of an interim response are dropped") {
    const ResponseHead head = head_of("HTTP/1.1 103 Early Hints\r\nX: 1\r\n\r\n"
                                      "HTTP/1.1 404 Not Found\r\nY: 2\r\n\r\n");
    CHECK(head.complete());
    CHECK(head.status() == 404);
    CHECK(head.header("X").empty());
    CHECK(head.header("Y") == "2");
}

TEST_CASE("well-formed status lines are accepted and others refused") {
    for (const std::string line :
         {"HTTP/1.1 200 OK\r\n", "HTTP/1.0 200\r\n", "http/1.1 999 odd\n"}) {
        CAPTURE(line);
        CHECK(head_of(line).refusal().empty());
    }
    for (const std::string line :
         {"HTTP/1.1 000 OK\r\n", "HTTP/1.1 099 OK\r\n", "HTTP/1.1 2000 OK\r\n",
          "HTTP/1.1 20\r\n", "HTTP/1.1  200 OK\r\n", "HTTP/1.1\t200 OK\r\n",
          "HTTP/1.2 200 OK\r\n", "HTTP/2 200 OK\r\n", "HTTP/3.1 200 OK\r\n",
          "ICY 200 OK\r\n", "SSH-2.0-OpenSSH\r\n", "\r\n"}) {
        CAPTURE(line);
        CHECK(head_of(line).refusal() == "not an HTTP response");
    }
}

TEST_CASE("a status line of HTTP/2 is accepted where libcurl may have made it up") {
    ResponseHead head(1000, true);
    CHECK(head.take("HTTP/2 404 \r\n"));
    CHECK(head.take("\r\n"));
    CHECK(head.complete());
    CHECK(head.status() == 404);
}

TEST_CASE("a folded line belongs to the header before it") {
    const ResponseHead head = head_of("HTTP/1.1 200 OK\r\nX: a\r\n\tY: b\r\n \r\n"
                                      "Location:\r\n /right\r\n\r\n");
    CHECK(head.complete());
    CHECK(head.header("X") == "a Y: b");
    CHECK(head.header("Y").empty());
    CHECK(head.header("Location") == "/right");
}

TEST_CASE("a folded line is refused if libcurl would read another length") {
    CHECK(refusal_of(" X: 1\r\n") == "not an HTTP response");
    CHECK(refusal_of("Content-Length: 1\r\n 2\r\n") == "invalid Content-Length");
    CHECK(refusal_of("Transfer-Encoding:\r\n chunked\r\n")
          == "unsupported Transfer-Encoding");
}

TEST_CASE("valid lengths are accepted and others refused") {
    for (const std::string value :
         {"0", "12", "12, 12", "12\r\ncontent-length: 12", "999999999999999999"}) {
        CAPTURE(value);
        CHECK(refusal_of("Content-Length: " + value + "\r\n").empty());
    }
    for (const std::string value : {"", "-1", "+1", "0x5", "4 5", "4,", "4, 5",
                                    "4\r\nContent-Length: 5", "9999999999999999999"}) {
        CAPTURE(value);
        CHECK(refusal_of("Content-Length: " + value + "\r\n")
              == "invalid Content-Length");
    }
}

TEST_CASE("known transfer encodings are accepted and others refused") {
    for (const std::string value :
         {"chunked", "Chunked", "identity", "identity, chunked", "chunked, chunked"}) {
        CAPTURE(value);
        CHECK(refusal_of("Transfer-Encoding: " + value + "\r\n").empty());
    }
    for (const std::string value : {"gzip", "gzip, chunked", "chunked, identity"}) {
        CAPTURE(value);
        CHECK(refusal_of("Transfer-Encoding: " + value + "\r\n")
              == "unsupported Transfer-Encoding");
    }
}

TEST_CASE("five content encodings are accepted and six refused") {
    const std::string five = "Content-Encoding: gzip, gzip\r\nContent-Encoding: "
                             "identity, gzip, deflate\r\n";
    CHECK(refusal_of(five).empty());
    CHECK(refusal_of(five + "Content-Encoding: gzip\r\n")
          == "too many content encodings");
}

TEST_CASE("two different Locations are refused, but the same one twice is not") {
    CHECK(refusal_of("Location: /a\r\nLocation: /a \r\nlocation:\r\n").empty());
    CHECK(refusal_of("Location: /a\r\nLocation: /b\r\n")
          == "conflicting Location headers");
    const ResponseHead head = head_of("HTTP/1.1 103 Early Hints\r\nLocation: /a\r\n\r\n"
                                      "HTTP/1.1 302 Found\r\nLocation: /b\r\n\r\n");
    CHECK(head.refusal() == "conflicting Location headers");
}

TEST_CASE("a carriage return counts only as part of a line end") {
    CHECK(refusal_of("X: a\r\r\n") == "a carriage return inside a header");
    CHECK(refusal_of("X: a\rY: b\r\n") == "a carriage return inside a header");
    CHECK(head_of("HTTP/1.1 200 O\rK\r\n").refusal()
          == "a carriage return inside a header");
    CHECK(refusal_of("X: a\n").empty());
}

TEST_CASE("the limits cover interim heads and trailers, too") {
    const std::string interim =
        "HTTP/1.1 103 Early Hints\r\nX: " + std::string(1000, 'x') + "\r\n\r\n";
    ResponseHead large(most);
    bool fine = true;
    for (std::size_t i = 0; i < 60; ++i) {
        std::string_view rest = interim;
        for (std::size_t end = 0; fine && !rest.empty(); rest.remove_prefix(end))
            fine = large.take(rest.substr(0, end = rest.find('\n') + 1));
    }
    CHECK(fine);
    for (int i = 0; i < 10 && fine; ++i)
        fine = large.take("HTTP/1.1 103 " + std::string(1000, 'x') + "\r\n")
               && large.take("\r\n");
    CHECK(large.refusal() == "headers larger than 64 KiB");

    ResponseHead many = head_of("HTTP/1.1 200 OK\r\n\r\n");
    int trailers = 0;
    while (many.take("a:\r\n"))
        ++trailers;
    CHECK(trailers == 4498);
    CHECK(many.refusal() == "more than 4500 header lines");
}

TEST_CASE("Retry-After gives the time to wait") {
    const auto now = std::chrono::sys_days(std::chrono::year(2026) / 11 / 24);
    const auto wait = [&](const std::string& value) {
        return head_of("HTTP/1.1 503 Busy\r\nRetry-After: " + value + "\r\n\r\n")
            .retry_after(now);
    };
    CHECK(wait("0") == 0s);
    CHECK(wait("7") == 7s);
    CHECK(wait("86400") == 86400s); // libcurl 8.14 says six hours
    CHECK(wait("Tue, 24 Nov 2026 00:01:30 GMT") == 90s);
    CHECK(wait("Thu, 01 Jan 1970 00:00:00 GMT") == 0s);
    for (const std::string value : {"", "-5", "soon", "7 s", "99999999999999999999"}) {
        CAPTURE(value);
        CHECK(wait(value) == 0s);
    }
}

TEST_CASE("libcurl's refusals are reported in our words") {
    CHECK(stage3::refusal_for("Invalid Content-Length: value")
          == "invalid Content-Length");
    CHECK(stage3::refusal_for("Unsolicited Transfer-Encoding (gzip) found")
          == "unsupported Transfer-Encoding");
    CHECK(stage3::refusal_for("Header without colon") == "not an HTTP response");
}
