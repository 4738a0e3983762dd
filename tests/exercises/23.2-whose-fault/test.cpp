#include "exercise.h"
#include "tests/support/prelude.h"

#include <source_location>

namespace {

std::string name(Culprit culprit) {
    if (culprit == Culprit::refusal)
        return "say that the proxy refused";
    return culprit == Culprit::proxy ? "blame the proxy" : "blame the site";
}

void check(Culprit expected, const std::string& story, const Failure& failure,
           std::string advice,
           std::source_location place = std::source_location::current()) {
    const Culprit blamed = culprit_of(failure);
    if (blamed == Culprit::refusal && failure.connect_status == 0)
        advice = "a refusal is an answer, and none came.";
    if (blamed != expected)
        ADD_FAIL_CHECK_AT(place.file_name(), static_cast<int>(place.line()),
                          story << ". You " << name(blamed) << ": " << advice);
}

} // namespace

TEST_CASE("a proxy that accepts no connections is to blame") {
    check(Culprit::proxy, "The proxy accepts no connections", {.leads_to_proxy = true},
          "the site has not been asked for anything yet.");
}

TEST_CASE("a proxy that accepts no connections is to blame for http URLs, too") {
    check(Culprit::proxy, "The proxy accepts no connections, and the URL is http",
          {.scheme = "http", .leads_to_proxy = true},
          "the request needs no tunnel, but it does need the proxy.");
}

TEST_CASE("a proxy whose name has no address is to blame") {
    check(
        Culprit::proxy, "The proxy's name has no address", {.unknown_proxy = true},
        "no connection leads to the proxy because libcurl didn't know where to connect.");
}

TEST_CASE("a proxy that answers CONNECT with anything but 2xx has refused") {
    for (const int status : {302, 403, 407, 502})
        check(Culprit::refusal,
              "The proxy's answer to CONNECT is " + std::to_string(status),
              {.leads_to_proxy = true, .connect_status = status},
              "the proxy works, but it has opened no tunnel, and that is a refusal.");
}

TEST_CASE("once the tunnel is open, it's the site") {
    check(Culprit::site, "The tunnel is open, and a certificate is refused",
          {.leads_to_proxy = true, .connect_status = 200, .bad_certificate = true},
          "no request was sent, but the proxy has done its part: TLS at the other end of "
          "a tunnel is the site's.");
    check(Culprit::site, "The tunnel is open, and the connection breaks before a request",
          {.leads_to_proxy = true, .connect_status = 200},
          "the proxy has done its part, and what comes next is TLS with the site.");
    check(Culprit::site, "The proxy's answer to CONNECT is 204, and then TLS fails",
          {.leads_to_proxy = true, .connect_status = 204},
          "any status from 200 to 299 opens the tunnel.");
}

TEST_CASE("once the request was sent, it's the site") {
    check(Culprit::site, "A request for an http URL was sent, and no response came",
          {.scheme = "http", .leads_to_proxy = true, .request_sent = true},
          "for http there is no CONNECT, so its status is 0 even if all is well.");
    check(Culprit::site, "A request was sent in a kept tunnel, and no response came",
          {.leads_to_proxy = true, .request_sent = true},
          "a kept tunnel needs no second CONNECT, so its status is 0.");
    check(Culprit::site, "A request was sent in a new tunnel, and no response came",
          {.leads_to_proxy = true, .connect_status = 200, .request_sent = true},
          "the proxy has done its part.");
}

TEST_CASE("a certificate that is refused before there is a tunnel is the proxy's") {
    const std::string advice = "this proxy speaks TLS itself, and it has to show its "
                               "certificate before it's asked for anything.";
    check(Culprit::proxy, "A certificate is refused before CONNECT is answered",
          {.scheme = "https", .leads_to_proxy = true, .bad_certificate = true}, advice);
    check(Culprit::proxy, "A certificate is refused, and the URL is http",
          {.scheme = "http", .leads_to_proxy = true, .bad_certificate = true}, advice);
}

TEST_CASE("without a proxy, it's the site") {
    for (const bool request_sent : {false, true})
        check(Culprit::site, "There is no proxy between us and the site",
              {.request_sent = request_sent}, "nothing else could have failed.");
    check(Culprit::site, "There is no proxy, and a certificate is refused",
          {.bad_certificate = true}, "nothing else could have shown one.");
}
