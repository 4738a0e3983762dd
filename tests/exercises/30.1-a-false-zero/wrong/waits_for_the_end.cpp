// hint: is_over never answers
// It asks until all is over.
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
    std::vector<int> created(servers.size(), -1);
    bool over = false;
    while (!over) {
        over = true;
        for (std::size_t i = 0; i < servers.size(); ++i) {
            const Counts counts = co_await servers[i]->counts();
            over = over && counts.unfinished == 0 && counts.created == created[i];
            created[i] = counts.created;
        }
    }
    co_return true;
}
