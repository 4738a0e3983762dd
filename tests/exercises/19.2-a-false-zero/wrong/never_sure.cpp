// hint: nothing happens, and it says false
// It believes in servers only that never had anything.
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
        if (counts.created > 0)
            co_return false;
    }
    co_return true;
}
