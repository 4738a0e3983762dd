// What is wrong with a Redis, judged by what it says.
#include "stage3_queue_crawler/redis/redis_fitness.h"
#include "tests/support/prelude.h"

using namespace stage3;

namespace {

std::string info(const std::string& version, const std::string& more = "") {
    return "# Server\r\nredis_version:" + version + "\r\nredis_mode:standalone\r\n"
           + more;
}

} // namespace

TEST_CASE("the check reads Redis's version") {
    CHECK(fault_in(info("5.0.7"))
          == "Redis 5.0.7 is too old: 6.2 is the first that will do");
    for (const char* old : {"2.8.24", "6.0.16", "6.1.240", "4"})
        CHECK(fault_in(info(old)).find("too old") != std::string::npos);
    for (const char* fit :
         {"6.2.0", "6.2.14", "7.0.15", "7.2.4", "8.0.1", "10.0", "255.255.255"})
        CHECK(fault_in(info(fit)).empty());
    CHECK(fault_in("# Server\r\n") == "it doesn't say which version of Redis it is");
}

TEST_CASE("the check recognizes a replica and names its master") {
    CHECK(fault_in(info("7.0.15", "role:slave\r\nmaster_host:10.0.0.1\r\n"
                                  "master_port:6380\r\n"))
          == "it is a replica, and can't be written to: take its master, 10.0.0.1:6380");
    CHECK(fault_in(info("7.0.15", "role:slave\r\n"))
          == "it is a replica, and can't be written to: take its master");
    CHECK(fault_in(info("7.0.15", "role:master\r\n")).empty());
}

TEST_CASE("the check recognizes a Redis that evicts keys") {
    CHECK(fault_in(info("7.0.15", "maxmemory:1000\r\nmaxmemory_policy:allkeys-lru\r\n"))
          == "it throws keys away when its memory is full (maxmemory-policy is "
             "allkeys-lru): set that to noeviction");
    CHECK(fault_in(info("7.0.15", "maxmemory:1000\r\nmaxmemory_policy:noeviction\r\n"))
              .empty());
    CHECK(fault_in(info("7.0.15", "maxmemory:0\r\nmaxmemory_policy:allkeys-lru\r\n"))
              .empty());
}

TEST_CASE("temporary errors are told from permanent ones") {
    for (const char* text :
         {"LOADING Redis is loading the dataset in memory", "BUSY Redis is busy",
          "NOSCRIPT No matching script", "OOM command not allowed", "MISCONF Redis is",
          "READONLY You can't write", "MASTERDOWN Link with MASTER is down",
          "TRYAGAIN Multiple keys", "CLUSTERDOWN The cluster is down",
          "NOREPLICAS Not enough good replicas to write.",
          "ERR max number of clients reached",
          // NOLINTNEXTLINE(bugprone-suspicious-missing-comma)
          "ERR Error running script (call to f_1): @user_script:1: @user_script: 1: -OOM "
          "command not allowed when used memory > 'maxmemory'."}) {
        CAPTURE(text);
        CHECK(may_pass(RedisError(text)));
    }
    for (const char* text :
         {"ERR unknown command", "WRONGTYPE Operation", "NOAUTH Authentication required.",
          "WRONGPASS invalid", "NOPERM this user", "BUSYGROUP exists", "OOMPH",
          "ERR Error running script (call to f_1): @user_script:1: my own: BUSY"}) {
        CAPTURE(text);
        CHECK_FALSE(may_pass(RedisError(text)));
    }
}
