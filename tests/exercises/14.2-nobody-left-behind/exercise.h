// What download must do.
#pragma once

#include "stage3_queue_crawler/runtime/task/task_group.h"
#include "stage3_queue_crawler/runtime/task/wait.h"

#include <cstddef>
#include <functional>
#include <span>
#include <string>

/// Fetches the file from `begin` on, and writes each byte to `target` as it arrives,
/// until `target` is full. May fail, as networks do.
using FetchPiece =
    std::function<stage3::Coroutine<>(std::size_t begin, std::span<char> target)>;

/// Fetches a file of `size` bytes in pieces of `piece` bytes (the last one may be
/// shorter), all of them at once.
///
/// If a piece fails, the others are cancelled, and what the first one threw is thrown.
/// If `download` is cancelled, so are all pieces, and Cancelled is thrown. However it
/// ends, no piece is being fetched afterwards.
stage3::Coroutine<std::string> download(std::size_t size, std::size_t piece,
                                        FetchPiece fetch_piece);
