// A generator whose conversation can be written into a trace: who calls it, and with what
// word; how the word goes in; where the generator stops, and what comes out.
//
// In stage 2 a task drives its coroutine, and tells of that. The small programs of pages
// 05, 06 and 18a of the book have no tasks: they talk with a generator themselves, and
// the viewer shows how.
#pragma once

#include "common/trace/trace.h"
#include "stage2_coroutines/generator.h"
#include "stage2_coroutines/traceback.h"

#include <fmt/format.h>

#include <concepts>
#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace stage2 {

/// Writes a generator's conversation into a trace.
class Minutes final : public Witness {
  public:
    /// `tracer` must outlive it. `number_at`: which byte of the frame holds the number of
    /// the place where it goes on; none: that isn't known.
    Minutes(common::Tracer& tracer, const void* frame, const Place& function,
            std::optional<std::size_t> number_at);
    Minutes(const Minutes&) = delete;
    Minutes& operator=(const Minutes&) = delete;
    ~Minutes(); // NOLINT(bugprone-exception-escape): if memory is used up

    /// It is called: with "next", "send" or "throw". `goes_on`: and will be resumed.
    void calls(std::string_view phase, const std::string& word,
               const std::source_location& at, bool goes_on);
    /// It has stopped, there.
    void yields(const std::string& word, std::vector<Place> chain);
    void ends(std::string_view how, const std::string& word);
    /// What the call gives back.
    void replies(std::string_view how, const std::string& word,
                 const std::source_location& at);
    /// Its frame is destroyed.
    void is_gone();

    void called(const Place& caller, const Place& callee) override;
    void ended(const Place& caller, const Place& callee) override;

  private:
    void take();
    std::optional<int> number() const;

    common::Tracer& tracer_;
    const void* frame_; // nullptr: it's gone
    Place function_;
    std::optional<std::size_t> number_at_;
    std::string on_its_way_; // a word that was not told to be taken yet
};

/// A word as one would write it; of a type that isn't known here, nothing.
template <class Word>
std::string in_words(const Word& word) {
    if constexpr (std::is_arithmetic_v<Word>)
        return fmt::to_string(word);
    else if constexpr (std::convertible_to<const Word&, std::string_view>)
        return fmt::format("\"{}\"", std::string_view(word));
    else
        return {};
}
std::string in_words(const std::exception_ptr& error);

/// A Generator that is the same to whoever talks with it.
template <class Yield, class Send = Nothing, class Return = void>
class [[nodiscard]] TracedGenerator : public Generator<Yield, Send, Return> {
    using Plain = Generator<Yield, Send, Return>;
    using Line = std::source_location;

  public:
    using Reply = typename Plain::Reply;

    /// It must not have begun. `tracer` must outlive it; for `number_at` see Minutes.
    TracedGenerator(Generator<Yield, Send, Return>&& plain, common::Tracer& tracer,
                    std::optional<std::size_t> number_at = {})
        : Plain(std::move(plain)) {
        if (!tracer.enabled())
            return;
        minutes_ = std::make_unique<Minutes>(tracer, this->address(),
                                             this->chain().front(), number_at);
        this->set_witness(*minutes_);
    }

    Reply next(Line at = Line::current()) {
        return talk("next", "", at, [&] { return Plain::next(); });
    }
    Reply send(Send value, Line at = Line::current()) {
        const std::string word = minutes_ ? in_words(value) : "";
        return talk("send", word, at, [&] { return Plain::send(std::move(value)); });
    }
    Reply throw_(std::exception_ptr error, Line at = Line::current()) {
        const std::string word = minutes_ ? in_words(error) : "";
        return talk("throw", word, at, [&] { return Plain::throw_(std::move(error)); });
    }

  private:
    template <class Call>
    Reply talk(std::string_view phase, const std::string& word, const Line& at,
               Call call) {
        if (!minutes_)
            return call();
        const bool goes_on =
            !this->done() && !this->running() && (this->started() || phase == "next");
        minutes_->calls(phase, word, at, goes_on);
        try {
            Reply reply = call();
            tell(reply, goes_on, at);
            return reply;
        } catch (...) {
            const std::string what = in_words(std::current_exception());
            if (goes_on)
                minutes_->ends("threw", what);
            if (this->address() == nullptr)
                minutes_->is_gone();
            minutes_->replies("threw", what, at);
            throw;
        }
    }

    void tell(const Reply& reply, bool goes_on, const Line& at) {
        if (reply.yielded) {
            const std::string word = in_words(*reply.yielded);
            minutes_->yields(word, this->chain());
            minutes_->replies("yielded", word, at);
        } else {
            const std::string word = reply.returned ? in_words(*reply.returned) : "";
            if (goes_on)
                minutes_->ends("returned", word);
            minutes_->replies(goes_on ? "returned" : "over", word, at);
        }
    }

    std::unique_ptr<Minutes> minutes_; // nullptr: nobody writes
};

} // namespace stage2
