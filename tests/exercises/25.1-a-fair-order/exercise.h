// An order for a queue that serves the hosts in turn.
#pragma once

#include "stage3_queue_crawler/runtime/sync/queue_orders.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>

/// A page that waits to be fetched.
struct Page {
    std::string host;
    std::string path;
};

/// A page in the queue. Its `item` is the page; a page that came later has a larger
/// `number`.
using Entry = stage3::Numbered<Page>;

/// Serves the hosts in turn, and the pages of each host first in, first out.
///
/// Each host that has pages waiting is in the line of hosts once. After a host is served,
/// it goes to the end of the line if it has more pages. A host that is new, or comes
/// back, starts at the end.
class ByHost {
  public:
    void push(Entry one);
    /// Takes the next page out. There must be one.
    Entry pop();
    /// Undoes `pop`: the host is first in the line again, and the page goes back to where
    /// its number belongs among the host's pages.
    ///
    /// Beware: a waiting getter is handed its item directly, without push and pop. If it
    /// gives the item back, the item is passed to this function. So the page, and its
    /// host, may be new to this order.
    void unpop(Entry one);
    /// Undoes `push`. False if the page has left already. This function is given.
    bool unpush(std::uint64_t number);

    std::size_t size() const { return size_; }

  private:
    std::map<std::string, std::deque<Entry>> waiting_; // by host; none is empty
    std::deque<std::string> turns_;                    // the hosts in `waiting_`
    std::size_t size_ = 0;                             // pages in all
};
