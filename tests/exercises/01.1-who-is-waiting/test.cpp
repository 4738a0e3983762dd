// start fails in: the server's program is busy
// start fails with: connect_waits is not answered yet
#include "exercise.h"
#include "tests/support/prediction.h"

#include <doctest/doctest.h>

static const tests::Questions check(prediction, run_program);

TEST_CASE("the server's program is busy") {
    check("connect_waits", &Answers::connect_waits,
          "connect needs an answer from the server's system. That system answers by "
          "itself, even if the server's program has not accepted the connection yet.");
    check("send_waits", &Answers::send_waits,
          "send hands its bytes to your own system, and returns when that has taken "
          "them. Is there room for a short request?");
    check("recv_waits", &Answers::recv_waits,
          "recv returns when bytes have arrived, or when the other side has closed. What "
          "would have to send those bytes, or close?");
}

TEST_CASE("one after the other") {
    check("one_by_one_time", &Answers::one_by_one_time,
          "there is one thread, and it sleeps through each of its three fetches.");
}

TEST_CASE("a thread for each") {
    check("threads_time", &Answers::threads_time,
          "each thread sleeps for 50 ms, and all three sleep at the same time.");
    check("threads_at_once", &Answers::threads_at_once,
          "the program already had a thread before it started the first of these three: "
          "the one that runs `main`.");
    check("threads_asleep", &Answers::threads_asleep,
          "three threads sleep in fetch. What does the thread that called join do "
          "meanwhile?");
}

TEST_CASE("with the mutex held") {
    check("locked_time", &Answers::locked_time,
          "while one thread sleeps in its fetch, it still holds the mutex. When can the "
          "next one begin its own fetch?");
}

TEST_CASE("links on the way") {
    check("links_time", &Answers::links_time,
          "until \"/\" has arrived, nothing knows that \"/a\" and \"/b\" exist. Then "
          "those two are fetched at the same time.");
}
