// What a session asks and tells the frontier that it belongs to.
//
// A session talks to one server; how many workers wait, and what becomes of the items
// that come, only the frontier knows, which has a session for each server. So each call
// names the session that makes it. Page 29 of the book.
#pragma once

#include "stage3_queue_crawler/shared_frontier/leased.h"

#include <cstddef>
#include <vector>

namespace stage3 {

class FrontierSession;

/// How many items to ask for.
struct Wanted {
    std::size_t now = 0;     ///< for workers that wait
    std::size_t ahead = 0;   ///< for those that will, soon
    std::size_t foreign = 0; ///< on foreign hosts, for foreign workers that wait

    std::size_t at_home() const { return now + ahead; }
};

class SessionOwner {
  public:
    SessionOwner(const SessionOwner&) = delete;
    SessionOwner& operator=(const SessionOwner&) = delete;

    /// How many items to ask for now, if the workers use up to `soon` before there are
    /// more. They count as asked for until `on_items`.
    virtual Wanted take_wanted(const FrontierSession& session, std::size_t soon) = 0;
    /// Does a worker wait for one?
    virtual bool wants_some(const FrontierSession& session) const = 0;
    /// Does a foreign worker wait for one?
    virtual bool wants_some_foreign(const FrontierSession& session) const = 0;
    /// The items that came, of the `asked` that were asked for.
    virtual void on_items(FrontierSession& session, const Wanted& asked,
                          std::vector<Leased> items) = 0;
    /// Some host is to be left alone from now on, by all processes.
    virtual void on_hold(const FrontierSession& session) = 0;
    /// The session has ended, and another one begins: by now, others have what was held.
    virtual void on_expired(const FrontierSession& session) = 0;
    /// The session's state may have changed.
    virtual void on_state() = 0;

  protected:
    SessionOwner() = default;
    ~SessionOwner() = default;
};

} // namespace stage3
