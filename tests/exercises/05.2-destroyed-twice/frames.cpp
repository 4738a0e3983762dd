#include "exercise.h"

#include <set>

namespace {

Notes so_far;
Frame last = no_frame;
std::set<Frame> alive;

} // namespace

Frame make_frame() {
    alive.insert(++last);
    ++so_far.made;
    return last;
}

void destroy_frame(Frame frame) {
    if (frame == no_frame)
        return;
    if (alive.erase(frame) == 1)
        ++so_far.destroyed;
    else
        ++so_far.destroyed_twice;
}

Notes notes() { return so_far; }
void forget_notes() { so_far = {}; }
