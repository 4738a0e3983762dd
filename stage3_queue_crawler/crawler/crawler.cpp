#include "stage3_queue_crawler/crawler/crawler.h"

namespace stage3 {

template class Crawler<MemoryFrontier>;

} // namespace stage3
