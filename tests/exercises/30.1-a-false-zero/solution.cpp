// carry: put the link in first, and then take it off. In between, it is on two servers,
// and unfinished twice; the other way around, it would be unfinished nowhere. A carrier
// that is ended in between leaves it in the outbox, and the next one puts it in again,
// which does no harm, thanks to its number.
//
// is_over: it isn't enough that each server had nothing when it was asked, because these
// are different moments. But a server that has created nothing since has had nothing
// since: what was 0 has stayed 0. All of these periods have one moment in common, the
// one at which the second pass begins. At that moment there was nothing anywhere, and
// nothing comes from nothing.
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
