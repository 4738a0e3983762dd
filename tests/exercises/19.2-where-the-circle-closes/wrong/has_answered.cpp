// hint: Who comes to know of it later can go on there, too
#include "exercise.h"

bool Circles::closes(Url from, Url to) {
    notes_.set(from, to);
    return notes_.find(to).has_value();
}
