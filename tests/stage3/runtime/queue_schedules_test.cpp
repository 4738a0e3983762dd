// Thousands of random schedules: tasks put, get and join, with time limits and without,
// and are cancelled at any moment. A simple model of the queue says at every step which
// task must have which item. No item may be lost or appear twice, and no task may be
// overtaken.
//
// A schedule follows from its seed, which is printed when it fails. SEED=n plays one.
#include "stage3_queue_crawler/runtime/sync/queue.h"
#include "tests/stage3/runtime/loop_test.h"

#include <random>

using namespace stage3;
using std::chrono::milliseconds;
using tests::LoopTest;

namespace {

struct Item {
    int priority = 0;
    int number = 0; // in the order of the puts
    bool operator<(const Item& other) const { return priority < other.priority; }
};

/// What the queue must do, written as plainly as possible: every search goes through a
/// list, and every list is kept in order.
class Model {
  public:
    using Before = std::function<bool(const Item&, const Item&)>;

    Model(std::size_t max_size, Before before)
        : max_size_(max_size), before_(std::move(before)) {}

    bool full() const { return max_size_ != 0 && items_.size() >= max_size_; }
    std::size_t unfinished() const { return unfinished_; }
    const std::vector<Item>& items() const { return items_; }

    /// A task asks for an item. Returns true if it gets one at once.
    bool begin_get(int task) {
        if (items_.empty()) {
            getters_.push_back(task);
            if (requested_.contains(task))
                stop_waiting(task); // it gets the request at once
            return false;
        }
        given_[task] = items_.front();
        items_.erase(items_.begin());
        let_in();
        return true;
    }
    Item end_get(int task) {
        REQUIRE(given_.contains(task));
        const Item item = given_.at(task);
        given_.erase(task);
        return item;
    }
    /// The task was cancelled, or its time was up: its get ends like this.
    void fail_get(int task) {
        if (dead_.erase(task) == 0)
            give(end_get(task)); // it had been given an item
    }

    bool begin_put(int task, const Item& item) {
        if (full()) {
            putters_.emplace_back(task, item);
            if (requested_.contains(task))
                stop_waiting(task);
            return false;
        }
        come_in(item);
        return true;
    }
    /// The task was cancelled, or its time was up: its item is not in the queue then.
    void fail_put(int task, const Item& item) {
        if (dead_.erase(task) != 0)
            return; // the item had not come in
        const auto place = std::ranges::find(items_, item.number, &Item::number);
        REQUIRE(place != items_.end());
        items_.erase(place);
        let_in();
        task_done();
    }
    void end_put(int task) {
        REQUIRE_FALSE(dead_.contains(task));
        REQUIRE(std::ranges::find(putters_, task, &std::pair<int, Item>::first)
                == putters_.end());
    }

    /// The task is asked to end, and gets the request when it waits.
    void cancel(int task) {
        stop_waiting(task);
        if (!dead_.contains(task))
            requested_.insert(task);
    }
    void heard_of_cancellation(int task) { requested_.erase(task); }

    /// From now on the task is passed over, if it still waits.
    void stop_waiting(int task) {
        const auto found =
            std::erase(getters_, task) + std::erase_if(putters_, [task](const auto& one) {
                return one.first == task;
            });
        if (found != 0)
            dead_.insert(task);
    }

    void task_done() {
        if (--unfinished_ == 0)
            ++times_nothing_left_;
    }
    /// How often the last unfinished item was dealt with.
    int times_nothing_left() const { return times_nothing_left_; }

  private:
    void come_in(const Item& item) {
        ++unfinished_;
        give(item);
    }
    void give(const Item& item) {
        if (!getters_.empty()) {
            given_[getters_.front()] = item;
            getters_.erase(getters_.begin());
        } else {
            items_.insert(std::ranges::upper_bound(items_, item, before_), item);
        }
    }
    void let_in() {
        while (!full() && !putters_.empty()) {
            const Item item = putters_.front().second;
            putters_.erase(putters_.begin());
            come_in(item);
        }
    }

    std::size_t max_size_;
    Before before_;
    std::vector<Item> items_; // the next one first
    std::vector<int> getters_;
    std::vector<std::pair<int, Item>> putters_;
    std::map<int, Item> given_; // items that a served task has not taken yet
    std::set<int> requested_;   // tasks that were asked to end, and not resumed since
    std::set<int> dead_;        // tasks whose get or put is going to fail
    int times_nothing_left_ = 0;
    std::size_t unfinished_ = 0;
};

template <class Order>
class Schedule : LoopTest {
  public:
    Schedule(std::uint32_t seed, std::size_t max_size, const Model::Before& before)
        : chance_(seed), queue_(max_size), model_(max_size, before) {}
    Schedule(const Schedule&) = delete;
    Schedule& operator=(const Schedule&) = delete;
    ~Schedule() { loop.close(); } // before the queue, since tasks may still wait at it

    void play() {
        const int count = 2 + below(10);
        for (int i = 0; i < count; ++i)
            tasks_.push_back(task(work(*this, i)));
        for (int i = 0; i < 30; ++i) {
            disturb();
            if (below(4) == 0)
                time.now += milliseconds(1);
            turns(1);
            compare();
        }
        time.now += std::chrono::hours(1);
        turns(30);
        compare();
        // No task waits without a reason: the queue must be empty for a getter to wait,
        // and full for a putter.
        std::vector<Item> left;
        while (!queue_.empty()) {
            left.push_back(queue_.get_nowait());
            model_.begin_get(-1);
            REQUIRE(left.back().number == model_.end_get(-1).number);
        }
        REQUIRE(reports.empty());
    }

  private:
    int below(int bound) {
        return static_cast<int>(chance_() % static_cast<std::uint32_t>(bound));
    }

    void compare() {
        REQUIRE(queue_.size() == model_.items().size());
        REQUIRE(queue_.unfinished() == model_.unfinished());
        REQUIRE(queue_.full() == model_.full());
    }

    /// Acts from outside: puts and gets items, and cancels tasks.
    void disturb() {
        const int which = below(static_cast<int>(tasks_.size()));
        switch (below(6)) {
        case 0:
        case 1:
            if (tasks_[static_cast<std::size_t>(which)].cancel())
                model_.cancel(which);
            break;
        case 2:
            if (!queue_.full()) {
                const Item item = new_item();
                queue_.put_nowait(item);
                REQUIRE(model_.begin_put(-1, item));
            }
            break;
        case 3:
            if (!queue_.empty()) {
                const Item item = queue_.get_nowait();
                REQUIRE(model_.begin_get(-1));
                REQUIRE(model_.end_get(-1).number == item.number);
            }
            break;
        default: break;
        }
    }

    /// Takes five to ten steps, whatever the outcome of each.
    static Coroutine<> work(Schedule& schedule, int self) {
        const int steps = 5 + schedule.below(6);
        for (int i = 0; i < steps; ++i) {
            try {
                co_await schedule.step(self);
            } catch (const Cancelled&) {
                schedule.model_.heard_of_cancellation(self); // and then continue
            }
        }
    }

    Coroutine<> step(int self) {
        const int delay = below(4);
        const TimeLimit limit = below(2) == 0 ? TimeLimit() : milliseconds(delay);
        // The queue's own timer is set right after this one, so it is called right after
        // it.
        stage3::Handle timer;
        const auto set_timer = [&] {
            if (limit)
                timer =
                    loop.call_later(*limit, [this, self] { model_.stop_waiting(self); });
        };
        switch (below(5)) {
        case 0: co_await stage3::next_turn(); break;
        case 1: co_await get(self, limit, set_timer, timer); break;
        case 2: co_await put(self, limit, set_timer, timer); break;
        case 3:
            co_await get(self, limit, set_timer, timer);
            co_await stage3::next_turn();
            break;
        default: co_await join(limit); break;
        }
    }

    template <class SetTimer>
    Coroutine<> get(int self, TimeLimit limit, SetTimer& set_timer,
                    stage3::Handle& timer) {
        if (!model_.begin_get(self))
            set_timer();
        std::optional<Item> item;
        std::exception_ptr failure;
        try {
            item = co_await queue_.get(limit);
        } catch (...) {
            failure = std::current_exception();
        }
        timer.cancel();
        if (!failure) {
            REQUIRE(model_.end_get(self).number == item->number);
            if (below(3) != 0) {
                queue_.task_done();
                model_.task_done();
            }
            co_return;
        }
        model_.fail_get(self);
        rethrow_cancellation(failure);
    }

    template <class SetTimer>
    Coroutine<> put(int self, TimeLimit limit, SetTimer& set_timer,
                    stage3::Handle& timer) {
        const Item item = new_item();
        if (!model_.begin_put(self, item))
            set_timer();
        std::exception_ptr failure;
        try {
            co_await queue_.put(item, limit);
        } catch (...) {
            failure = std::current_exception();
        }
        timer.cancel();
        if (!failure) {
            model_.end_put(self);
            co_return;
        }
        model_.fail_put(self, item);
        rethrow_cancellation(failure);
    }

    Coroutine<> join(TimeLimit limit) {
        const bool at_once = model_.unfinished() == 0;
        const int before = model_.times_nothing_left();
        try {
            co_await queue_.join(limit);
            REQUIRE((at_once || model_.times_nothing_left() > before));
        } catch (const Timeout&) { // NOLINT(bugprone-empty-catch): that's all
        }
    }

    static void rethrow_cancellation(const std::exception_ptr& failure) {
        try {
            std::rethrow_exception(failure);
        } catch (const Timeout&) { // NOLINT(bugprone-empty-catch): that's all
        }
    }

    Item new_item() { return {.priority = below(5), .number = next_number_++}; }

    std::mt19937 chance_;
    stage3::Queue<Item, Order> queue_;
    Model model_;
    std::vector<Task<>> tasks_;
    int next_number_ = 0;
};

template <class Order>
void play_many(const Model::Before& before) {
    const char* const one = std::getenv("SEED");
    const std::uint32_t first = one != nullptr
                                    ? static_cast<std::uint32_t>(std::stoul(one))
                                    : std::random_device()();
    // Under valgrind, fewer will do: see tests/setup/all.sh.
    const char* const some = std::getenv("SCHEDULES");
    const std::uint32_t many =
        some != nullptr ? static_cast<std::uint32_t>(std::stoul(some)) : 1000;
    const std::uint32_t count = one != nullptr ? 1 : many;
    for (std::uint32_t seed = first; seed != first + count; ++seed) {
        CAPTURE(seed);
        for (const std::size_t max_size : {0U, 1U, 2U, 3U})
            Schedule<Order>(seed, max_size, before).play();
    }
}

} // namespace

TEST_CASE("in random schedules, a fifo queue works like its model") {
    play_many<stage3::Fifo<Item>>(
        [](const Item& a, const Item& b) { return a.number < b.number; });
}

TEST_CASE("in random schedules, a lifo queue works like its model") {
    play_many<stage3::Lifo<Item>>(
        [](const Item& a, const Item& b) { return a.number > b.number; });
}

TEST_CASE("in random schedules, a priority queue works like its model") {
    play_many<stage3::SmallestFirst<Item>>([](const Item& a, const Item& b) {
        return a.priority != b.priority ? a.priority < b.priority : a.number < b.number;
    });
}
