// Which error a failed transfer is, and whose: in values, without a socket or a proxy.
#include "stage3_queue_crawler/http/transfer_error.h"
#include "tests/support/prelude.h"

#include <cerrno>

using stage3::FailedTransfer;
using stage3::FetchError;
using stage3::SessionOptions;
using ErrorKind = FetchError::Kind;
using Stage = stage3::TransferStage;

namespace {

FetchError error_of(const FailedTransfer& transfer) {
    SessionOptions options;
    options.tls.certificate = "me.pem";
    return stage3::error_of(transfer, options);
}

std::string said_of(const FailedTransfer& transfer) { return error_of(transfer).what(); }

std::error_code reset() { return {ECONNRESET, std::generic_category()}; }

FailedTransfer at_proxy(CURLcode result) {
    return {.result = result,
            .has_opened_socket = true,
            .proxy = stage3::Proxy{.name = "http://proxy:3128", .port = 3128},
            .is_at_proxy = true};
}

} // namespace

TEST_SUITE("what is said of a transfer that has failed") {
    TEST_CASE("what came counts before what libcurl says") {
        FailedTransfer failed{.result = CURLE_WRITE_ERROR, .max_body = 1024};
        failed.stage = Stage::in_body;
        failed.verdict = stage3::ContentDecoder::Verdict::enough;
        failed.bytes = 1024;
        CHECK(said_of(failed) == "body larger than 1 KiB");
        CHECK(error_of(failed).bytes == 1024);
        CHECK(error_of(failed).was_sent);
        failed.verdict = stage3::ContentDecoder::Verdict::broken;
        CHECK(said_of(failed) == "the body's compression is broken or unknown");
        failed.refusal = "two Locations";
        CHECK(said_of(failed) == "two Locations");
    }
    TEST_CASE("an end that libcurl takes for one may be none") {
        CHECK(said_of({.result = CURLE_OK, .stage = Stage::in_body})
              == "the body's compression was cut off");
        CHECK(said_of({.result = CURLE_OK, .stage = Stage::requested})
              == "the connection was closed in the middle of the headers");
    }
    TEST_CASE("the step that failed is told apart from the message") {
        const auto step = [](CURLcode result) {
            return error_of({.result = result}).step;
        };
        CHECK(step(CURLE_COULDNT_RESOLVE_HOST) == FetchError::Step::address);
        CHECK(step(CURLE_COULDNT_RESOLVE_PROXY) == FetchError::Step::address);
        CHECK(step(CURLE_COULDNT_CONNECT) == FetchError::Step::connection);
        CHECK(step(CURLE_OPERATION_TIMEDOUT) == FetchError::Step::connection);
        CHECK(step(CURLE_SSL_CONNECT_ERROR) == FetchError::Step::tls);
        CHECK(step(CURLE_PEER_FAILED_VERIFICATION) == FetchError::Step::tls);
    }
    TEST_CASE("what we lack or refuse isn't the site's fault") {
        FailedTransfer failed{.result = CURLE_COULDNT_CONNECT, .open_error = EMFILE};
        CHECK(error_of(failed).kind == ErrorKind::no_descriptor);
        failed.open_error = 0;
        failed.objection = "address 10.0.0.1 is private";
        CHECK(error_of(failed).kind == ErrorKind::forbidden);
        CHECK_FALSE(error_of(failed).was_sent);
        failed.has_opened_socket = true; // to another of its addresses
        CHECK(said_of(failed) == "cannot connect");
        CHECK(said_of({.result = CURLE_SSL_CERTPROBLEM,
                       .message = "no such file",
                       .shows_certificate = true})
              == "the client certificate or its key can't be used (see --cert and "
                 "--key): no such file");
    }
    TEST_CASE("a time limit is named by what it was for") {
        FailedTransfer failed{.result = CURLE_OPERATION_TIMEDOUT, .time_left = 30s};
        failed.took = 10s;
        CHECK(said_of(failed) == "no connection within 10 s");
        failed.stage = Stage::requested;
        CHECK(said_of(failed) == "nothing has come for 30 s");
        failed.took = 29'995ms;
        CHECK(said_of(failed) == "timed out after 30 s");
    }
    TEST_CASE("a connection that breaks after the handshake may want a certificate") {
        FailedTransfer failed{.result = CURLE_RECV_ERROR, .system = reset()};
        failed.stage = Stage::requested;
        failed.has_opened_socket = failed.had_handshake = true;
        const std::string broken = "connection reset by peer";
        CHECK(said_of(failed) == broken + " right after the TLS handshake: see --cert");
        failed.has_answered_before = true;
        CHECK(said_of(failed) == broken);
        failed.stage = Stage::in_body;
        failed.system = {};
        CHECK(said_of(failed) == "the body's chunks are broken");
    }
}

TEST_SUITE("whose fault a transfer is, if a proxy is in between") {
    TEST_CASE("the proxy's, up to its yes to CONNECT") {
        const std::string proxy = "the proxy http://proxy:3128: ";
        CHECK(said_of(at_proxy(CURLE_COULDNT_RESOLVE_PROXY))
              == proxy + "cannot resolve its name");
        CHECK(said_of(at_proxy(CURLE_COULDNT_CONNECT)) == proxy + "cannot connect");
        CHECK(said_of(at_proxy(CURLE_GOT_NOTHING))
              == proxy + "no answer, or none in HTTP");
        FailedTransfer failed = at_proxy(CURLE_RECV_ERROR);
        failed.connect_status = 403;
        CHECK(said_of(failed) == proxy + "it refuses, with status 403");
        failed = at_proxy(CURLE_WRITE_ERROR);
        failed.stage = Stage::refused_by_proxy;
        failed.status = 407;
        CHECK(said_of(failed) == proxy + "it refuses, with status 407");
        CHECK(error_of(failed).kind == ErrorKind::bad_response);
    }
    TEST_CASE("the site's, after that") {
        FailedTransfer failed = at_proxy(CURLE_SSL_CONNECT_ERROR);
        failed.message = "wrong version number";
        failed.connect_status = 200;
        CHECK(said_of(failed) == "wrong version number");
        failed = at_proxy(CURLE_GOT_NOTHING);
        failed.stage = Stage::requested;
        CHECK(said_of(failed) == "empty response");
    }
    TEST_CASE("the site's, if the connection doesn't lead to the proxy") {
        FailedTransfer failed = at_proxy(CURLE_COULDNT_CONNECT);
        failed.is_at_proxy = false;
        CHECK(said_of(failed) == "cannot connect");
    }
}
