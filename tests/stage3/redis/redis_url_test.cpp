// URLs of a Redis as people write them, and their mistakes.
#include "stage3_queue_crawler/redis/redis_url.h"
#include "tests/support/prelude.h"

using namespace stage3;

namespace {

/// The message of the exception.
std::string refusal(std::string_view text) {
    try {
        parse_redis_url(text);
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "";
}

RedisUrl at(const std::string& host, std::uint16_t port = 6379, int database = 0) {
    RedisUrl url;
    url.host = host;
    url.port = port;
    url.database = database;
    return url;
}

} // namespace

TEST_CASE("a URL names a Redis on the network") {
    CHECK(parse_redis_url("redis://localhost") == at("localhost"));
    CHECK(parse_redis_url("redis://localhost/") == at("localhost"));
    CHECK(parse_redis_url("redis://10.0.0.1:7000/3") == at("10.0.0.1", 7000, 3));
    CHECK(parse_redis_url("redis://[::1]:6380/2") == at("::1", 6380, 2));
    CHECK(parse_redis_url("redis://[::1]") == at("::1"));
}

TEST_CASE("a URL may contain a user and a password") {
    RedisUrl url = parse_redis_url("redis://:secret@h:1/2");
    CHECK(url.user.empty());
    CHECK(url.password == "secret");
    CHECK(url.host == "h");
    CHECK(url.port == 1);
    url = parse_redis_url("redis://al%3Aice:p%40s%2f%25:x@h");
    CHECK(url.user == "al:ice");
    CHECK(url.password == "p@s/%:x");
    CHECK(parse_redis_url("redis://:p@ss@h").password == "p@ss");
    CHECK(parse_redis_url("redis://:@h").password.empty());
}

TEST_CASE("a URL names a Redis in the file system") {
    RedisUrl expected;
    expected.path = "/run/redis.sock";
    CHECK(parse_redis_url("unix:/run/redis.sock") == expected);
    CHECK(parse_redis_url("unix:///run/redis.sock") == expected);
    expected.database = 4;
    CHECK(parse_redis_url("unix:/run/redis.sock?db=4") == expected);
    expected.user = "me";
    expected.password = "se/cret";
    CHECK(parse_redis_url("unix://me:se%2Fcret@/run/redis.sock?db=4") == expected);
}

TEST_CASE("a URL is shown without its secrets and still names the same place") {
    CHECK(parse_redis_url("redis://me:secret@h").shown() == "redis://h:6379");
    CHECK(parse_redis_url("redis://:secret@h:1/2").shown() == "redis://h:1/2");
    CHECK(parse_redis_url("redis://[::1]:9").shown() == "redis://[::1]:9");
    CHECK(parse_redis_url("unix://:secret@/s").shown() == "unix:/s");
    for (const char* text :
         {"redis://h:6379", "redis://[::1]:9/1", "unix:/s", "unix:/s?db=3"})
        CHECK(parse_redis_url(text).shown() == text);
}

TEST_CASE("an invalid URL is refused with a reason in one line that hides the secret") {
    struct Case {
        const char* text;
        const char* why;
    };
    const std::vector<Case> cases{
        {"", "begins with redis:// or unix:"},
        {"http://h/secret", "begins with"},
        {"rediss://:secret@h", "TLS"},
        {"redis://", "no host"},
        {"redis://:secret@", "no host"},
        {"redis://:secret@/1", "no host"},
        {"redis://secret@h", "no colon"},
        {"redis://:sec/ret@h", "%2F"},
        {"redis://:sec%zzret@h", "hex"},
        {"redis://:secret%4@h", "hex"},
        {"redis://h?secret=1", "no host"},
        {"redis://h:", "port"},
        {"redis://h:0", "port"},
        {"redis://h:65536", "port"},
        {"redis://h:secret", "port"},
        {"redis://::1", "no host"},
        {"redis://1::2", "[]"},
        {"redis://[::1", "no ]"},
        {"redis://[::1]9", "between"},
        {"redis://h/secret", "database"},
        {"redis://h/-1", "database"},
        {"redis://h/1/secret", "database"},
        {"redis://h/99999999999999", "database"},
        {"unix:", "begins with /"},
        {"unix:secret", "begins with /"},
        {"unix://secret/path", "no host"},
        {"unix:/s?secret", "db=N"},
        {"unix:/s?db=x", "database"},
    };
    for (const auto& [text, why] : cases) {
        CAPTURE(text);
        const std::string said = refusal(text);
        CHECK(said.find(why) != std::string::npos);
        CHECK(said.find("redis://[[user]:password@]host[:port][/db]")
              != std::string::npos);
        CHECK(said.find('\n') == std::string::npos);
        CHECK(said.find("secret") == std::string::npos);
    }
    CHECK(refusal("unix:/" + std::string(200, 'x')).find("bytes") != std::string::npos);
}
