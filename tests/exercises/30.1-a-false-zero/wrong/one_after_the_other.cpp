// hint: and then never again
// Two questions to one server, then two to the next.
#include "exercise.h"

using stage3::Coroutine;

Coroutine<> carry(Server& from, Server& to) {
    while (true) {
        const std::optional<Link> link = co_await from.first_in_outbox();
        if (!link)
            co_return;
        co_await to.put(*link);
        co_await from.sent(link->number);
    }
}

Coroutine<bool> is_over(std::vector<Server*> servers) {
    for (Server* const server : servers) {
        const Counts first = co_await server->counts();
        const Counts second = co_await server->counts();
        if (first.unfinished > 0 || second.created != first.created)
            co_return false;
    }
    co_return true;
}
