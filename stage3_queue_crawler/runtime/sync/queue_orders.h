// Which item leaves a queue next: three answers.
//
// Each holds the items that are in the queue. A template parameter of Queue selects one,
// and nothing else in Queue changes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
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
template <class Items>
void put_back(Items& items, typename Items::value_type one) {
    const auto place =
        std::ranges::upper_bound(items, one.number, {}, &Items::value_type::number);
    items.insert(place, std::move(one));
}

/// Takes the item with that number out of `items`, if it's there. Looks first at those
/// that were put in last.
template <class Items>
auto take_out(Items& items, std::uint64_t number) {
    std::optional<typename Items::value_type> found;
    const auto place =
        std::find_if(items.rbegin(), items.rend(),
                     [number](const auto& one) { return one.number == number; });
    if (place != items.rend()) {
        found.emplace(std::move(*place));
        items.erase(std::next(place).base());
    }
    return found;
}

} // namespace detail

// [fifo]
/// First in, first out.
template <class T>
class Fifo {
  public:
    void push(Numbered<T> one) { items_.push_back(std::move(one)); }
    /// Takes the next one out. There must be one.
    Numbered<T> pop() {
        Numbered<T> one = std::move(items_.front());
        items_.pop_front();
        return one;
    }
    /// Undoes `pop`.
    void unpop(Numbered<T> one) { detail::put_back(items_, std::move(one)); }
    /// Undoes `push`. False if it has left already.
    bool unpush(std::uint64_t number) {
        return detail::take_out(items_, number).has_value();
    }
    std::size_t size() const { return items_.size(); }

  private:
    std::deque<Numbered<T>> items_;
};
// [/fifo]

/// Last in, first out.
template <class T>
class Lifo {
  public:
    void push(Numbered<T> one) { items_.push_back(std::move(one)); }
    Numbered<T> pop() {
        Numbered<T> one = std::move(items_.back());
        items_.pop_back();
        return one;
    }
    void unpop(Numbered<T> one) { detail::put_back(items_, std::move(one)); }
    bool unpush(std::uint64_t number) {
        return detail::take_out(items_, number).has_value();
    }
    std::size_t size() const { return items_.size(); }

  private:
    std::vector<Numbered<T>> items_;
};

/// The smallest first, by `Less`; among equals, first in, first out. (asyncio leaves the
/// order of equals open.)
template <class T, class Less = std::less<T>>
class SmallestFirst {
  public:
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
        const bool found = detail::take_out(items_, number).has_value();
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
