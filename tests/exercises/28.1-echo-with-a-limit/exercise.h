// A server's side of one connection.
#pragma once

#include "stage3_queue_crawler/runtime/net/stream.h"

#include <chrono>
#include <cstddef>

/// The longest line that is sent back, in bytes, including the "\n" at its end.
constexpr std::size_t longest_line = 100;

/// How long a client may take to finish, once everything we sent has gone out.
constexpr std::chrono::seconds patience{1};

/// One client's connection, from its first line to its end.
///
/// - Each line is sent back as it came, with its "\n", as soon as it is whole.
/// - If a line is longer than `longest_line`, the client gets "too long\n" for it, and
///   nothing after that. This may happen before the end of the line has arrived.
/// - When the client finishes, it still gets all that was to be sent back. What it sent
///   after the last "\n" is not a line, and is not sent back.
/// - If a client sends and doesn't read, this waits for it. No more than
///   StreamLimits::unsent and one line is kept for it.
/// - Whatever the client does, no exception leaves this. If the connection is broken, or
///   the task is asked to end, it ends at once.
///
/// When this returns, its caller closes the connection (see stage3::serve). Bytes that
/// are still unsent then are lost. If anything is unread, closing sends a reset, and over
/// a long distance, even bytes that the kernel has taken may be lost. To avoid that,
/// announce before you return that you will write nothing more. Then read and drop
/// whatever still arrives, until the client has finished, too, or `patience` is over.
/// Defined in yours.cpp.
stage3::Coroutine<> echo(stage3::Stream& stream);
