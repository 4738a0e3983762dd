// hint: A chain that reaches 2 later continues there, too
#include "exercise.h"

bool Circles::closes(Url from, Url to) {
    notes_.set(from, to);
    return notes_.find(to).has_value();
}
