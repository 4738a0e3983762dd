// The smallest event loop on io_uring: the kernel does the reading, and says when it's
// done.
//
// Its like that asks when to read is event_loop.h; page 31 compares the two.
#pragma once

#include "common/system/socket.h"
#include "stage3_queue_crawler/small/run_queue.h"

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include <liburing.h>

namespace stage3::small {

class Completion;

// [operation]
/// Something for the kernel to do, with all the memory that it reads or writes meanwhile.
struct Operation {
    std::string bytes = {};           // to send, or room for what is received
    common::Address address = {};     // to connect to
    Completion* awaited_by = nullptr; // nullptr: the frame that waited is gone
};
// [/operation]

class EventLoop {
  public:
    /// Throws std::system_error if the system has no io_uring, or doesn't allow it.
    EventLoop();
    EventLoop(const EventLoop&) = delete;
    EventLoop& operator=(const EventLoop&) = delete;
    /// Waits until the kernel has handed back every operation.
    ~EventLoop();

    void make_ready(Runnable& one) { ready_.push(one); }
    void make_ready(RunQueue& several) { ready_.append(several); }

    // [lend]
    /// Lends an operation to the kernel until its completion. `prepare` says in the
    /// request what to do. Requests wait for the next turn, which submits them together.
    template <class Prepare>
    void lend(std::unique_ptr<Operation> operation, Prepare prepare) {
        io_uring_sqe& request = next_request();
        prepare(request, *operation);
        io_uring_sqe_set_data(&request, operation.release());
        ++lent_;
    }
    // [/lend]

    /// Asks the kernel to end an operation early. Its completion is still to come.
    void ask_to_end(const Operation& operation);

    /// Submits what was requested so far.
    void submit();

    /// One turn: submits the requests, sleeping for at most `timeout` until something is
    /// complete if nothing is ready, then runs what is ready.
    void turn(std::optional<std::chrono::milliseconds> timeout = std::nullopt);

    /// How many operations the kernel has.
    std::size_t lent() const { return lent_; }

  private:
    io_uring_sqe& next_request();
    void take_completions();

    io_uring ring_{};
    std::size_t lent_ = 0;
    RunQueue ready_;
};

} // namespace stage3::small
