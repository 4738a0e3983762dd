#include "common/simple_crawl/event_loop.h"

#include <utility>

namespace common {

void EventLoop::register_fd(int fd, Events events, const char* name, Callback callback,
                            std::source_location at) {
    const std::uint64_t number = next_number_++;
    selector_->register_fd(fd, events, number);
    tracer_.watch_add(fd, events, name, at);
    watches_[fd] = std::make_shared<const Watch>(
        Watch{std::move(callback), name, at, number, events});
}

void EventLoop::unregister_fd(int fd) {
    selector_->unregister_fd(fd);
    const auto found = watches_.find(fd);
    if (found == watches_.end())
        return;
    tracer_.watch_remove(fd, found->second->events);
    watches_.erase(found);
}

bool EventLoop::run(Milliseconds patience) {
    while (!stopped_) {
        tracer_.select(patience, selector_->size());
        const auto ready = selector_->select(patience);
        tracer_.awake(ready.size());
        if (ready.empty())
            return false;
        for (const Ready& event : ready)
            tracer_.ready(event);
        for (const Ready& event : ready)
            call_back(event);
    }
    return true;
}

// [call-back]
void EventLoop::call_back(const Ready& event) {
    // An earlier callback of this turn may have closed this descriptor, and a new socket
    // may have got the same one. Then the event is stale, as the number shows.
    const auto found = watches_.find(event.fd);
    if (found == watches_.end() || found->second->number != event.data)
        return;
    // Held here while it runs, because a callback that unregisters itself would otherwise
    // destroy the function that is running.
    const std::shared_ptr<const Watch> watch = found->second;
    const Tracer::CallbackRuns runs(tracer_, watch->name, watch->at, event.fd);
    watch->callback();
}
// [/call-back]

} // namespace common
