#include "stage2_coroutines/traced_generator.h"

namespace stage2 {

Minutes::Minutes(common::Tracer& tracer, const void* frame, const Place& function,
                 std::optional<std::size_t> number_at)
    : tracer_(tracer), frame_(frame), function_(function), number_at_(number_at) {
    tracer_.generator(this, {.phase = "new", .chain = {function_}, .number = number()});
}

Minutes::~Minutes() { is_gone(); }

void Minutes::calls(std::string_view phase, const std::string& word,
                    const std::source_location& at, bool goes_on) {
    tracer_.generator(this, {.phase = phase, .word = word, .at = &at});
    if (!goes_on)
        return;
    on_its_way_ = word;
    tracer_.generator(this, {.phase = "resume"});
}

void Minutes::yields(const std::string& word, std::vector<Place> chain) {
    take();
    tracer_.generator(
        this,
        {.phase = "yield", .word = word, .chain = std::move(chain), .number = number()});
}

void Minutes::ends(std::string_view how, const std::string& word) {
    take();
    tracer_.generator(this, {.phase = "end",
                             .word = word,
                             .how = how,
                             .chain = {function_},
                             .number = number()});
}

void Minutes::replies(std::string_view how, const std::string& word,
                      const std::source_location& at) {
    tracer_.generator(this, {.phase = "reply", .word = word, .how = how, .at = &at});
}

void Minutes::is_gone() {
    if (std::exchange(frame_, nullptr) != nullptr)
        tracer_.generator(this, {.phase = "gone"});
}

void Minutes::called(const Place& caller, const Place& callee) {
    take();
    tracer_.coroutine_call(this, caller, callee);
}

void Minutes::ended(const Place& caller, const Place& callee) {
    take();
    tracer_.coroutine_return(this, caller, callee);
}

/// The first that a co_yield does when it goes on: what comes in is its value.
void Minutes::take() {
    if (!on_its_way_.empty())
        tracer_.generator(this, {.phase = "take", .word = on_its_way_});
    on_its_way_.clear();
}

/// The compiler's own affair: this only looks.
std::optional<int> Minutes::number() const {
    if (!number_at_)
        return std::nullopt;
    return static_cast<const unsigned char*>(frame_)[*number_at_];
}

std::string in_words(const std::exception_ptr& error) {
    try {
        std::rethrow_exception(error);
    } catch (const std::exception& known) {
        return fmt::format("\"{}\"", known.what());
    } catch (...) {
        return {};
    }
}

} // namespace stage2
