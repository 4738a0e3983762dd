// A crawl that two or three servers share. Each has a part of the hosts. A page's links
// to hosts of other servers wait in its outbox until they are carried over.
#pragma once

#include "stage3_queue_crawler/runtime/task/coroutine.h"

#include <optional>
#include <string>
#include <vector>

/// What a server has counted, up to this moment.
struct Counts {
    int unfinished = 0; ///< URLs that are not done, and links in its outbox
    int created = 0;    ///< how many have ever been unfinished here; never falls
};

/// What is in an outbox.
struct Link {
    int number = 0;
    std::string url = {};
};

/// One of the servers. A call is on its way for a while, takes effect in one moment,
/// and then its answer is on its way for a while. Meanwhile the crawl continues.
class Server {
  public:
    Server() = default;
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;
    virtual ~Server() = default;

    virtual stage3::Coroutine<Counts> counts() = 0;
    /// The oldest link in its outbox; nothing if the outbox is empty.
    virtual stage3::Coroutine<std::optional<Link>> first_in_outbox() = 0;
    /// A link from another server's outbox is now this server's to fetch. If a link
    /// with its number has come in before, nothing happens.
    virtual stage3::Coroutine<> put(Link link) = 0;
    /// The link with this number leaves the outbox. If it already has, nothing happens.
    virtual stage3::Coroutine<> sent(int number) = 0;
};

/// Carries the links in the outbox of `from` to `to`, until there are none. Two of these
/// may run at once, and each may be ended at any moment: every link arrives, and arrives
/// once. At every moment, each link is unfinished somewhere.
stage3::Coroutine<> carry(Server& from, Server& to);

/// Whether nothing is left on any of them. True only if that is certain; if it isn't
/// certain yet, false, and this is called again later.
stage3::Coroutine<bool> is_over(std::vector<Server*> servers);
