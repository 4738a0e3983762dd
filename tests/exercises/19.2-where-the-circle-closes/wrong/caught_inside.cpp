// hint: and one mistake is counted once
#include "exercise.h"

// The tortoise and the hare: they meet in any circle that the chain leads into.
bool Circles::closes(Url from, Url to) {
    notes_.set(from, to);
    std::optional<Url> slow = from;
    std::optional<Url> fast = from;
    while (true) {
        fast = notes_.find(*fast);
        if (!fast)
            return false;
        fast = notes_.find(*fast);
        if (!fast)
            return false;
        slow = notes_.find(*slow);
        if (slow == fast)
            return true;
    }
}
