// Who came earlier has an earlier item, and none only if no later getter has one.
#include "exercise.h"

#include <algorithm>

bool is_fair(const Story& story) {
    int last = 0; // the item of the getter that came before
    for (const int getter : story.came) {
        const auto found = std::ranges::find(story.taken, getter, &Taken::getter);
        // Having none is like having one that comes after all others.
        const int item = found != story.taken.end() ? found->item : 1'000'000;
        if (item < last)
            return false;
        last = item;
    }
    return true;
}
