// It knows circles of one hop. Make it find the others; exercise.h says how the hops
// arrive. You have notes_.find(url) and notes_.set(url, other).
#include "exercise.h"

bool Circles::closes(Url from, Url to) {
    static_cast<void>(notes_);
    return from == to;
}
