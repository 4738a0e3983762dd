// hint: the waiting task was cancelled
#include "exercise.h"

#include <algorithm>
#include <exception>
#include <vector>

using stage3::Coroutine;
using stage3::Task;

Coroutine<std::string> download(std::size_t size, std::size_t piece,
                                FetchPiece fetch_piece) {
    std::string file(size, '\0');
    std::vector<Task<>> pieces;
    for (std::size_t begin = 0; begin < size; begin += piece) {
        const std::size_t length = std::min(piece, size - begin);
        const std::span<char> target(file.data() + begin, length);
        pieces.push_back(stage3::create_task(fetch_piece(begin, target)));
    }
    std::exception_ptr why;
    try {
        for (const Task<>& one : pieces)
            co_await one;
    } catch (...) {
        why = std::current_exception();
    }
    for (Task<>& one : pieces)
        one.cancel();
    co_await stage3::wait(pieces); // what if we are cancelled here?
    if (why)
        std::rethrow_exception(why);
    co_return file;
}
