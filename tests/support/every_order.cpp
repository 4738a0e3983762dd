#include "tests/support/every_order.h"

#include "tests/support/in_bulk.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <iterator>
#include <numeric>
#include <tuple>

#include <unistd.h>

// The sanitizers have it, and nothing else does.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" __attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)());
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

namespace tests {

namespace {

// ---- An order as a text ----

constexpr std::string_view digits = "0123456789abcdefghijklmnopqrstuvwxyz";

template <class Number>
std::string in_digits(const std::vector<Number>& numbers) {
    std::string text;
    for (const Number one : numbers)
        text += digits.at(static_cast<std::size_t>(one));
    return text;
}

template <class Number>
std::vector<Number> from_digits(std::string_view text) {
    std::vector<Number> numbers;
    for (const char c : text) {
        const std::size_t value = digits.find(c);
        if (value == std::string_view::npos)
            throw std::invalid_argument(fmt::format(
                "an order is made of digits and small letters, not of '{}'", c));
        numbers.push_back(static_cast<Number>(value));
    }
    return numbers;
}

Choices without_zeros_at_end(Choices choices) {
    while (!choices.empty() && choices.back() == 0)
        choices.pop_back();
    return choices;
}

/// "221-001": the program's numbers, and the choices without the zeros at their end.
std::string to_text(const Numbers& numbers, const Choices& choices) {
    return in_digits(numbers) + (numbers.empty() ? "" : "-")
           + in_digits(without_zeros_at_end(choices));
}

// ---- A crash names its order ----

// What a signal handler may read.
std::array<char, 512> order_played;
std::string how_to_play;

void note_order(std::string_view text) {
    const std::size_t length = std::min(text.size(), order_played.size() - 1);
    std::copy_n(text.begin(), length, order_played.begin());
    order_played.at(length) = '\0';
}

void note_choice(unsigned taken) {
    const std::size_t length = std::strlen(order_played.data());
    if (length + 1 < order_played.size()) {
        order_played.at(length) = digits.at(taken);
        order_played.at(length + 1) = '\0';
    }
}

void say_order(std::string_view what_happened) {
    for (const std::string_view text :
         {what_happened, std::string_view(how_to_play),
          std::string_view(order_played.data()), std::string_view("\n")}) [[maybe_unused]]
        const auto written = ::write(STDERR_FILENO, text.data(), text.size());
}

/// What a reader or a developer types before an order's text, to play it.
std::string before_order() {
    const char* const command = std::getenv("EXPLORE_COMMAND");
    return "To play it again: "
           + (command != nullptr ? fmt::format("{} --order ", command) : "ORDER=");
}

/// While this lives, a crash says in which order it came, and so does a program that is
/// stopped because it doesn't end. There is one at a time.
class CrashWatch {
  public:
    CrashWatch() {
        how_to_play = before_order();
        struct sigaction action{};
        action.sa_handler = &on_signal;
        action.sa_flags = SA_ONSTACK; // its own stack may be full
        for (std::size_t i = 0; i < signals.size(); ++i)
            ::sigaction(signals.at(i), &action, &before.at(i));
        if (&__sanitizer_set_death_callback != nullptr)
            __sanitizer_set_death_callback(&on_report);
    }
    CrashWatch(const CrashWatch&) = delete;
    CrashWatch& operator=(const CrashWatch&) = delete;
    ~CrashWatch() {
        for (std::size_t i = 0; i < signals.size(); ++i)
            ::sigaction(signals.at(i), &before.at(i), nullptr);
        if (&__sanitizer_set_death_callback != nullptr)
            __sanitizer_set_death_callback(nullptr);
    }

  private:
    static constexpr std::string_view crashed = "\nIt crashed. ";

    static void on_report() { say_order(crashed); }

    static void on_signal(int signal) {
        say_order(signal == SIGTERM ? "\nIt was stopped. " : crashed);
        for (std::size_t i = 0; i < signals.size(); ++i)
            ::sigaction(signals.at(i), &before.at(i), nullptr);
        static_cast<void>(std::raise(signal));
    }

    static constexpr std::array signals{SIGSEGV, SIGBUS, SIGABRT,
                                        SIGFPE,  SIGILL, SIGTERM};
    static inline std::array<struct sigaction, signals.size()> before{};
};

// ---- Playing, and making smaller ----

using Program = std::function<void(Order&)>;

/// The program that these numbers describe. A crash in it names the order.
Program program_of(const OrderPrograms& programs, const Numbers& numbers) {
    return [&programs, numbers](Order& order) {
        note_order(to_text(numbers, {}));
        programs.play(order, numbers);
    };
}

/// The promise that the order breaks, if any. An exception that leaves the program is
/// one.
std::optional<std::string> broken_promise(const Program& program, Order& order) {
    try {
        program(order);
    } catch (const BrokenPromise&) { // NOLINT(bugprone-empty-catch): the order knows it
    } catch (const std::exception& error) {
        if (!order.broken())
            return fmt::format("no exception leaves the program ({})", error.what());
    }
    return order.broken();
}

/// Fewer unusual ways are smaller; then, ways that are less unusual; then, a shorter
/// list.
bool is_smaller(const Choices& a, const Choices& b) {
    const auto key = [](const Choices& choices) {
        const auto usual = std::ranges::count(choices, 0U);
        return std::tuple(choices.size() - static_cast<std::size_t>(usual),
                          std::accumulate(choices.begin(), choices.end(), 0U),
                          choices.size(), choices);
    };
    return key(a) < key(b);
}

/// The same list with one choice left out, and with one made smaller.
std::vector<Choices> a_little_smaller(const Choices& choices) {
    std::vector<Choices> all;
    for (std::size_t i = 0; i < choices.size(); ++i) {
        Choices without = choices;
        without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
        all.push_back(std::move(without));
        for (unsigned less = 0; less < choices[i]; ++less) {
            all.push_back(choices);
            all.back()[i] = less;
        }
    }
    return all;
}

/// As small as it can be, as long as the same promise is broken.
Choices made_smaller(const Program& program, Choices wrong) {
    Order first(wrong);
    const auto promise = broken_promise(program, first);
    for (bool is_new = true; is_new;) {
        is_new = false;
        for (Choices& choices : a_little_smaller(wrong)) {
            Order order(std::move(choices));
            if (broken_promise(program, order) != promise)
                continue;
            Choices smaller = without_zeros_at_end(order.choices());
            if (is_smaller(smaller, wrong)) {
                wrong = std::move(smaller);
                is_new = true;
                break;
            }
        }
    }
    return wrong;
}

// [advance]
/// The next list, depth first. False if there is none.
bool advance(Choices& choices, std::vector<unsigned> ways) {
    while (!choices.empty() && choices.back() + 1 == ways.back()) {
        choices.pop_back();
        ways.pop_back();
    }
    if (!choices.empty())
        ++choices.back();
    return !choices.empty();
}
// [/advance]

/// Adds what comes out to `explored`. Returns the smallest wrong order, if there is one.
std::optional<Choices> explore(const Program& program, const OrderBounds& bounds,
                               Explored& explored) {
    std::optional<Choices> smallest;
    const auto try_one = [&](Order& order) {
        ++explored.orders;
        const bool is_wrong = broken_promise(program, order).has_value();
        explored.promises.insert(order.promises().begin(), order.promises().end());
        if (!is_wrong)
            return;
        ++explored.wrong;
        Choices choices = without_zeros_at_end(order.choices());
        if (!smallest || is_smaller(choices, *smallest))
            smallest = std::move(choices);
    };
    bool are_all = false;
    Choices next;
    for (std::size_t i = 0; i < bounds.orders && !are_all; ++i) {
        Order order(next);
        try_one(order);
        next = order.choices();
        are_all = !advance(next, order.ways());
    }
    std::mt19937 chance(bounds.seed);
    for (std::size_t i = 0; i < bounds.by_chance && !are_all; ++i) {
        Order order({}, &chance);
        try_one(order);
    }
    explored.are_all = explored.are_all && are_all;
    if (smallest)
        smallest = made_smaller(program, *std::move(smallest));
    return smallest;
}

/// Calls `each` with all combinations of numbers that make sense, the smallest first.
void for_each_program(const OrderPrograms& programs,
                      const std::function<void(const Numbers&)>& each) {
    Numbers numbers;
    for (const auto& thing : programs.things)
        numbers.push_back(thing.least);
    for (bool is_new = true; is_new;) {
        if (programs.makes_sense(numbers))
            each(numbers);
        is_new = false;
        for (std::size_t i = numbers.size(); i-- > 0 && !is_new;) {
            is_new = numbers[i] < programs.things[i].most;
            numbers[i] = is_new ? numbers[i] + 1 : programs.things[i].least;
        }
    }
}

/// Not by steady_clock, because a test may have replaced that.
double seconds_now() {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// ---- In words ----

/// "9,130".
std::string with_commas(std::size_t number) {
    std::string text = std::to_string(number);
    for (std::size_t place = text.size(); place > 3;)
        text.insert(place -= 3, ",");
    return text;
}

/// Breaks a text at blanks into lines of a terminal. Those after the first are indented.
std::string wrapped(std::string_view text, std::size_t indent = 0) {
    constexpr std::size_t most = 80;
    std::string lines;
    std::size_t begin = 0; // of the line
    while (!text.empty()) {
        const std::size_t length = std::min(text.find(' ', 1), text.size());
        if (lines.size() - begin + length > most) {
            lines += "\n" + std::string(indent, ' ');
            begin = lines.size() - indent;
            text.remove_prefix(text.front() == ' ' ? 1 : 0);
            continue;
        }
        lines += text.substr(0, length);
        text.remove_prefix(length);
    }
    return lines + "\n";
}

/// "2 workers, 1 put"; what there is none of is left out.
std::string in_words(const OrderPrograms& programs, const Numbers& numbers) {
    std::string words;
    for (std::size_t i = 0; i < numbers.size(); ++i)
        if (numbers[i] > 0)
            words += fmt::format("{}{} {}", words.empty() ? "" : ", ", numbers[i],
                                 numbers[i] == 1 ? programs.things[i].name
                                                 : programs.things[i].names);
    return words;
}

/// The steps, what came of each, and how it ends.
std::string in_words(const WrongOrder& order) {
    std::size_t width = 0;
    for (const OrderStep& step : order.steps)
        width = std::max(width, step.what.size());
    std::string words;
    std::size_t number = 0;
    for (const OrderStep& step : order.steps) {
        std::string effects;
        for (const std::string& effect : step.effects)
            effects += (effects.empty() ? "" : ", ") + effect;
        std::string line =
            fmt::format("{:5}  {:{}}  {}", ++number, step.what, width, effects);
        line.erase(line.find_last_not_of(' ') + 1);
        words += wrapped(line, 9 + width);
    }
    if (!order.waiting.empty())
        words += fmt::format("At the end, {}.\n", order.waiting);
    return words + before_order() + order.text + "\n";
}

} // namespace

// ---- An order ----

void Order::promise(bool is_kept, std::string_view what) {
    if (!is_kept) {
        if (!broken_) {
            broken_ = what;
            at_promise_ = waiting_;
        }
        [[maybe_unused]] const auto error =
            tracer_.close(); // what comes after this is only cleaning up
        throw BrokenPromise(std::string(what));
    }
    if (!promises_.contains(what))
        promises_.emplace(what);
}

void Order::trace_to(const std::string& path, std::string_view program) {
    tracer_ = common::Tracer(path, program, [this] {
        return std::chrono::steady_clock::time_point(
            std::chrono::milliseconds(steps_.size()));
    });
}

// [next]
bool Order::next(bool has_ready) {
    const unsigned turn = has_ready || loop_has_more_ ? 1 : 0;
    const auto events = static_cast<unsigned>(events_.size());
    const unsigned time = are_there_() ? 1 : 0;
    if (turn + events + time == 0)
        return false;
    const unsigned way = choose(turn + events + time);
    is_turn_ = way < turn || way == turn + events;
    if (is_turn_) {
        steps_.push_back({way < turn ? "the loop turns" : "time passes", {}});
        loop_has_more_ = false;
        if (way >= turn)
            pass_();
        return true;
    }
    const auto place = events_.begin() + static_cast<std::ptrdiff_t>(way - turn);
    const Event event = std::move(*place);
    events_.erase(place);
    steps_.push_back({event.name, {}});
    loop_has_more_ = loop_has_more_ || event.is_for_loop;
    const common::Tracer::CallbackRuns runs(tracer_, event.name, event.at);
    event.happen();
    return true;
}
// [/next]

// [choose]
unsigned Order::choose(unsigned ways) {
    if (ways == 1)
        return 0; // no choice
    const std::size_t at = taken_.size();
    unsigned way = 0;
    if (at < begin_.size())
        way = std::min(begin_[at], ways - 1);
    else if (chance_ != nullptr)
        way = static_cast<unsigned>((*chance_)() % ways);
    taken_.push_back(way);
    ways_.push_back(ways);
    note_choice(way);
    return way;
}
// [/choose]

std::string Order::waiting() const {
    std::string words;
    for (std::size_t i = 0; i < at_promise_.size(); ++i)
        words += fmt::format("{}{} waits", i == 0 ? "" : ", ", at_promise_[i]);
    return words;
}

Actor::Actor(Order& order, std::string name, const std::source_location& at)
    : order_(order), name_(std::move(name)), begin_(at) {
    order_.tracer().task_new(this, name_, {begin_, begin_});
    order_.tracer().task_step(this);
}

Actor::~Actor() {
    const bool is_cancelled = waits_;
    if (is_cancelled) {
        goes_on();
        order_.note(name_ + " is cancelled");
    }
    order_.tracer().task_done(this, is_cancelled ? "cancelled" : "returned");
}

void Actor::calls(const std::string& function, const void* what,
                  const std::source_location& at) {
    waits_ = true;
    order_.note(name_ + " calls " + function);
    order_.waiting_.push_back(name_);
    order_.tracer().future_met(what);
    order_.tracer().task_suspend(this, what, {{begin_, at}});
}

void Actor::does(const std::string& what) {
    if (waits_)
        goes_on();
    order_.note(name_ + " " + what);
}

void Actor::goes_on() {
    waits_ = false;
    std::erase(order_.waiting_, name_);
    order_.tracer().task_step(this);
}

// ---- All of them ----

/// Plays the order that begins with these choices.
static WrongOrder play(const OrderPrograms& programs, const Numbers& numbers,
                       Order& order) {
    const auto broken = broken_promise(program_of(programs, numbers), order);
    return {broken.value_or(""), to_text(numbers, order.choices()), order.steps(),
            order.waiting()};
}

Explored every_order(const OrderPrograms& programs, const OrderBounds& bounds) {
    const CrashWatch watch;
    const double begin = seconds_now();
    Explored explored;
    for_each_program(programs, [&](const Numbers& numbers) {
        const auto wrong = explore(program_of(programs, numbers), bounds, explored);
        if (!wrong || explored.smallest) // a smaller program has one
            return;
        Order again(*wrong);
        explored.smallest = play(programs, numbers, again);
    });
    explored.seconds = seconds_now() - begin;
    return explored;
}

WrongOrder play_order(const OrderPrograms& programs, const std::string& text,
                      const std::string& trace_path) {
    const std::size_t dash = text.find('-');
    const bool has_numbers = dash != std::string::npos;
    const auto numbers =
        from_digits<int>(std::string_view(text).substr(0, has_numbers ? dash : 0));
    if (numbers.size() != programs.things.size())
        throw std::invalid_argument(
            fmt::format("before its dash, an order of this program has {} digits, not {}",
                        programs.things.size(), numbers.size()));
    const auto asked =
        from_digits<unsigned>(std::string_view(text).substr(has_numbers ? dash + 1 : 0));
    Order order(asked);
    if (!trace_path.empty())
        order.trace_to(trace_path, "every order");
    for (std::size_t i = 0; i < numbers.size(); ++i)
        if (numbers[i] < programs.things[i].least || numbers[i] > programs.things[i].most)
            throw std::invalid_argument("no program has these numbers");
    if (!programs.makes_sense(numbers))
        throw std::invalid_argument("no program has these numbers together");
    const CrashWatch watch;
    WrongOrder played = play(programs, numbers, order);
    if (played.text != to_text(numbers, asked))
        throw std::invalid_argument(fmt::format(
            "there is no such order, since not all of these ways exist; '{}' is the "
            "nearest",
            played.text));
    return played;
}

std::string in_words(const OrderPrograms& programs, const Explored& explored) {
    std::string words = wrapped(programs.title);
    if (!programs.things.empty()) {
        Numbers most;
        for (const auto& thing : programs.things)
            most.push_back(thing.most);
        words += wrapped("Programs with up to " + in_words(programs, most) + ".", 4);
    }
    words +=
        fmt::format("{} orders, {}, in {:.3f} s. ", with_commas(explored.orders),
                    explored.are_all ? "which are all" : "but not all", explored.seconds);
    if (!explored.smallest) {
        words += "None breaks a promise:\n";
        for (const std::string& promise : explored.promises)
            words += fmt::format("    {}\n", promise);
        return words;
    }
    const WrongOrder& wrong = *explored.smallest;
    const std::string which = wrong.text.substr(0, wrong.text.find('-'));
    words +=
        fmt::format("{} of them {} the promise\n    {}\n", with_commas(explored.wrong),
                    explored.wrong == 1 ? "breaks" : "break", wrong.promise);
    const std::string numbers =
        programs.things.empty() ? ""
                                : ", with " + in_words(programs, from_digits<int>(which));
    return words + wrapped("The smallest" + numbers + ":", 4) + in_words(wrong);
}

void check_every_order(const OrderPrograms& programs, std::size_t at_least,
                       const OrderBounds& bounds, const std::source_location& at) {
    const char* const path = std::getenv("EXPLORE");
    const std::string trace = path != nullptr ? path : "";
    const auto tell = [&](const std::string& words, bool is_wrong) {
        if (!trace.empty()) {
            fmt::print("{}", words);
            std::fflush(stdout);
        }
        if (is_wrong)
            ADD_FAIL_CHECK_AT(at.file_name(), static_cast<int>(at.line()), words);
    };
    if (const char* const text = std::getenv("ORDER")) {
        try {
            const WrongOrder order = play_order(programs, text, trace);
            const std::string promise =
                order.promise.empty()
                    ? "This order keeps all promises.\n"
                    : fmt::format("This order breaks the promise\n    {}\n",
                                  order.promise);
            tell(promise + in_words(order), !order.promise.empty());
        } catch (const std::invalid_argument& error) {
            tell(fmt::format("'{}': {}\n", text, error.what()), true);
        }
        return;
    }
    const Explored explored = every_order(
        programs, {static_cast<std::size_t>(in_bulk(static_cast<int>(bounds.orders))),
                   static_cast<std::size_t>(in_bulk(static_cast<int>(bounds.by_chance))),
                   bounds.seed});
    tell(in_words(programs, explored), explored.wrong > 0);
    if (explored.smallest && !trace.empty())
        play_order(programs, explored.smallest->text, trace);
    const bool are_fewer = in_bulk(2) < 2; // under valgrind, say
    CHECK_MESSAGE((explored.orders >= at_least || are_fewer),
                  "there are only " << explored.orders << " orders");
}

namespace {
bool case_has_failed = false;
} // namespace

bool a_case_has_failed() { return case_has_failed; }
void note_failed_case() { case_has_failed = true; }

} // namespace tests
