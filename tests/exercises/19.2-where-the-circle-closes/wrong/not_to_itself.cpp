// hint: though it has only one hop
#include "exercise.h"

bool Circles::closes(Url from, Url to) {
    if (from == to)
        return false;
    Url end = to;
    while (const std::optional<Url> next = notes_.find(end))
        end = *next;
    if (end == from)
        return true;
    notes_.set(from, to);
    return false;
}
