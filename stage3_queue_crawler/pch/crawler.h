// What every file of the crawler includes, compiled once: see common/pch/headers.h.
#include "common/pch/headers.h"
#include "stage3_queue_crawler/crawler/crawler.h"
