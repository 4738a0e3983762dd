// hint: What could the first walk leave behind
#include "exercise.h"

bool Circles::closes(Url from, Url to) {
    Url end = to;
    while (const std::optional<Url> next = notes_.find(end))
        end = *next;
    if (end == from)
        return true;
    notes_.set(from, end);
    return false;
}
