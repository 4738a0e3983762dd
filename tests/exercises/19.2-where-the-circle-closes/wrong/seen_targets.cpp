// hint: then two chains meet, which is not a circle
#include "exercise.h"

bool Circles::closes(Url from, Url to) {
    notes_.set(from, from);
    if (notes_.find(to))
        return true;
    notes_.set(to, to);
    return false;
}
