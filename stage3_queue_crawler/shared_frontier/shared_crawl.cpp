#include "stage3_queue_crawler/shared_frontier/shared_crawl.h"

#include <fmt/core.h>

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

std::string explain_half(std::string_view name) {
    return fmt::format(
        "the crawl '{}' is damaged: a call was only half done, since Redis was killed "
        "while it wrote that down, or since it broke the script off (see its log); "
        "--report has what is done, and --forget makes room for a new crawl (before a "
        "Redis that was killed starts again, run redis-check-aof --fix)",
        name);
}

std::string explain_refusal(const RedisError& error, std::string_view name) {
    if (error.code() == "HALF")
        return explain_half(name);
    if (error.code() == "FORMAT")
        return fmt::format(
            "{}: another version of stage3 has begun it; finish it with "
            "that one, or remove it with --forget",
            std::string_view(error.what()).substr(error.code().size() + 1));
    if (error.code() == "NOCRAWL")
        return fmt::format("the crawl '{}' is gone: it was removed, or Redis has started "
                           "without its data (is appendonly on?)",
                           name);
    return error.what();
}

} // namespace stage3
