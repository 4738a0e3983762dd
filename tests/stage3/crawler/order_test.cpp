// An order that is chosen when the program starts, and in which items that have had their
// turn go first.
#include "stage3_queue_crawler/crawler/order.h"
#include "tests/support/prelude.h"

using namespace stage3;

namespace {

struct HasDot {
    bool operator()(const std::string& item) const { return item.ends_with('.'); }
};
using Order = stage3::AnyOrder<std::string, std::less<>, HasDot>;

/// Puts items in, numbered from 1 on.
Order with(OrderName name, std::initializer_list<const char*> items) {
    Order order(name);
    std::uint64_t number = 0;
    for (const char* const item : items)
        order.push({item, ++number});
    return order;
}

/// Takes all items out, as in "a b c".
std::string drain(Order order) {
    std::string all;
    while (order.size() > 0)
        all += (all.empty() ? "" : " ") + order.pop().item;
    return all;
}

} // namespace

TEST_CASE("each of the three orders has a name") {
    CHECK(drain(with(OrderName::fifo, {"b", "a", "c"})) == "b a c");
    CHECK(drain(with(OrderName::lifo, {"b", "a", "c"})) == "c a b");
    CHECK(drain(with(OrderName::priority, {"b", "a", "c"})) == "a b c");
}

TEST_CASE("items that have had their turn go first, in the order in which they came") {
    for (const OrderName name : {OrderName::fifo, OrderName::lifo, OrderName::priority})
        CHECK(drain(with(name, {"b", "z.", "y."})) == "z. y. b");
}

TEST_CASE("an item that is given back goes where it was") {
    for (const OrderName name : {OrderName::fifo, OrderName::lifo, OrderName::priority}) {
        Order order = with(name, {"b", "z.", "a", "y.", "c"});
        const std::string before = drain(order);
        Numbered<std::string> back = order.pop();
        Numbered<std::string> second = order.pop();
        Numbered<std::string> third = order.pop();
        order.unpop(std::move(second));
        order.unpop(std::move(third));
        order.unpop(std::move(back));
        CHECK(drain(order) == before);
    }
}

TEST_CASE("an item can be taken out by its number, wherever it is") {
    for (const OrderName name : {OrderName::fifo, OrderName::lifo, OrderName::priority}) {
        Order order = with(name, {"b", "z.", "a"});
        CHECK(order.unpush(2));
        CHECK(order.unpush(3));
        CHECK_FALSE(order.unpush(3));
        CHECK(drain(order) == "b");
    }
}
