// What a first-in-first-out queue keeps its items in.
//
// A std::deque may need memory whenever something is put in, and so it may fail. But a
// queue must not fail when a cancelled task gives its item back. A ring can get its
// memory beforehand: what `reserve` has made room for goes in without any.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

namespace stage3 {

/// Items in a row, in a piece of memory whose end is joined to its beginning.
/// `T` must not throw when it is moved.
template <class T>
class Ring {
  public:
    Ring() = default;
    Ring(Ring&& other) noexcept { swap(other); }
    Ring& operator=(Ring&& other) noexcept {
        Ring old(std::move(other));
        swap(old);
        return *this;
    }
    Ring(const Ring& other) : Ring() {
        reserve(other.size_);
        for (std::size_t i = 0; i < other.size_; ++i)
            push_back(other.slots_[other.slot(i)]);
    }
    Ring& operator=(const Ring&) = delete;
    ~Ring() {
        while (size_ > 0)
            pop_back();
        if (slots_ != nullptr)
            std::allocator<T>().deallocate(slots_, capacity_);
    }

    std::size_t size() const { return size_; }

    /// Gets memory for `count` items in all. Throws std::bad_alloc; then nothing has
    /// changed.
    void reserve(std::size_t count) {
        if (count <= capacity_)
            return;
        Ring larger;
        larger.capacity_ = std::max(count, 2 * capacity_);
        larger.slots_ = std::allocator<T>().allocate(larger.capacity_);
        while (size_ > 0)
            larger.push_back(pop_front());
        swap(larger);
    }

    /// The item that is the `index`-th from the front.
    T& operator[](std::size_t index) { return slots_[slot(index)]; }

    /// Throws std::bad_alloc, unless `reserve` has got the memory.
    void push_back(T one) {
        reserve(size_ + 1);
        std::construct_at(slots_ + slot(size_), std::move(one));
        ++size_;
    }
    /// There must be one.
    T pop_front() noexcept {
        T one = std::move(slots_[first_]); // NOLINT(misc-const-correctness): moved from
        std::destroy_at(slots_ + first_);
        first_ = slot(1);
        --size_;
        return one;
    }
    void pop_back() noexcept {
        --size_;
        std::destroy_at(slots_ + slot(size_));
    }

  private:
    std::size_t slot(std::size_t index) const {
        const std::size_t place = first_ + index;
        return place < capacity_ ? place : place - capacity_;
    }
    void swap(Ring& other) noexcept {
        std::swap(slots_, other.slots_);
        std::swap(capacity_, other.capacity_);
        std::swap(first_, other.first_);
        std::swap(size_, other.size_);
    }

    T* slots_ = nullptr;
    std::size_t capacity_ = 0;
    std::size_t first_ = 0;
    std::size_t size_ = 0;
};

} // namespace stage3
