// hint: Do you walk in a circle
#include "exercise.h"

bool Circles::closes(Url from, Url to) {
    Url end = to;
    while (const std::optional<Url> next = notes_.find(end))
        end = *next;
    notes_.set(from, to);
    return end == from;
}
