// The queue's order, chosen when the program starts.
//
// A queue's order is a parameter of its type, so it must be known at compile time.
// `--order` is known only at run time. So this is one more order, which passes every call
// on to one of the three. The workers don't notice.
//
// Whatever the order, an item that comes back after waiting for its host or for another
// try has had its turn. It goes ahead of all that have not.
#pragma once

#include "stage3_queue_crawler/runtime/sync/queue_orders.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <variant>

namespace stage3 {

enum class OrderName : std::uint8_t { fifo, lifo, priority };

/// The name that `--order` takes, and that processes sharing a crawl exchange.
constexpr std::string_view name_of(OrderName order) {
    switch (order) {
    case OrderName::lifo: return "lifo";
    case OrderName::priority: return "priority";
    case OrderName::fifo: break;
    }
    return "fifo";
}

/// One of three orders. SmallestFirst uses `Less`. `HasHadItsTurn` items leave first.
template <class T, class Less, class HasHadItsTurn>
class AnyOrder {
  public:
    explicit AnyOrder(OrderName name) {
        if (name == OrderName::lifo)
            order_.template emplace<Lifo<T>>();
        else if (name == OrderName::priority)
            order_.template emplace<SmallestFirst<T, Less>>();
    }

    /// Gets memory for so many items in all, wherever those that are not here will go.
    void reserve(std::size_t count) {
        const std::size_t more = count - std::min(count, size());
        back_.reserve(back_.size() + more);
        std::visit([more](auto& order) { order.reserve(order.size() + more); }, order_);
    }
    void push(Numbered<T> one) {
        if (HasHadItsTurn()(one.item))
            back_.push(std::move(one));
        else
            std::visit([&](auto& order) { order.push(std::move(one)); }, order_);
    }
    Numbered<T> pop() {
        if (back_.size() > 0)
            return back_.pop();
        return std::visit([](auto& order) { return order.pop(); }, order_);
    }
    void unpop(Numbered<T> one) {
        if (HasHadItsTurn()(one.item))
            back_.unpop(std::move(one));
        else
            std::visit([&](auto& order) { order.unpop(std::move(one)); }, order_);
    }
    bool unpush(std::uint64_t number) {
        return back_.unpush(number)
               || std::visit([&](auto& order) { return order.unpush(number); }, order_);
    }
    std::size_t size() const {
        return back_.size()
               + std::visit([](const auto& order) { return order.size(); }, order_);
    }

  private:
    Fifo<T> back_;
    std::variant<Fifo<T>, Lifo<T>, SmallestFirst<T, Less>> order_;
};

} // namespace stage3
