// A call waits for whatever has to happen before it can return: `connect` for the
// server's system, `send` for room in ours, `recv` for bytes that only the server's
// program can write. Waits in one thread add up, and waits in several overlap, unless one
// thread waits for another.
#include "exercise.h"

const Answers prediction = {
    .connect_waits = 0,
    .send_waits = 0,
    .recv_waits = 1,

    .one_by_one_time = 150,

    // The fourth thread is `main`'s, and it sleeps in `join`.
    .threads_time = 50,
    .threads_at_once = 4,
    .threads_asleep = 4,

    // Holding the mutex during a wait puts the waits in a row again.
    .locked_time = 150,

    // Two steps of 50 ms. More threads would not make it faster.
    .links_time = 100,
};
