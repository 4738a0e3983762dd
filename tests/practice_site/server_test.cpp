#include "common/system/descriptors.h"
#include "common/system/selector.h"
#include "tests/practice_site/background_server.h"
#include "tests/practice_site/client.h"
#include "tests/practice_site/server.h"
#include "tests/support/prelude.h"
#include "tests/support/waits.h"

#include <future>
#include <thread>

using namespace practice_site;

namespace {

using Clock = std::chrono::steady_clock;

/// Answers a request with its target: "/" with "/".
Answer echo(const Request& request) {
    return {200, "text/plain", std::string(request.target), {}};
}

/// All that a server sends in return, until it closes the connection.
std::string answer_to(std::string_view bytes, const BackgroundServer& server) {
    Client client(server.origin());
    client.send(bytes);
    return client.receive_all();
}

/// Checks again and again for up to ten seconds until the condition holds.
template <typename Condition>
bool comes_true(Condition condition) {
    const auto end = Clock::now() + 10s;
    while (Clock::now() < end) {
        if (condition())
            return true;
        std::this_thread::sleep_for(1ms);
    }
    return false;
}

bool is_idle(const BackgroundServer& server) {
    return comes_true([&] {
        return server.statistics().connections == 0 && server.statistics().requests == 0;
    });
}

} // namespace

TEST_CASE("server: a connection is kept until the client asks to close it") {
    tests::may_wait(1s, "the client doesn't close, and the server waits 1 s for it");
    const BackgroundServer server(echo);
    Client client(server.origin());
    for (int i = 0; i < 3; ++i) {
        client.send(get(fmt::format("/{}", i)));
        const auto response = client.receive();
        CHECK(response.error == "");
        CHECK(response.status == 200);
        CHECK(response.body == fmt::format("/{}", i));
        CHECK(response.header("Connection") == "keep-alive");
        CHECK(response.header("Content-Type") == "text/plain");
    }
    CHECK(server.statistics().most_connections == 1);
    client.send(get("/last", "connection: foo , CLOSE\r\n"));
    CHECK(client.receive().header("Connection") == "close");
    CHECK(client.receive_all() == "");
    CHECK(is_idle(server));
    CHECK(server.statistics().requests_served == 4);
}

TEST_CASE("server: an HTTP/1.0 connection is closed unless asked to be kept") {
    const BackgroundServer server(echo);
    CHECK(answer_to("GET /a HTTP/1.0\r\n\r\n", server)
              .ends_with("Connection: close\r\n\r\n/a"));
    const std::string kept =
        answer_to("GET /b HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n"
                  "GET /c HTTP/1.0\r\nConnection: keep-alive, close\r\n\r\n",
                  server);
    CHECK(kept.find("Connection: keep-alive\r\n\r\n/b") != std::string::npos);
    CHECK(kept.ends_with("Connection: close\r\n\r\n/c"));
}

TEST_CASE("server: HEAD is GET without the body") {
    const BackgroundServer server(echo);
    Client client(server.origin());
    client.send(get("/some/where"));
    client.send("HEAD /some/where HTTP/1.1\r\nHost: test\r\n\r\n");
    client.send(get("/after", "Connection: close\r\n"));
    const std::string headers = client.receive_headers();
    CHECK(headers.find("Content-Length: 11\r\n") != std::string::npos);
    const std::string rest = client.receive_all();
    CHECK(rest.starts_with("/some/where" + headers + "HTTP/1.1 200 OK\r\n"));
    CHECK(rest.ends_with("\r\n\r\n/after"));
}

TEST_CASE("server: a malformed request gets 400 and its connection is closed") {
    const BackgroundServer server(echo);
    const auto refuses = [&server](const std::string& request) {
        CAPTURE(request);
        const std::string answer = answer_to(request + get("/not-served"), server);
        CHECK(answer.starts_with("HTTP/1.1 400 Bad Request\r\n"));
        CHECK(answer.find("Connection: close\r\n") != std::string::npos);
        CHECK(answer.find("/not-served") == std::string::npos);
    };
    for (const std::string_view line : {"\x16\x03\x01 hello, TLS",
                                        "GET",
                                        "GET /",
                                        "/ GET HTTP/1.1",
                                        "GET  / HTTP/1.1",
                                        "GET /  HTTP/1.1",
                                        "GET /a b HTTP/1.1",
                                        "GET a HTTP/1.1",
                                        "GET / HTTP/1.1 ",
                                        "GET / HTTP/2.0",
                                        "GET / HTTP/1.",
                                        "GET / http/1.1",
                                        "GET /\x01 HTTP/1.1",
                                        "GET /\xc3\xa9 HTTP/1.1",
                                        "G@T / HTTP/1.1",
                                        "GET * HTTP/1.1",
                                        "GET /a#b HTTP/1.1",
                                        "GET http:///a HTTP/1.1",
                                        "GET https://test/ HTTP/1.1",
                                        "\nGET / HTTP/1.1",
                                        "\rGET / HTTP/1.1"})
        refuses(fmt::format("{}\r\nHost: test\r\n\r\n", line));
    for (const std::string_view headers :
         {"", "Host: a\r\nHost: b\r\n", "Host: a\r\nno colon\r\n",
          "Host: a\r\nName : value\r\n", "Host: a\r\n: value\r\n",
          "Host: a\r\n folded\r\n", "Host: a\r\nB: c\nD: e\r\n", "Host: a b\r\n",
          "Host: a/b\r\n", "Host: a\r\nContent-Length: five\r\n",
          "Host: a\r\nContent-Length: -1\r\n", "Host: a\r\nContent-Length:\r\n",
          // A proxy in front of us might see another header, or a request, in these.
          "Host: a\r\nX:\nContent-Length: 5\r\n", "Host: a\r\nX:\rY: z\r\n",
          "Host:\n a\r\n", "Host: a\r\r\n", "Host: a\r\nContent-Length: 0\n\r\n",
          "Host: a\r\nX:\n\nGET /admin HTTP/1.1\r\n"})
        refuses(fmt::format("GET / HTTP/1.1\r\n{}\r\n", headers));
    refuses(fmt::format("GET / HTTP/1.1\r\nHost: a{}\r\n\r\n", '\0'));
    CHECK(is_idle(server));
}

TEST_CASE("server: unusual but valid requests are answered") {
    const BackgroundServer server(echo);
    for (const auto& [request, target] : std::vector<std::pair<std::string, std::string>>{
             {"\r\n\r\nGET /a HTTP/1.1\r\nhOsT:x\r\n\r\n", "/a"},
             {"GET http://test/a?b HTTP/1.1\r\nHost: test\r\n\r\n", "/a?b"},
             {"GET http://test HTTP/1.1\r\nHost: test\r\n\r\n", "/"},
             {"GET http://test?b=/c HTTP/1.1\r\nHost: test\r\n\r\n", "/?b=/c"},
             {"GET HTTP://test/a HTTP/1.1\r\nHost: test\r\n\r\n", "/a"},
             {"GET /~%20!$&'()*+,;=:@|\"<> HTTP/1.1\r\nHost:\r\n\r\n",
              "/~%20!$&'()*+,;=:@|\"<>"},
             {"GET /a HTTP/1.9\r\nHost: test\r\nEmpty:\r\nX: \xff\t\r\n\r\n", "/a"},
             {"GET /a HTTP/1.1\r\nHost: test\r\nContent-Length: 0\r\n\r\n", "/a"}}) {
        CAPTURE(request);
        Client client(server.origin());
        client.send(request);
        const auto response = client.receive();
        CHECK(response.status == 200);
        CHECK(response.body == target);
        CHECK(response.header("Connection") == "keep-alive");
    }
}

TEST_CASE("server: a TLS client gets 400 at once") {
    const BackgroundServer server(echo, {.patience = 60s});
    const auto start = Clock::now();
    // As curl sends it: a record of a hello of 508 bytes. Then it waits, as it also does
    // after its first bytes if those arrive alone, or after a request.
    for (const std::string& hello :
         {std::string("\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03", 11)
              + std::string(506, 'x'),
          std::string("\x16"), std::string("\x80"), get("/a") + "\x16\x03\x01"}) {
        const std::string answer = answer_to(hello, server);
        CHECK(answer.find("HTTP/1.1 400 Bad Request\r\n") != std::string::npos);
        CHECK(answer.find("Connection: close\r\n") != std::string::npos);
    }
    CHECK(Clock::now() - start < 30s);
}

TEST_CASE("server: methods other than GET and HEAD are not allowed") {
    const BackgroundServer server(echo);
    Client client(server.origin());
    client.send("DELETE / HTTP/1.1\r\nHost: test\r\n\r\n"
                "OPTIONS * HTTP/1.1\r\nHost: test\r\n\r\n");
    for (int i = 0; i < 2; ++i) {
        const auto response = client.receive();
        CHECK(response.status == 405);
        CHECK(response.header("Allow") == "GET, HEAD");
        CHECK(response.header("Connection") == "keep-alive");
    }
    // The body is not interpreted, and the answer still arrives even though the client
    // goes on sending long after it.
    for (const std::string_view kind :
         {"Content-Length: 1000000\r\n", "Transfer-Encoding: chunked\r\n"}) {
        Client sender(server.origin());
        sender.send(fmt::format("POST / HTTP/1.1\r\nHost: test\r\n{}\r\n", kind));
        sender.send(std::string(1'000'000, 'x'));
        const auto response = sender.receive();
        CHECK(response.status == 405);
        CHECK(response.header("Connection") == "close");
        CHECK(sender.receive_all() == "");
    }
    CHECK(answer_to(get("/", "Content-Length: 5\r\n") + "12345" + get("/not-served"),
                    server)
              .ends_with("Connection: close\r\n\r\n/"));
}

TEST_CASE("server: headers over 64 KiB get 431") {
    const BackgroundServer server(echo);
    const auto with_headers = [](std::size_t size) {
        const std::string shell = get("/a", "X: \r\n");
        return get("/a", "X: " + std::string(size - shell.size() + 4, 'x') + "\r\n");
    };
    Client fits(server.origin());
    fits.send(with_headers(max_request_bytes));
    CHECK(fits.receive().status == 200);
    CHECK(answer_to(with_headers(max_request_bytes + 1), server)
              .starts_with("HTTP/1.1 431 "));
}

TEST_CASE("server: pipelined requests are answered in order, and not all taken in") {
    tests::may_wait(250ms, "they show that there is no room to send");
    const std::string long_target = "/" + std::string(5000, 'x');
    for (const auto latency : {0ms, 2ms}) {
        const BackgroundServer server(echo, {.latency = latency});
        Client client(server.origin());
        for (int i = 0; i < 50; ++i) // 250 kB
            client.send(get(fmt::format("{}{}", long_target, i)));
        for (int i = 0; i < 50; ++i)
            CHECK(client.receive().body == fmt::format("{}{}", long_target, i));
        CHECK(comes_true([&] { return server.statistics().requests_served == 50; }));
        CHECK(server.statistics().most_requests == 1);
    }
    // Of endless requests it takes only a few. The rest stays in the kernel's buffers,
    // and when those are full, the client can send no more.
    const BackgroundServer server(echo, {.latency = 1h});
    Client client(server.origin());
    constexpr std::size_t more_than_buffers = 64'000'000;
    std::size_t sent = 0;
    while (sent < more_than_buffers && client.has_room())
        sent += client.send_some(get(long_target));
    CHECK(sent < more_than_buffers);
}

TEST_CASE("server: a request that arrives byte by byte is answered") {
    const BackgroundServer server(echo);
    Client client(server.origin());
    for (const char c : get("/slow") + get("/slow", "Connection: close\r\n"))
        client.send({&c, 1});
    CHECK(client.receive().body == "/slow");
    CHECK(client.receive_all().ends_with("/slow"));
}

TEST_CASE("server: a slow reader of a large body delays no other client") {
    std::string large(std::size_t{16} * 1024 * 1024,
                      '\0'); // more than the kernel takes
    for (std::size_t i = 0; i < large.size(); ++i)
        large[i] = static_cast<char>('a' + i / 1000 % 26);
    const BackgroundServer server(
        [&](const Request& request) {
            return request.target == "/large" ? Answer{.body = large} : echo(request);
        },
        {});
    Client slow(server.origin());
    slow.send(get("/large"));
    CHECK(comes_true([&] { return server.statistics().requests == 1; }));
    std::this_thread::sleep_for(50ms);
    slow.send(get("/after")); // stays unread while the answer is on its way
    for (int i = 0; i < 10; ++i) {
        Client quick(server.origin());
        quick.send(get("/quick"));
        CHECK(quick.receive().body == "/quick");
    }
    // All but the slow one are done; the server counts it as done only when its
    // client has everything.
    CHECK(comes_true([&] { return server.statistics().requests == 1; }));
    // The loop does not turn while there is no room to send.
    const auto turns = server.statistics().turns;
    std::this_thread::sleep_for(50ms);
    CHECK(server.statistics().turns <= turns + 25);

    std::string received = slow.receive_headers();
    received.clear();
    while (received.size() < large.size()) {
        const std::string some = slow.receive_some(
            std::min<std::size_t>(100'000, large.size() - received.size()));
        REQUIRE(!some.empty());
        received += some;
    }
    CHECK((received == large)); // in brackets: not to be printed
    CHECK(slow.receive().body == "/after");
}

TEST_CASE("server: clients that keep it waiting are disconnected and others are not") {
    tests::may_wait(
        22s,
        "the server waits 2 s for a client, and two clients send every 20 ms until then");
    const BackgroundServer server(echo, {.patience = 2s});
    const auto start = Clock::now();
    const Client silent(server.origin());
    Client slow(server.origin());
    Client empty(server.origin());
    Client kept(server.origin());
    kept.send(get("/kept"));
    CHECK(kept.receive().body == "/kept"); // and then says nothing more
    // Neither an occasional byte nor an empty line is a request.
    const auto keep_sending = [](Client& client, std::string_view bytes) {
        try {
            for (int i = 0; i < 500; ++i) {
                client.send(bytes);
                std::this_thread::sleep_for(20ms);
            }
        } catch (const std::system_error& error) { // it was disconnected
            CHECK(error.code() != std::error_code());
        }
    };
    auto sender = std::async(std::launch::async, [&] { keep_sending(slow, "x"); });
    auto another =
        std::async(std::launch::async, [&] { keep_sending(empty, "\r\n\r\n"); });
    Client busy(server.origin());
    bool served = true;
    while (served && server.statistics().connections > 1 && Clock::now() - start < 9s) {
        busy.send(get("/busy"));
        served = busy.receive().body == "/busy";
        std::this_thread::sleep_for(10ms);
    }
    const auto waited = Clock::now() - start;
    CHECK(served);
    CHECK(waited >= 2s);
    CHECK(waited < 8s);
    busy.send(get("/still"));
    CHECK(busy.receive().body == "/still");
    sender.get();
    another.get();
}

TEST_CASE("server: a client that reads nothing is disconnected and a slow one is not") {
    tests::may_wait(8s, "one client is slower than the server's patience of 3 s, another "
                        "stays silent for as long");
    // Far more than the system buffers: what that holds is read after the server is done.
    const std::string large(std::size_t{64} * 1024 * 1024, 'x');
    const BackgroundServer server(
        [&](const Request& request) {
            return request.target == "/large" ? Answer{.body = large} : echo(request);
        },
        {.patience = 3s});
    Client stubborn(server.origin());
    stubborn.send(get("/large"));
    Client slow(server.origin());
    slow.send(get("/large"));
    CHECK(comes_true([&] { return server.statistics().requests == 2; }));
    const auto start = Clock::now();
    slow.receive_headers();
    for (std::size_t received = 0; received < large.size();) {
        const std::size_t enough =
            std::min<std::size_t>(received + 1'000'000, large.size());
        while (received < enough) {
            const std::string some = slow.receive_some(enough - received);
            REQUIRE(!some.empty());
            received += some.size();
        }
        std::this_thread::sleep_for(60ms);
    }
    CHECK(Clock::now() - start > 3s); // as a whole, it took longer than its patience
    slow.send(get("/after"));
    CHECK(slow.receive().body == "/after");
    CHECK(comes_true([&] {
        return server.statistics().connections <= 1 && server.statistics().requests == 0;
    }));
}

TEST_CASE("server: its own latency does not count as a client's delay") {
    tests::may_wait(
        700ms,
        "its latency must be longer than its patience, which the client must not exceed");
    const BackgroundServer server(echo, {.latency = 700ms, .patience = 500ms});
    Client client(server.origin());
    client.send(get("/a"));
    CHECK(client.receive().body == "/a");
}

TEST_CASE("server: a request that is cut off gets 400") {
    const BackgroundServer server(echo);
    for (const std::string_view part :
         {"G", "GET / HTTP/1.0", "GET / HTTP/1.0\r\n", "GET / HTTP/1.0\n\n",
          "GET / HTTP/1.1\r\nHost: test\r\nX: y"}) {
        CAPTURE(part);
        Client client(server.origin());
        client.send(part);
        client.finish_sending();
        CHECK(client.receive_all().starts_with("HTTP/1.1 400 Bad Request\r\n"));
    }
    Client content(server.origin()); // with what it got
    content.send(get("/") + "\r\n");
    content.finish_sending();
    CHECK(content.receive().body == "/");
    CHECK(content.receive_all() == "");
}

TEST_CASE("server: errors are delayed like all answers") {
    const BackgroundServer server(echo, {.latency = 100ms});
    const auto start = Clock::now();
    Client client(server.origin());
    client.send("nonsense\r\n\r\n");
    CHECK(client.receive().status == 400);
    CHECK(Clock::now() - start >= 100ms);
}

TEST_CASE("server: thousands of clients wait for their answers at the same time") {
    tests::may_wait(
        5min, "with each selector, answers take 1 s, most of them at the same time");
    // Both ends are in this process, so each costs two descriptors.
    const std::size_t limit = common::allow_descriptors();
    for (const std::string_view selector : common::selector_names()) {
        CAPTURE(selector);
        const std::size_t most = selector == "select" ? 400 : 2000;
        const std::size_t number = std::min(most, (limit - 100) / 2);
        BackgroundServer server(echo, {.latency = 1s, .selector = std::string(selector)});
        std::vector<std::unique_ptr<Client>> clients;
        for (std::size_t i = 0; i < number; ++i) {
            clients.push_back(std::make_unique<Client>(server.origin()));
            clients.back()->send(get("/"));
        }
        for (const auto& client : clients)
            REQUIRE(client->receive().status == 200);
        CHECK(comes_true([&] { return server.statistics().requests == 0; }));
        const auto statistics = server.statistics();
        CHECK(statistics.connections == number);
        CHECK(statistics.most_connections == number);
        CHECK(statistics.requests_served == number);
        CHECK(statistics.most_requests > 20);
        // A few for each to accept, to read, to answer; none in between.
        CHECK(statistics.turns <= 10 * number + 10);
        server.reset_statistics(); // what is open stays counted
        CHECK(server.statistics().most_connections == number);
        CHECK(server.statistics().most_requests == 0);
        CHECK(server.statistics().requests_served == 0);
        CHECK(server.statistics().turns < 10);
        clients.clear();
        CHECK(is_idle(server));
        server.reset_statistics();
        CHECK(server.statistics().most_connections == 0);
    }
}

TEST_CASE("server: clients that go away do no harm") {
    const BackgroundServer server(echo, {.latency = 30ms});
    {
        const Client silent(server.origin());
    }
    {
        Client half(server.origin());
        half.send("GET / HT");
    }
    {
        Client impatient(server.origin());
        impatient.send(get("/"));
    }
    { // unread data at the client's close: a reset, not an end
        Client rude(server.origin());
        rude.send(get("/a") + get("/b") + get("/c"));
        rude.receive_some(1);
    }
    CHECK(is_idle(server));
    Client next(server.origin());
    next.send(get("/"));
    CHECK(next.receive().status == 200);
}

TEST_CASE("server: a client that has finished sending still gets all answers") {
    const BackgroundServer server(echo, {.latency = 50ms});
    Client client(server.origin());
    client.send(get("/a") + get("/b"));
    client.finish_sending();
    CHECK(client.receive().body == "/a");
    CHECK(client.receive().body == "/b");
    CHECK(client.receive_all() == "");
    CHECK(server.statistics().turns < 100); // the end of input is told only once
}

TEST_CASE("server: a handler that throws means status 500") {
    const BackgroundServer server(
        [](const Request&) -> Answer { throw std::runtime_error("a < b"); });
    Client client(server.origin());
    client.send(get("/"));
    const auto response = client.receive();
    CHECK(response.status == 500);
    CHECK(response.body.find("a &lt; b") != std::string::npos);

    const BackgroundServer odd([](const Request&) -> Answer { throw 42; });
    Client another(odd.origin());
    another.send(get("/"));
    CHECK(another.receive().status == 500);
}

TEST_CASE("server: a redirect has a Location and no body") {
    const BackgroundServer server([](const Request& request) {
        return Answer{308, "text/plain", {}, std::string(request.origin) + "/b"};
    });
    Client client(server.origin());
    client.send(get("/a"));
    const auto response = client.receive();
    CHECK(response.status == 308);
    CHECK(response.header("Location") == server.origin() + "/b");
    CHECK(response.header("Content-Length") == "0");
}

TEST_CASE("server: it can be stopped before it runs and more than once") {
    PracticeServer server(echo);
    CHECK(server.url() == server.origin() + "/");
    CHECK_THROWS_AS(PracticeServer(echo, {.selector = "sundial"}), std::invalid_argument);

    // A connection made before `run` is served by it.
    Client early(server.origin());
    early.send(get("/early"));
    std::thread thread([&] { server.run(); });
    CHECK(early.receive().body == "/early");
    server.stop();
    server.stop();
    thread.join();

    PracticeServer stopped(echo);
    stopped.stop();
    stopped.run();
    CHECK(stopped.statistics().requests_served == 0);
}
