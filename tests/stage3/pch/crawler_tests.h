// What most tests of the crawler include, compiled once: see common/pch/headers.h.
#include "stage3_queue_crawler/pch/crawler.h"
#include "tests/support/pch/test_headers.h"
#include "tests/support/scripted_server.h"
