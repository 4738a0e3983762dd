// Which item leaves a queue next: three answers.
//
// Each holds the items that are in the queue. A template parameter of Queue selects one,
// and nothing else in Queue changes. A queue calls `reserve` before it changes anything,
// so that from there on nothing can fail.
#pragma once

#include "stage3_queue_crawler/runtime/sync/ring.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace stage3 {

/// An item, with the number under which it was put into the queue.
template <class T>
struct Numbered {
    T item;
    std::uint64_t number;
};

namespace detail {

/// Puts `one` back where its number belongs. `items` are in the order of their numbers.
template <class Items, class Item>
void put_back(Items& items, Item one) {
    using std::swap;
    items.push_back(std::move(one));
    for (std::size_t i = items.size() - 1; i > 0 && items[i].number < items[i - 1].number;
         --i)
        swap(items[i], items[i - 1]);
}

/// Takes the item with that number out of `items`, if it's there. Looks first at those
/// that were put in last. False if it isn't there.
template <class Items>
bool take_out(Items& items, std::uint64_t number) {
    using std::swap;
    std::size_t i = items.size();
    while (i > 0 && items[i - 1].number != number)
        --i;
    if (i == 0)
        return false;
    for (; i < items.size(); ++i)
        swap(items[i - 1], items[i]);
    items.pop_back();
    return true;
}

/// Gets memory for `count` items in all, and for many more at once if any.
template <class Items>
void reserve(Items& items, std::size_t count) {
    if (count > items.capacity())
        items.reserve(std::max(count, 2 * items.capacity()));
}

} // namespace detail

/// First in, first out.
template <class T>
class Fifo {
  public:
    /// Gets memory for so many items in all. Up to there, nothing else can fail.
    void reserve(std::size_t count) { items_.reserve(count); }
    void push(Numbered<T> one) { items_.push_back(std::move(one)); }
    /// Takes the next one out. There must be one.
    Numbered<T> pop() { return items_.pop_front(); }
    /// Undoes `pop`.
    void unpop(Numbered<T> one) { detail::put_back(items_, std::move(one)); }
    /// Undoes `push`. False if it has left already.
    bool unpush(std::uint64_t number) { return detail::take_out(items_, number); }
    std::size_t size() const { return items_.size(); }

  private:
    Ring<Numbered<T>> items_;
};

/// Last in, first out.
template <class T>
class Lifo {
  public:
    void reserve(std::size_t count) { detail::reserve(items_, count); }
    void push(Numbered<T> one) { items_.push_back(std::move(one)); }
    Numbered<T> pop() {
        Numbered<T> one = std::move(items_.back());
        items_.pop_back();
        return one;
    }
    void unpop(Numbered<T> one) { detail::put_back(items_, std::move(one)); }
    bool unpush(std::uint64_t number) { return detail::take_out(items_, number); }
    std::size_t size() const { return items_.size(); }

  private:
    std::vector<Numbered<T>> items_;
};

/// The smallest first, by `Less`; among equals, first in, first out. (asyncio leaves the
/// order of equals open.)
template <class T, class Less = std::less<T>>
class SmallestFirst {
  public:
    void reserve(std::size_t count) { detail::reserve(items_, count); }
    void push(Numbered<T> one) {
        items_.push_back(std::move(one));
        std::ranges::push_heap(items_, comes_later);
    }
    Numbered<T> pop() {
        std::ranges::pop_heap(items_, comes_later);
        Numbered<T> one = std::move(items_.back());
        items_.pop_back();
        return one;
    }
    void unpop(Numbered<T> one) { push(std::move(one)); } // its number says where
    bool unpush(std::uint64_t number) {
        const bool found = detail::take_out(items_, number);
        std::ranges::make_heap(items_, comes_later);
        return found;
    }
    std::size_t size() const { return items_.size(); }

  private:
    static bool comes_later(const Numbered<T>& a, const Numbered<T>& b) {
        if (Less()(a.item, b.item))
            return false;
        return Less()(b.item, a.item) || a.number > b.number;
    }

    std::vector<Numbered<T>> items_;
};

} // namespace stage3
