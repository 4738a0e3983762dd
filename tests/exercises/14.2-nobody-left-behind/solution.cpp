// The pieces are children of a group, which ends only after they have.
#include "exercise.h"

#include <algorithm>

using stage3::Coroutine;
using stage3::TaskGroup;

namespace {

Coroutine<> start_pieces(TaskGroup& group, std::string& file, std::size_t piece,
                         const FetchPiece& fetch_piece) {
    for (std::size_t begin = 0; begin < file.size(); begin += piece) {
        const std::size_t length = std::min(piece, file.size() - begin);
        group.start(fetch_piece(begin, std::span<char>(file.data() + begin, length)));
    }
    co_return;
}

} // namespace

Coroutine<std::string> download(std::size_t size, std::size_t piece,
                                FetchPiece fetch_piece) {
    std::string file(size, '\0');
    TaskGroup group;
    co_await group.run(start_pieces(group, file, piece, fetch_piece));
    co_return file;
}
