// A folder's server as its clients meet it.
#include "stage3_queue_crawler/http/folder_server.h"
#include "stage3_queue_crawler/http/session.h"
#include "stage3_queue_crawler/runtime/net/stream.h"
#include "stage3_queue_crawler/runtime/task/run.h"
#include "stage3_queue_crawler/runtime/task/task_group.h"
#include "tests/stage3/program/folder.h"
#include "tests/support/prelude.h"
#include "tests/support/url.h"

#include <functional>
#include <system_error>
#include <utility>
#include <vector>

using namespace stage3;
using tests::Folder;

// The tests outlive the coroutines, and a coroutine owns what it takes by value.
// NOLINTBEGIN(performance-unnecessary-value-param)

namespace {

using Client = std::function<Coroutine<>(FolderServer&, Stream&)>;

/// Calls `client` with a connection.
Coroutine<> meet(TaskGroup& group, FolderServer& server, Client client) {
    group.start(server.serve());
    const auto address = common::resolve("127.0.0.1", server.url().port()).front();
    common::Socket socket = co_await connect(address);
    Stream stream(running_loop(), std::move(socket));
    Coroutine<> meeting = client(server, stream);
    co_await std::move(meeting);
    group.cancel();
}

void with_server(const std::string& folder, Client client) {
    stage3::run([](std::string of, Client with) -> Coroutine<> {
        FolderServer server(of);
        TaskGroup group;
        Coroutine<> meeting = meet(group, server, std::move(with));
        co_await group.run(std::move(meeting));
    }(folder, std::move(client)));
}

std::string get(const FolderServer& server, const std::string& target,
                const std::string& headers = "", const std::string& method = "GET") {
    return fmt::format("{} {} HTTP/1.1\r\nHost: {}\r\n{}\r\n", method, target,
                       server.url().authority(), headers);
}

/// The head of the answer, and as much of the body as its length says.
Coroutine<std::string> ask(Stream& stream, std::string request, bool has_body = true) {
    stream.write(request);
    std::string answer = co_await stream.read_until("\r\n\r\n");
    const std::string name = "Content-Length: ";
    const auto at = answer.find(name);
    if (at != std::string::npos && has_body)
        answer +=
            co_await stream.read_exactly(std::stoul(answer.substr(at + name.size())));
    co_return answer;
}

/// With this status, and then the connection is closed.
Coroutine<> is_refused(std::string request, std::string status, FolderServer& /*server*/,
                       Stream& stream) {
    stream.write(request);
    const std::string answer = co_await stream.read_until("\r\n\r\n");
    CHECK_MESSAGE(answer.starts_with("HTTP/1.1 " + status), request);
    const std::string rest = co_await stream.read_some(10);
    CHECK(rest.empty());
}

} // namespace

TEST_CASE_FIXTURE(Folder, "a connection serves one file after the other") {
    Folder::write("index.html", "<p>one");
    Folder::write("docs/index.html", "");
    Folder::write("404.html", "lost");
    with_server(".", [](FolderServer& server, Stream& stream) -> Coroutine<> {
        const std::string first = co_await ask(stream, get(server, "/"));
        CHECK(first.starts_with("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n"
                                "Content-Type: text/html\r\nETag: \""));
        CHECK(first.ends_with("\r\n\r\n<p>one"));
        const std::string head =
            co_await ask(stream, get(server, "/", "", "HEAD"), false);
        CHECK(head == first.substr(0, first.size() - 6));
        const std::string moved = co_await ask(stream, get(server, "/docs?a/b"));
        CHECK(moved
              == "HTTP/1.1 301 Moved Permanently\r\nContent-Length: 0\r\n"
                 "Location: /docs/?a/b\r\n\r\n");
        const std::string slashes = co_await ask(stream, get(server, "//docs"));
        CHECK(slashes.find("\r\nLocation: /docs/\r\n") != std::string::npos);
        const std::string lost = co_await ask(stream, get(server, "/x"));
        CHECK(lost
              == "HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n"
                 "Content-Type: text/html\r\n\r\nlost");
        const std::string no_body = co_await ask(stream, get(server, "/docs/"));
        CHECK(no_body.starts_with("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n"));
    });
}

TEST_CASE_FIXTURE(Folder, "what hasn't changed is said to be so") {
    Folder::write("a.html", "text");
    with_server(".", [](FolderServer& server, Stream& stream) -> Coroutine<> {
        const std::string first = co_await ask(stream, get(server, "/a"));
        const auto at = first.find("ETag: ") + 6;
        const std::string etag = first.substr(at, first.find('\r', at) - at);
        const std::string same = co_await ask(
            stream, get(server, "/a", "If-None-Match: " + etag + "\r\n"), false);
        CHECK(same == "HTTP/1.1 304 Not Modified\r\nETag: " + etag + "\r\n\r\n");
        Folder::write("a.html", "other text");
        const std::string changed =
            co_await ask(stream, get(server, "/a", "If-None-Match: " + etag + "\r\n"));
        CHECK(changed.ends_with("other text"));
    });
}

TEST_CASE_FIXTURE(Folder,
                  "a file that is larger than what fits into the socket arrives") {
    const std::string text(std::size_t{8} * 1024 * 1024 + 1, 'x');
    Folder::write("large.bin", text);
    with_server(".", [](FolderServer& server, Stream& stream) -> Coroutine<> {
        const std::string answer = co_await ask(stream, get(server, "/large.bin"));
        CHECK(answer.size() > std::size_t{8} * 1024 * 1024);
        CHECK(answer.ends_with("xx"));
    });
}

TEST_CASE_FIXTURE(Folder, "what a site's own name doesn't ask for isn't answered") {
    Folder::write("index.html", "secret");
    const std::vector<std::pair<std::string, std::string>> wrong{
        {"GET / HTTP/1.1\r\nHost: rebound.example:80\r\n\r\n", "421"},
        {"GET / HTTP/1.1\r\n\r\n", "421"},
        {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc", "400"},
        {"GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n", "400"},
        {"GET\r\n\r\n", "400"},
        {"\r\n\r\n", "400"},
        {"GET  HTTP/1.1\r\n\r\n", "400"}};
    for (const auto& [request, status] : wrong)
        with_server(".", std::bind_front(is_refused, request, status));
}

TEST_CASE_FIXTURE(Folder, "a refusal says why, in one line") {
    Folder::write("index.html", "");
    std::filesystem::create_symlink("/etc/passwd", "out.html");
    with_server(".", [](FolderServer& server, Stream& stream) -> Coroutine<> {
        const std::string refused = co_await ask(stream, get(server, "/out.html"));
        CHECK(refused
              == "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nRefused-Because: "
                 "a symbolic link leads out of the folder\r\n\r\n");
    });
}

TEST_CASE_FIXTURE(Folder, "clients that send too much, or leave, disturb no other") {
    Folder::write("index.html", "fine");
    with_server(".", [](FolderServer& server, Stream& stream) -> Coroutine<> {
        const auto address = common::resolve("127.0.0.1", server.url().port()).front();
        {
            common::Socket socket = co_await connect(address);
            Stream other(running_loop(), std::move(socket));
            other.write("GET /" + std::string(std::size_t{128} * 1024, 'x'));
            other.write(" HTTP/1.1\r\n\r\n");
            try {
                const std::string rest = co_await other.read_some(10);
                CHECK(rest.empty());
            } catch (const std::system_error& error) {
                CHECK(error.code() == std::errc::connection_reset);
            }
        }
        {
            common::Socket socket = co_await connect(address);
            Stream other(running_loop(), std::move(socket));
            other.write("GET / HTT");
            co_await other.flush();
        }
        const std::string answer = co_await ask(stream, get(server, "/"));
        CHECK(answer.ends_with("fine"));
    });
}

// NOLINTEND(performance-unnecessary-value-param)
