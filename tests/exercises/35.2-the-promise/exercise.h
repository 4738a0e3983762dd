// What is known of one order, and the promise that you write.
#pragma once

#include <vector>

/// A getter has taken an item.
struct Taken {
    int getter; ///< from 1
    int item;   ///< from 1, in the order in which they were put in
};

/// What happened in one order of events. No getter was cancelled, and each wants one
/// item.
struct Story {
    std::vector<int> came;    ///< the getters, in the order in which they called `get`
    std::vector<Taken> taken; ///< in the order in which they took their items
};

/// True if no getter was overtaken: no item that should have gone to a getter has gone to
/// a later getter instead. Defined in yours.cpp.
bool is_fair(const Story& story);
