#include "stage3_queue_crawler/program/fail_parsing.h"

#include "common/trace/stack_trace.h"

#include <atomic>
#include <memory>

namespace stage3 {

FindLinks find_links_but_fail_at(std::size_t number) {
    const auto calls = std::make_shared<std::atomic<std::size_t>>(0);
    return [=](auto body, auto content_type, const auto& base, const auto& limits) {
        if (++*calls == number)
            throw common::TracedError("parsing failed, as --fail-parsing asked");
        return common::find_links(body, content_type, base, limits);
    };
}

} // namespace stage3
