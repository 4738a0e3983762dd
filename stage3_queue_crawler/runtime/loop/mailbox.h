// How other threads and signal handlers reach the loop.
//
// The loop's thread sleeps in select. Nothing but a descriptor wakes it. So here is a
// pipe to itself: a thread that has something for the loop leaves it here and writes a
// byte. (Known as the self-pipe trick; D. J. Bernstein described it.)
//
// A thread may be late: the loop may be closed, or gone, by then. So threads and loop
// share the mailbox. Once the loop has closed it, it takes nothing more.
//
// Without memory: writing a letter throws, in the thread that writes it. From then on,
// nothing needs memory: a letter that is written can be put in here, and gets to the
// loop.
#pragma once

#include "common/system/socket.h"
#include "stage3_queue_crawler/runtime/loop/callback.h"
#include "stage3_queue_crawler/runtime/loop/run_queue.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <source_location>
#include <string_view>
#include <utility>

namespace stage3 {

/// A function that the loop's thread is to call. It owns itself while it is in a queue.
class Letter : public Runnable {
  public:
    /// `name` and `at` are for traces; `name` must outlive the letter.
    Letter(std::string_view name, std::source_location at) : name_(name), at_(at) {}
    Letter(const Letter&) = delete;
    Letter& operator=(const Letter&) = delete;
    virtual ~Letter() = default;

    /// Calls the function, in a thread in which a loop runs. What it throws goes to the
    /// loop's exception handler.
    void run() noexcept final;
    void drop() noexcept final { delete this; }
    void trace_ready(common::Tracer& tracer) const final;

  private:
    virtual void call() = 0;

    std::string_view name_;
    std::source_location at_;
};

/// Makes a letter of any function. It need not be copyable.
template <class Function>
std::unique_ptr<Letter>
write_letter(Function function, std::string_view name = not_traced,
             std::source_location at = std::source_location::current()) {
    class LetterTo final : public Letter {
      public:
        LetterTo(Function f, std::string_view name, std::source_location at)
            : Letter(name, at), function_(std::move(f)) {}

      private:
        void call() override { function_(); }

        Function function_;
    };
    return std::make_unique<LetterTo>(std::move(function), name, at);
}

class Mailbox {
  public:
    /// Throws std::system_error if there is no descriptor left.
    Mailbox();
    Mailbox(const Mailbox&) = delete;
    Mailbox& operator=(const Mailbox&) = delete;
    ~Mailbox() = default;

    /// Leaves a letter for the loop, and wakes it. From any thread. False if the mailbox
    /// is closed: then the letter is destroyed.
    bool put(std::unique_ptr<Letter> letter) noexcept;
    template <class Function>
    bool put(Function function) {
        return put(write_letter(std::move(function)));
    }

    /// True if something is waiting here. Cheap enough to ask in each turn.
    bool has_mail() const { return has_mail_.load(std::memory_order_acquire); }

    /// What was left here, in order.
    RunQueue take() noexcept;

    /// Takes no more, and destroys what is here.
    void close() noexcept;

    /// Becomes readable when the loop has to wake.
    int fd() const { return reading_.fd(); }

    /// Makes sure that it's readable again only when something new comes.
    void empty_pipe();

    /// True if the signal has come since this was last asked. It must be watched.
    bool take_signal(int number);
    /// From now on, the signal wakes the loop.
    /// Throws std::invalid_argument if there is no such signal, if it can't be caught, or
    /// if another loop has it.
    void watch_signal(int number);
    /// Restores what the signal did before.
    void unwatch_signal(int number);

  private:
    common::Socket reading_, writing_;
    std::mutex mutex_; // guards what follows
    RunQueue letters_;
    bool closed_ = false;
    std::atomic<bool> has_mail_ = false; // may be read without the mutex
};

} // namespace stage3
