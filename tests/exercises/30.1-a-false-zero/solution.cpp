// carry: first put it in, and then take it off. In between, the link is on two servers,
// and unfinished twice; the other way round, it would be unfinished nowhere. Whoever is
// ended in between leaves it in the outbox, and the next one puts it in again: by its
// number, that does no harm.
//
// is_over: that each server had nothing when it was asked is not enough, since these are
// different moments. But if none has created anything since, then none has had anything
// since: what was 0 has stayed 0. All of these times have one moment in common, the one
// in which the second pass begins. Then there was nothing anywhere; and from nothing
// comes nothing.
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
    std::vector<int> created;
    for (Server* const server : servers) {
        const Counts counts = co_await server->counts();
        if (counts.unfinished > 0)
            co_return false;
        created.push_back(counts.created);
    }
    for (std::size_t i = 0; i < servers.size(); ++i) {
        const Counts counts = co_await servers[i]->counts();
        if (counts.created != created[i])
            co_return false;
    }
    co_return true;
}
