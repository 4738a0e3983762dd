// Which addresses are public, and which are private: row by row of IANA's registries, at
// both ends of each network and just outside. And no connection is made to an unwanted
// address, however it was named.
#include "common/system/socket.h"
#include "stage3_queue_crawler/http/address.h"
#include "tests/stage3/http/fetching.h"
#include "tests/stage3/runtime/awaited.h"
#include "tests/support/scripted_server.h"
#include "tests/support/waits.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

using namespace stage3;
using namespace tests;

namespace {

sockaddr_storage address_of(const std::string& digits) {
    sockaddr_storage storage{};
    auto& v4 = reinterpret_cast<sockaddr_in&>(storage);
    auto& v6 = reinterpret_cast<sockaddr_in6&>(storage);
    if (::inet_pton(AF_INET, digits.c_str(), &v4.sin_addr) == 1)
        storage.ss_family = AF_INET;
    else if (::inet_pton(AF_INET6, digits.c_str(), &v6.sin6_addr) == 1)
        storage.ss_family = AF_INET6;
    else
        throw std::invalid_argument(digits);
    return storage;
}

bool is_private(const std::string& digits) {
    const sockaddr_storage storage = address_of(digits);
    return stage3::is_private(reinterpret_cast<const sockaddr&>(storage));
}

/// A network's first and last address, and those just outside, which are empty if they
/// are private, too, or don't exist.
struct Row {
    std::string before, first, last, after;
};

void check(const Row& row) {
    CHECK_MESSAGE(is_private(row.first), row.first);
    CHECK_MESSAGE(is_private(row.last), row.last);
    for (const std::string& beside : {row.before, row.after})
        CHECK_MESSAGE((beside.empty() || !is_private(beside)), beside);
}

/// A session's options: each name has these addresses, and 127.0.0.2 is unwanted.
SessionOptions without_2(const std::vector<std::string>& addresses) {
    SessionOptions options;
    options.look_up = [addresses](const std::string&) {
        std::vector<common::Address> found;
        for (const std::string& address : addresses)
            found.push_back(common::resolve(address, 0).front());
        return found;
    };
    options.objection = [](const sockaddr& address) {
        const std::string digits = stage3::in_digits(address);
        return digits == "127.0.0.2" ? digits + " is unwanted" : "";
    };
    return options;
}

} // namespace

TEST_CASE("IPv4: addresses outside the public internet are private") {
    for (const Row& row : {
             Row{"", "0.0.0.0", "0.255.255.255", "1.0.0.0"},
             Row{"9.255.255.255", "10.0.0.0", "10.255.255.255", "11.0.0.0"},
             Row{"100.63.255.255", "100.64.0.0", "100.127.255.255", "100.128.0.0"},
             Row{"126.255.255.255", "127.0.0.0", "127.255.255.255", "128.0.0.0"},
             Row{"169.253.255.255", "169.254.0.0", "169.254.255.255", "169.255.0.0"},
             Row{"172.15.255.255", "172.16.0.0", "172.31.255.255", "172.32.0.0"},
             Row{"191.255.255.255", "192.0.0.0", "192.0.0.255", "192.0.1.0"},
             Row{"192.0.1.255", "192.0.2.0", "192.0.2.255", "192.0.3.0"},
             Row{"192.88.98.255", "192.88.99.0", "192.88.99.255", "192.88.100.0"},
             Row{"192.167.255.255", "192.168.0.0", "192.168.255.255", "192.169.0.0"},
             Row{"198.17.255.255", "198.18.0.0", "198.19.255.255", "198.20.0.0"},
             Row{"198.51.99.255", "198.51.100.0", "198.51.100.255", "198.51.101.0"},
             Row{"203.0.112.255", "203.0.113.0", "203.0.113.255", "203.0.114.0"},
             Row{"223.255.255.255", "224.0.0.0", "239.255.255.255", ""},
             Row{"", "240.0.0.0", "255.255.255.255", ""},
         })
        check(row);
    CHECK(is_private("169.254.169.254")); // a cloud's metadata
    CHECK_FALSE(is_private("8.8.8.8"));
    CHECK_FALSE(is_private("93.184.216.34"));
}

TEST_CASE("IPv6: addresses outside the public internet are private") {
    const std::string ones = ":ffff:ffff:ffff:ffff:ffff:ffff";
    for (const Row& row : {
             // Everything outside 2000::/3: ::, ::1, fc00::/7, fe80::/10, ff00::/8 …
             Row{"", "::", "1fff:ffff" + ones, "2000::"},
             Row{"3ffe:ffff" + ones, "4000::", "ffff:ffff" + ones, ""},
             Row{"2000:ffff" + ones, "2001:1::", "2001:1ff" + ones, "2001:200::"},
             Row{"2001:db7" + ones, "2001:db8::", "2001:db8" + ones, "2001:db9::"},
             Row{"3ffe:ffff" + ones, "3fff::", "3fff:fff" + ones, "3fff:1000::"},
         })
        check(row);
    for (const char* const digits :
         {"::1", "::7f00:1", "64:ff9b:1::1", "100::1", "5f00::1", "fc00::", "fd12::1",
          "fe80::1", "febf::1", "fec0::1", "ff02::1", "2001:2::1", "2001:10::1",
          "2001:20::1"})
        CHECK_MESSAGE(is_private(digits), digits);
    for (const char* const digits : {"2606:2800:220:1::", "2a00::1", "2620:4f:8000::1"})
        CHECK_MESSAGE(!is_private(digits), digits);
}

TEST_CASE("an IPv6 address that leads to an IPv4 address is judged as the latter") {
    for (const auto& [digits, four] :
         {std::pair{"::ffff:10.0.0.1", true},
          {"::ffff:127.0.0.1", true},
          {"::ffff:8.8.8.8", false},
          {"::fffe:8.8.8.8", true}, // not a mapped address
          {"64:ff9b::169.254.169.254", true},
          {"64:ff9b::8.8.8.8", false},
          {"64:ff9b::1:808:808", true}, // beyond its 96 bits
          {"2002:a00:1::1", true},
          {"2002:808:808::1", false},
          {"2002:808:808::10.0.0.1", false}, // the 6to4 gateway is 8.8.8.8
          // Teredo, through 8.8.8.8, to 9.9.9.9 and to 10.0.0.1
          {"2001:0:808:808::f6f6:f6f6", false},
          {"2001:0:808:808::f5ff:fffe", true},
          {"2001:0:a00:1::f6f6:f6f6", true}}) // through 10.0.0.1
        CHECK_MESSAGE(is_private(digits) == four, digits);
}

TEST_CASE("an address that is neither IPv4 nor IPv6 counts as private") {
    sockaddr_storage storage{};
    storage.ss_family = AF_UNIX;
    CHECK(stage3::is_private(reinterpret_cast<const sockaddr&>(storage)));
    CHECK(stage3::in_digits(reinterpret_cast<const sockaddr&>(storage)).empty());
}

TEST_CASE("an address is written in digits") {
    const auto in_digits = [](const std::string& digits) {
        const sockaddr_storage storage = address_of(digits);
        return stage3::in_digits(reinterpret_cast<const sockaddr&>(storage));
    };
    CHECK(in_digits("10.0.0.1") == "10.0.0.1");
    CHECK(in_digits("::1") == "[::1]");
    CHECK(in_digits("2001:db8:0:0:1:0:0:1") == "[2001:db8::1:0:0:1]");
}

TEST_SUITE("an unwanted address") {
    TEST_CASE("an unwanted address is refused in each of its spellings, and by name") {
        ScriptedServer server;
        server.on("/", tests::html("inside"));
        SessionOptions options = without_2({"127.0.0.1"});
        options.objection = [](const sockaddr& address) {
            return stage3::is_private(address) ? stage3::in_digits(address) + "!" : "";
        };
        for (const char* const host :
             {"127.0.0.1", "2130706433", "0x7f.1", "0177.0.0.1", "127.1", "127.0.0.1.",
              "%31%32%37.0.0.1", "localhost", "a.localhost", "a.test"}) {
            const auto outcome =
                fetch_once(fmt::format("http://{}:{}/", host, server.port()), options);
            const std::string words = outcome.words(); // "localhost" may also be [::1]
            CHECK_MESSAGE((words == "127.0.0.1!" || words == "[::1]!"), host);
            CHECK_MESSAGE(outcome.kind() == Kind::forbidden, host);
        }
        const auto mapped = fmt::format("http://[::ffff:127.0.0.1]:{}/", server.port());
        CHECK(fetch_once(mapped, options).words() == "[::ffff:127.0.0.1]!");
        CHECK(server.connections() == 0);
    }

    TEST_CASE("an unwanted address doesn't exclude the host's other addresses, and is "
              "not reported if these may recover") {
        tests::may_wait(3s, "libcurl waits for 0.2 s before it gives up an address");
        ScriptedServer server;
        server.on("/", tests::html("here"));
        const auto outcome_with = [&](const char* first, const char* second) {
            return fetch_once(fmt::format("http://a.test:{}/", server.port()),
                              without_2({first, second}));
        };
        CHECK(outcome_with("127.0.0.2", "127.0.0.1").words() == "here");
        CHECK(outcome_with("127.0.0.2", "127.0.0.2").words() == "127.0.0.2 is unwanted");
        // No server is at 127.0.0.9.
        CHECK(outcome_with("127.0.0.2", "127.0.0.9").kind() == Kind::network);
        CHECK(outcome_with("127.0.0.9", "127.0.0.2").kind() == Kind::network);
    }

    TEST_CASE("a name can't move to an unwanted address during its session") {
        ScriptedServer server;
        server.on("/", tests::html("here"));
        server.on("/kept", {tests::Send{"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n"
                                        "kept"},
                            tests::KeepOpen{}});
        std::string address = "127.0.0.1";
        EventLoop::TimePoint now{1h};
        stage3::LoopOptions loop;
        loop.clock = [&] { return now; };
        stage3::run(
            [](ScriptedServer& from, std::string& at,
               EventLoop::TimePoint& time) -> Coroutine<> {
                SessionOptions options = without_2({});
                options.look_up = [&at](const std::string&) {
                    return common::resolve(at, 0);
                };
                Session session(stage3::running_loop(), options);
                const std::string url = fmt::format("http://a.test:{}/", from.port());
                co_await expect(words_of(session, url), "here");
                co_await expect(words_of(session, url + "kept"), "kept");
                at = "127.0.0.2";
                time += 1min;
                // A kept connection stays, so this one still goes to the old address.
                co_await expect(words_of(session, url), "here");
                const Fetched outcome = co_await fetch(session, url);
                CHECK(outcome.words() == "127.0.0.2 is unwanted");
                CHECK(outcome.kind() == Kind::forbidden);
            }(server, address, now),
            std::move(loop));
        CHECK(server.connections() == 2);
    }

    TEST_CASE("an address that can't be judged is unwanted") {
        const ScriptedServer server;
        SessionOptions options;
        options.objection = [](const sockaddr&) -> std::string {
            throw std::runtime_error("no idea");
        };
        CHECK(fetch_once(server.url(), options).words() == "cannot connect");
        CHECK(server.connections() == 0);
    }
}
