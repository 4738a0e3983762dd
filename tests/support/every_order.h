// Every order: plays a small program again and again, each time with its outside events
// at other moments, and checks that what the program promises always holds.
//
// A loop with one thread runs what is ready first in, first out, so nothing in it is left
// to chance. Only the outside is: a put, an answer, a timer or a cancel may come between
// any two turns. Wherever a program can go on in more than one way, `Order` makes a
// choice. The list of its choices is the order, and the same list plays the same order
// again.
//
//     tests::check_every_order({.title = "A worker waits at a queue.",
//                               .play = [](tests::Order& order, const auto&) {
//         EventLoop loop;
//         Queue<int> queue(loop);
//         Task worker(loop, take_one(queue));
//         order.event("put 1", [&] { queue.put(1); });
//         order.event("cancel the worker", [&] { worker.cancel(); });
//         order.run(loop);
//         order.promise(worker.done(), "the worker ends");
//     }});
#pragma once

#include "common/trace/trace.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <set>
#include <source_location>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tests {

/// Thrown by `Order::promise`.
struct BrokenPromise : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Which way was taken at each choice. 0 is the usual one: the loop turns until nothing
/// is ready, and then the event that was announced first happens.
using Choices = std::vector<unsigned>;

/// Something that happened, and what came of it.
struct OrderStep {
    std::string what;
    std::vector<std::string> effects;
};

/// One order of a program, while it is played.
class Order {
  public:
    /// Begins with these choices. After them, takes the usual ways, or ways by chance.
    explicit Order(Choices begin, std::mt19937* chance = nullptr)
        : begin_(std::move(begin)), chance_(chance) {}

    /// From now on, `happen` may be called between any two turns, once.
    void event(std::string name, std::function<void()> happen,
               const std::source_location& at = std::source_location::current()) {
        events_.push_back({std::move(name), std::move(happen), at, false});
    }
    /// The same for an event after which there is something for the loop to do although
    /// nothing is ready: a timer is due, or a socket is readable.
    void
    event_for_loop(std::string name, std::function<void()> happen,
                   const std::source_location& at = std::source_location::current()) {
        events_.push_back({std::move(name), std::move(happen), at, true});
    }
    /// For a loop that tells of its timers: between any two turns, as long as
    /// `are_there`, time may `pass` until the next one is due.
    void timers(std::function<bool()> are_there, std::function<void()> pass) {
        are_there_ = std::move(are_there);
        pass_ = std::move(pass);
    }

    /// Lets the loop turn and the events happen, until nothing is left to do.
    template <class Loop>
    void run(Loop& loop) {
        for (std::size_t steps = 0; next(loop.has_ready()); ++steps) {
            promise(steps < most_steps, "the program comes to rest");
            if (!is_turn_)
                continue;
            if constexpr (requires { loop.turn(std::chrono::milliseconds(0)); }) {
                tracer_.select(std::chrono::milliseconds(0), 0);
                loop.turn(std::chrono::milliseconds(0));
            } else { // one turn of the real loop, which has a tracer
                loop.stop();
                loop.run_forever();
            }
        }
    }

    /// Throws BrokenPromise unless it is kept. If a task catches that, the promise counts
    /// as broken all the same.
    void promise(bool is_kept, std::string_view what);
    /// Says what has just come of the last step. (Cleaning up after a broken promise
    /// doesn't count.)
    void note(std::string effect) {
        if (!steps_.empty() && !broken_)
            steps_.back().effects.push_back(std::move(effect));
    }

    const Choices& choices() const { return taken_; }
    /// How many ways there were at each choice.
    const std::vector<unsigned>& ways() const { return ways_; }
    const std::vector<OrderStep>& steps() const { return steps_; }
    const std::set<std::string, std::less<>>& promises() const { return promises_; }

    const std::optional<std::string>& broken() const { return broken_; }
    /// Which actors were waiting when the promise was broken, in words.
    std::string waiting() const;

    /// A trace of this order is to be written. A millisecond is one step.
    void trace_to(const std::string& path, std::string_view program);
    /// For the real loop's options, and for `Actor`. Off, unless there is to be a trace.
    common::Tracer& tracer() { return tracer_; }

  private:
    friend class Actor;
    static constexpr std::size_t most_steps = 1000;
    struct Event {
        std::string name;
        std::function<void()> happen;
        std::source_location at;
        bool is_for_loop;
    };

    bool next(bool has_ready);
    unsigned choose(unsigned ways);

    Choices begin_;
    std::mt19937* chance_;
    Choices taken_;
    std::vector<unsigned> ways_;
    std::vector<Event> events_;
    std::function<bool()> are_there_ = [] { return false; };
    std::function<void()> pass_;
    bool is_turn_ = false;       // the step that `next` has begun
    bool loop_has_more_ = false; // to do in its next turn, though nothing is ready
    std::vector<OrderStep> steps_;
    std::set<std::string, std::less<>> promises_; // that were kept
    std::optional<std::string> broken_;           // the first that was not
    std::vector<std::string> waiting_;            // actors
    std::vector<std::string> at_promise_;         // the same, when it was broken
    common::Tracer tracer_;
};

/// A task of a program on the small runtime, which has no tracer: says what it does, for
/// the report and for the trace.
class Actor {
  public:
    Actor(Order& order, std::string name,
          const std::source_location& at = std::source_location::current());
    Actor(const Actor&) = delete;
    Actor& operator=(const Actor&) = delete;
    ~Actor(); ///< it has ended

    /// It calls this function of `what`, and may have to wait there. Say so just before
    /// the `co_await`.
    void calls(const std::string& function, const void* what,
               const std::source_location& at = std::source_location::current());
    /// It goes on, and does this: "takes 1".
    void does(const std::string& what);

  private:
    void goes_on();

    Order& order_;
    const std::string name_;
    const std::source_location begin_;
    bool waits_ = false;
};

/// How many there are of each thing in a program.
using Numbers = std::vector<int>;

/// A program, or a family of them: one for each combination of numbers.
struct OrderPrograms {
    struct Thing {
        std::string name, names; ///< of one, and of several
        int least = 0;
        int most = 0;
    };

    std::string title;              ///< a sentence or two, for people
    std::vector<Thing> things = {}; ///< the number of the last one changes fastest
    std::function<bool(const Numbers&)> makes_sense = [](const Numbers&) { return true; };
    /// Makes what it needs, plays it, and checks its promises. Called for each order.
    std::function<void(Order&, const Numbers&)> play;
};

struct OrderBounds {
    /// How many orders of a program are played at most, depth first.
    std::size_t orders = 20'000;
    /// If those aren't all: how many more are played by chance.
    std::size_t by_chance = 1000;
    std::uint32_t seed = 1;
};

/// An order that broke a promise.
struct WrongOrder {
    std::string promise;
    std::string text; ///< of the program's numbers and of the choices, such as "221-001"
    std::vector<OrderStep> steps;
    std::string waiting; ///< who, at the end, in words
};

/// What came out.
struct Explored {
    std::size_t orders = 0;
    bool are_all = true;
    std::size_t wrong = 0;
    double seconds = 0;
    std::set<std::string, std::less<>> promises = {}; ///< that were checked
    /// Of the first program that has a wrong order.
    std::optional<WrongOrder> smallest = {};
};

/// Plays the orders of all programs. If one crashes, its order is printed first.
Explored every_order(const OrderPrograms& programs, const OrderBounds& bounds = {});

/// Plays the order with this text, and writes its trace, unless the path is empty. Throws
/// std::invalid_argument if it's no such text.
WrongOrder play_order(const OrderPrograms& programs, const std::string& text,
                      const std::string& trace_path = "");

/// For people: how many orders, which promises, and the smallest wrong order.
std::string in_words(const OrderPrograms& programs, const Explored& explored);

/// Checks, in a doctest case, that no order breaks a promise, and that there are at least
/// so many. The environment may say more: ORDER=TEXT plays only that order; EXPLORE=FILE
/// prints the report, and writes the trace of the smallest wrong order, or of that one,
/// to the file; EXPLORE_COMMAND is what a reader types to play one.
void check_every_order(const OrderPrograms& programs, std::size_t at_least = 1,
                       const OrderBounds& bounds = {},
                       const std::source_location& at = std::source_location::current());

/// True if a case of this program has failed. Those that come before it say more about
/// what is wrong than the first order that breaks.
bool a_case_has_failed();
/// Called by `main`, for each case that fails.
void note_failed_case();

} // namespace tests
