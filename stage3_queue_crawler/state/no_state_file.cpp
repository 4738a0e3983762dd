// In place of state_file.cpp, where there is no SQLite.
#include "stage3_queue_crawler/state/state_file.h"

namespace stage3 {

std::string name_of_sqlite() { return "(without sqlite)"; }

// NOLINTNEXTLINE(performance-unnecessary-value-param): the other one keeps them
std::unique_ptr<State> open_state(EventLoop& /*loop*/, StateOptions /*options*/) {
    throw StateError("this stage3 was built without SQLite: install its headers "
                     "(Debian: libsqlite3-dev), and build it again");
}

} // namespace stage3
