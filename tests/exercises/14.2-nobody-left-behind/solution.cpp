// The pieces are children of a group, which ends only after they have.
#include "exercise.h"

#include <algorithm>

using stage3::small::Coroutine;
using stage3::small::EventLoop;
using stage3::small::Group;

Coroutine<std::string> download(EventLoop& loop, std::size_t size, std::size_t piece,
                                FetchPiece fetch_piece) {
    std::string file(size, '\0');
    Group group(loop);
    for (std::size_t begin = 0; begin < size; begin += piece) {
        const std::size_t length = std::min(piece, size - begin);
        const std::span<char> target(file.data() + begin, length);
        group.start(fetch_piece(begin, target));
    }
    co_await group.wait();
    co_return file;
}
