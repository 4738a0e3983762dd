#include "exercise.h"

Culprit culprit_of(const Failure& failure) {
    if (failure.unknown_proxy)
        return Culprit::proxy; // there isn't even a connection
    if (!failure.leads_to_proxy || failure.request_sent)
        return Culprit::site;
    if (failure.connect_status == 0)
        return Culprit::proxy;
    // With a tunnel, what has failed since is TLS with the site.
    const bool has_tunnel = failure.connect_status / 100 == 2;
    return has_tunnel ? Culprit::site : Culprit::refusal;
}
