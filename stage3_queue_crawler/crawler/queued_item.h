// Item, as it waits in the lines of the in-memory frontier.
//
// A URL passes through several lines, some of them more than once. This is what they must
// know about it beyond its `Item`. Page 25 of the book.
#pragma once

#include "stage3_queue_crawler/crawler/item.h"
#include "stage3_queue_crawler/crawler/pace.h"
#include "stage3_queue_crawler/crawler/time_account.h"

namespace stage3 {

struct QueuedItem : Item {
    using Item::Item;

    bool goes_first : 1 = false; ///< it has had its turn, and comes back
    bool has_begun : 1 = false;  ///< its request has gone out
    bool is_inside : 1 = false;  ///< its host's gate has let it in
    /// Why it's parked, for the account. (In the same byte, so that it takes no memory.)
    TimeAccount::Place parked_as : 4 = TimeAccount::Place::parked_to_retry;
    Pace::Epoch epoch = 0; ///< of its host, when its request went out
};

} // namespace stage3
