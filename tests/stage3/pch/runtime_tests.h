// What most tests of the runtime include, compiled once: see common/pch/headers.h.
#include "stage3_queue_crawler/runtime/queue.h"
#include "stage3_queue_crawler/runtime/wait.h"
#include "tests/support/pch/test_headers.h"
