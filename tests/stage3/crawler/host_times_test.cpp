// How waits are counted, and failures told apart.
#include "stage3_queue_crawler/crawler/host_times.h"
#include "tests/support/prelude.h"

using stage3::Failure;
using stage3::FetchError;
using stage3::Waits;
using ErrorKind = FetchError::Kind;
using FailedStep = FetchError::Step;

namespace {

Failure kind_of_failure(ErrorKind kind, FailedStep step, bool was_sent = false) {
    FetchError error(kind, "", 0);
    error.step = step;
    error.was_sent = was_sent;
    return stage3::failure_of(error);
}

} // namespace

TEST_CASE("the median of waits is right within 3 %, and the worst is exact") {
    for (const auto wait : {60us, 1000us, 47'000us, 2'000'000us, 3'600'000'000us}) {
        Waits waits;
        for (int i = 0; i < 3; ++i)
            waits.add(wait);
        waits.add(wait * 10);
        waits.add(1us);
        const double seconds = std::chrono::duration<double>(wait).count();
        CHECK(waits.median().count() == doctest::Approx(seconds).epsilon(0.03));
        CHECK(waits.worst().count() == doctest::Approx(seconds * 10));
    }
}

TEST_CASE("waits of two hosts are those of both") {
    Waits one;
    one.add(10ms);
    Waits other;
    CHECK(other.median().count() == 0);
    for (int i = 0; i < 5; ++i)
        other.add(1s);
    one.add(other);
    CHECK(one.median().count() == doctest::Approx(1).epsilon(0.03));
    CHECK(one.worst().count() == 1);
}

TEST_CASE("a failure is told by how far the request had come") {
    CHECK(kind_of_failure(ErrorKind::network, FailedStep::address)
          == Failure::no_address);
    CHECK(kind_of_failure(ErrorKind::network, FailedStep::connection)
          == Failure::no_connection);
    CHECK(kind_of_failure(ErrorKind::network, FailedStep::tls) == Failure::tls);
    CHECK(kind_of_failure(ErrorKind::bad_response, FailedStep::tls) == Failure::tls);
    CHECK(kind_of_failure(ErrorKind::untrusted, FailedStep::tls) == Failure::tls);
    CHECK(kind_of_failure(ErrorKind::network, FailedStep::tls, true) == Failure::broken);
    CHECK(kind_of_failure(ErrorKind::bad_response, FailedStep::connection, true)
          == Failure::not_http);
    CHECK(kind_of_failure(ErrorKind::timed_out, FailedStep::address)
          == Failure::timed_out);
    CHECK(kind_of_failure(ErrorKind::timed_out, FailedStep::connection, true)
          == Failure::timed_out);
    CHECK(kind_of_failure(ErrorKind::no_descriptor, FailedStep::address)
          == Failure::no_descriptor);
    CHECK(kind_of_failure(ErrorKind::too_large, FailedStep::connection, true)
          == Failure::too_large);
    CHECK(kind_of_failure(ErrorKind::forbidden, FailedStep::connection)
          == Failure::forbidden);
}
