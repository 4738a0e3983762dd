// hint: your function calls itself for each hop
#include "exercise.h"

namespace {

Url end_of(Notes& notes, Url url) {
    const std::optional<Url> next = notes.find(url);
    if (!next)
        return url;
    const Url end = end_of(notes, *next);
    notes.set(url, end);
    return end;
}

} // namespace

bool Circles::closes(Url from, Url to) {
    const Url end = end_of(notes_, to);
    if (end == from)
        return true;
    notes_.set(from, end);
    return false;
}
