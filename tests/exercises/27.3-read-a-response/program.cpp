// Six responses, each up to the point where the server closed the connection.
#include "common/web/http_response.h"
#include "questions.h"

#include <string>

namespace {

const std::string plain = "HTTP/1.0 200 OK\r\n"
                          "Content-Type: text/html\r\n"
                          "\r\n"
                          "hello";

const std::string empty_line = "HTTP/1.0 200 OK\r\n"
                               "\r\n"
                               "a\r\n"
                               "\r\n"
                               "b";

const std::string not_found = "HTTP/1.0 404 Not Found\r\n"
                              "Content-Length: 4\r\n"
                              "\r\n"
                              "gone";

const std::string shorter = "HTTP/1.0 200 OK\r\n"
                            "Content-Length: 3\r\n"
                            "\r\n"
                            "hello";

const std::string longer = "HTTP/1.0 200 OK\r\n"
                           "Content-Length: 10\r\n"
                           "\r\n"
                           "hello";

const std::string nothing;

int bytes(const std::string& response) {
    return static_cast<int>(common::split_http_response(response).body.size());
}

int error(const std::string& response) {
    return common::split_http_response(response).error.empty() ? 0 : 1;
}

} // namespace

Answers run_program() {
    Answers found;
    found.plain_bytes = bytes(plain);
    found.empty_line_bytes = bytes(empty_line);
    found.not_found_error = error(not_found);
    found.not_found_status = common::split_http_response(not_found).status;
    found.shorter_bytes = bytes(shorter);
    found.shorter_error = error(shorter);
    found.longer_error = error(longer);
    found.nothing_error = error(nothing);
    return found;
}
