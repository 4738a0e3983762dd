// hint: Limiting the hops is another matter
#include "exercise.h"

bool Circles::closes(Url from, Url to) {
    notes_.set(from, to);
    Url end = to;
    for (int hop = 0; hop < 20; ++hop) {
        if (end == from)
            return true;
        const std::optional<Url> next = notes_.find(end);
        if (!next)
            return false;
        end = *next;
    }
    return false;
}
