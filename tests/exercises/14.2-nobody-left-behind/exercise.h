// What download must do.
#pragma once

#include "stage3_queue_crawler/small/group.h"
#include "stage3_queue_crawler/small/task.h"

#include <cstddef>
#include <functional>
#include <span>
#include <string>

/// Fetches the file from `begin` on, and writes each byte to `target` as it arrives,
/// until `target` is full. May fail, as networks do.
using FetchPiece =
    std::function<stage3::small::Coroutine<>(std::size_t begin, std::span<char> target)>;

/// Fetches a file of `size` bytes in pieces of `piece` bytes (the last one may be
/// shorter), all of them at once.
///
/// If a piece fails, the others are asked to end, and what the first one threw is thrown.
/// If `download` is asked to end, so are all pieces, and Cancelled is thrown. However it
/// ends, no piece is being fetched afterwards.
stage3::small::Coroutine<std::string> download(stage3::small::EventLoop& loop,
                                               std::size_t size, std::size_t piece,
                                               FetchPiece fetch_piece);
