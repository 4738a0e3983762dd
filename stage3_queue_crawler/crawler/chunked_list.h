// A list that grows without moving what is in it, and finds an entry in a few steps.
//
// A std::deque promises the same. But its pieces have 512 bytes, which is seldom a power
// of two in entries: so each look divides. A crawl looks up several entries for each link
// that it reads. Page 18 of the book.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace stage3 {

/// `ChunkSize`: so many entries get memory at once; a power of two.
template <class T, std::size_t ChunkSize = 64>
class ChunkedList {
    static_assert((ChunkSize & (ChunkSize - 1)) == 0);

  public:
    std::size_t size() const { return size_; }
    T& operator[](std::size_t i) { return chunks_[i / ChunkSize][i % ChunkSize]; }
    const T& operator[](std::size_t i) const {
        return chunks_[i / ChunkSize][i % ChunkSize];
    }

    /// Appends an entry, made from the arguments.
    template <class... Arguments>
    T& emplace_back(Arguments&&... arguments) {
        if (size_ == chunks_.size() * ChunkSize) {
            std::vector<T> chunk;
            chunk.reserve(ChunkSize); // so it never moves its entries
            chunks_.push_back(std::move(chunk));
        }
        T& entry = chunks_.back().emplace_back(std::forward<Arguments>(arguments)...);
        ++size_;
        return entry;
    }

  private:
    std::vector<std::vector<T>> chunks_;
    std::size_t size_ = 0;
};

} // namespace stage3
