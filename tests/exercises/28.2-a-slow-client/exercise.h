// A chat room: what one client says, all others hear.
#pragma once

#include "stage3_queue_crawler/runtime/net/stream.h"

#include <cstddef>
#include <vector>

/// The longest line that is passed on, in bytes, including the "\n" at its end.
constexpr std::size_t longest_line = 1000;

/// A client for which more than this is unsent, in bytes, is too far behind.
constexpr std::size_t most_unsent = std::size_t{64} * 1024;

/// The room outlives the streams, and those outlive the coroutines.
class Room {
  public:
    /// Yours. The client is in `members_` from the first step of this until it has ended,
    /// in whatever way. Then the caller closes the connection and destroys the stream.
    ///
    /// - Each line ("...\n") that the client says is sent to all others who are in the
    ///   room, as soon as it is whole, and not to itself.
    /// - No client is waited for: one that reads slowly doesn't hold up the others.
    /// - If this leaves more than `most_unsent` for a client, its stream is closed at
    ///   once. A client that is less behind stays, and gets everything, in order.
    /// - It ends when the client finishes, or says a line that is longer than
    ///   `longest_line`; when the connection breaks, or is closed because the client is
    ///   too far behind; and when the task is asked to end. No exception leaves it
    ///   but Cancelled.
    stage3::Coroutine<> stay(stage3::Stream& client);

    std::size_t size() const { return members_.size(); }

  private:
    std::vector<stage3::Stream*> members_; // the clients in the room
};
