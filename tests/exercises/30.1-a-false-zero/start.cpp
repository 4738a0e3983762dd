// Two mistakes, one in each function. Both make it seem that the crawl is over while a
// link is on its way. exercise.h says what the functions should do.
#include "exercise.h"

using stage3::Coroutine;

Coroutine<> carry(Server& from, Server& to) {
    while (true) {
        const std::optional<Link> link = co_await from.first_in_outbox();
        if (!link)
            co_return;
        co_await from.sent(link->number);
        co_await to.put(*link);
    }
}

Coroutine<bool> is_over(std::vector<Server*> servers) {
    for (Server* const server : servers) {
        const Counts counts = co_await server->counts();
        if (counts.unfinished > 0)
            co_return false;
    }
    co_return true;
}
