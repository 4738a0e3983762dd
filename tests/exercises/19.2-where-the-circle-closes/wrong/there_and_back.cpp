// hint: is a circle of three
#include "exercise.h"

bool Circles::closes(Url from, Url to) {
    notes_.set(from, to);
    return from == to || notes_.find(to) == from;
}
