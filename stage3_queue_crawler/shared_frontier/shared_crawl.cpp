#include "stage3_queue_crawler/shared_frontier/shared_crawl.h"

namespace stage3 {

SharedState::Stage stage_named(std::string_view name) {
    if (name == "complete")
        return SharedState::Stage::complete;
    if (name == "max_pages")
        return SharedState::Stage::max_pages;
    if (name == "idle")
        return SharedState::Stage::idle;
    return SharedState::Stage::running;
}

} // namespace stage3
