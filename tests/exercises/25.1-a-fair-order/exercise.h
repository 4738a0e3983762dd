// An order for a queue, which serves the hosts in turn.
#pragma once

#include "stage3_queue_crawler/runtime/sync/queue_orders.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>

/// What waits to be fetched.
struct Page {
    std::string host;
    std::string path;
};

/// A page in the queue. Its `item` is the page; one that came later has a larger
/// `number`.
using Entry = stage3::Numbered<Page>;

/// Serves the hosts in turn; the pages of one host first in, first out.
///
/// Each host that has pages waiting is in a line of hosts, once. A host that is served
/// goes to the end of the line if it has more pages. A host that comes, or comes again,
/// begins at the end.
class ByHost {
  public:
    void push(Entry one);
    /// Takes the next one out. There must be one.
    Entry pop();
    /// Undoes `pop`: the host is the first in the line again, and among its pages this
    /// one goes back to where its number says.
    ///
    /// Beware: a getter that waits is handed its item directly, without push and pop.
    /// If it gives the item back, it is passed to this function. So the page, and its
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
