// What a generator promises. Cases G1 to G15 are what Python's generators do, so that
// readers who know those can rely on it here. C++ differs in only one point: a `catch`
// handler can't contain `co_yield`, so it has to make a note and yield afterwards.
#include "stage2_coroutines/generator.h"
#include "tests/support/in_bulk.h"
#include "tests/support/prelude.h"

using namespace stage2;
using Log = std::vector<std::string>;

namespace {

std::exception_ptr error(const char* words) {
    return std::make_exception_ptr(std::runtime_error(words));
}

/// Logs its own destruction.
class Witness {
  public:
    Witness(Log& log, std::string name) : log_(log), name_(std::move(name)) {}
    ~Witness() { log_.push_back(name_ + " died"); }
    Witness(const Witness&) = delete;
    Witness& operator=(const Witness&) = delete;

  private:
    Log& log_;
    std::string name_;
};

/// Yields 1 and 2, logs what it is sent, and returns "done".
Generator<int, std::string, std::string> talk(Log& log) {
    log.emplace_back("begun");
    log.push_back(co_yield 1);
    log.push_back(co_yield 2);
    co_return "done";
}

/// Yields 1, logs an exception that is thrown there, and continues.
Generator<int, int, int> patient(Log& log) {
    bool caught = false;
    try {
        co_yield 1;
    } catch (const std::runtime_error& e) {
        log.emplace_back(e.what());
        caught = true;
    }
    if (caught)
        co_yield 100;
    co_return 7;
}

Generator<int, int> count(int from, int to) {
    for (int i = from; i < to; ++i)
        co_yield i;
}

/// Delegates to `patient`, and yields what that returned.
Generator<int, int, std::string> boss(Log& log) {
    const int result = co_await patient(log);
    log.push_back("patient returned " + std::to_string(result));
    const int answer = co_yield -result;
    co_return std::to_string(answer);
}

Generator<int, int, int> thrower(Log& log) {
    const Witness witness(log, "thrower");
    co_yield 1;
    throw std::runtime_error("from inside");
}

/// Delegates to `thrower`, and catches its exception.
Generator<int, int, int> catcher(Log& log) {
    bool caught = false;
    try {
        co_await thrower(log);
    } catch (const std::runtime_error& e) {
        log.emplace_back(e.what());
        caught = true;
    }
    if (caught)
        co_yield 2;
    co_return 3;
}

Generator<int, int, int> holder(Log& log, int depth) {
    const Witness witness(log, "holder " + std::to_string(depth));
    int below = 0;
    if (depth > 0)
        below = co_await holder(log, depth - 1);
    else
        co_yield 1;
    co_return below + 1;
}

/// Ends when an exception is thrown into it.
Generator<int, int, int> calm() {
    try {
        co_yield 1;
    } catch (const std::runtime_error&) {
        co_return 11;
    }
    co_return 12;
}

Generator<int, int, int> hundred_more() { co_return co_await calm() + 100; }

/// Tries to do to `self` what is not allowed while it runs.
Generator<int, int> meddle(Generator<int, int>*& self, Log& log) {
    const auto attempt = [&log](const char* what, const auto& action) {
        try {
            action();
            log.emplace_back("allowed");
        } catch (const std::logic_error&) {
            log.emplace_back(what);
        }
    };
    attempt("next", [&] { self->next(); });
    attempt("send", [&] { self->send(1); });
    attempt("throw_", [&] { self->throw_(error("x")); });
    co_yield 1;
}

Generator<int, int> meddle_below(Generator<int, int>*& self, Log& log) {
    co_await meddle(self, log);
}

Generator<int, int> delegate_to(Generator<int, int>*& self) { co_await std::move(*self); }

Generator<int, int, int> pass_on(Log& log) { co_return co_await thrower(log); }

Generator<int, int, int> replace_or_throw_on(Log& log, bool replace) {
    try {
        co_await thrower(log);
    } catch (const std::runtime_error&) {
        if (replace)
            throw std::logic_error("instead");
        throw;
    }
    co_return 0;
}

Generator<int, int, int> catch_and_throw_another(Log& log) {
    co_await catcher(log);
    throw std::runtime_error("another");
}

template <class Return>
Generator<int, int, Return> whole(Generator<int, int, Return> inner) {
    co_return co_await std::move(inner);
}

Generator<int, int, int> deep(int below) {
    int result = 0;
    if (below > 0)
        result = co_await deep(below - 1);
    else
        result = co_yield 5;
    co_return result + 1;
}

/// Notes how deep in the stack it is destroyed.
class Plummet {
  public:
    explicit Plummet(std::vector<const char*>& depths) : depths_(depths) {}
    ~Plummet() {
        depths_.push_back(static_cast<const char*>(__builtin_frame_address(0)));
    }
    Plummet(const Plummet&) = delete;
    Plummet& operator=(const Plummet&) = delete;

  private:
    std::vector<const char*>& depths_;
};

Generator<int, int> plumbed(int below, std::vector<const char*>& depths) {
    const Plummet plummet(depths);
    if (below > 0)
        co_await plumbed(below - 1, depths);
    else
        co_yield 1;
}

Generator<int, int, int> one() { co_return 1; }

Generator<int, int, int> sum_of_ones(int times) {
    int sum = 0;
    for (int i = 0; i < times; ++i)
        sum += co_await one();
    co_return sum;
}

} // namespace

TEST_CASE("G1: a call runs nothing; the first resume runs to the first yield") {
    Log log;
    auto generator = talk(log);
    CHECK(log.empty());
    CHECK(generator.next().yielded == 1);
    CHECK(log == Log{"begun"});
}

TEST_CASE("G2: co_yield returns the value that was sent; send returns the next one") {
    Log log;
    auto generator = talk(log);
    generator.next();
    CHECK(generator.send("hello").yielded == 2);
    CHECK(log == Log{"begun", "hello"});
}

TEST_CASE("G3: a value can't be sent to a generator that has not begun") {
    Log log;
    auto generator = talk(log);
    CHECK_THROWS_AS(generator.send("too early"), std::logic_error);
    CHECK(log.empty());
    CHECK(generator.next().yielded == 1); // no harm was done
}

TEST_CASE("G4: co_return ends a generator, and its value comes with the end") {
    Log log;
    auto generator = talk(log);
    generator.next();
    generator.send("a");
    CHECK_FALSE(generator.done());
    const auto reply = generator.send("b");
    CHECK(reply.yielded == std::nullopt);
    CHECK(reply.returned == "done");
    CHECK(generator.done());
    // One that returns nothing ends in the same way.
    auto silent = count(0, 0);
    CHECK(silent.next().returned.has_value());
}

TEST_CASE("G5: resuming a generator that has ended ends it again, without a value") {
    auto generator = count(0, 0);
    generator.next();
    for (int i = 0; i < 2; ++i) {
        const auto reply = generator.next();
        CHECK_FALSE(reply.yielded.has_value());
        CHECK_FALSE(reply.returned.has_value());
        CHECK_FALSE(generator.send(1).returned.has_value());
    }
}

TEST_CASE("G6: an exception can be thrown into a co_yield and caught there") {
    Log log;
    auto generator = patient(log);
    generator.next();
    CHECK(generator.throw_(error("ouch")).yielded == 100);
    CHECK(log == Log{"ouch"});
    CHECK(generator.next().returned == 7);
}

TEST_CASE("G7: an exception that is not caught leaves the generator and ends it") {
    Log log;
    auto generator = talk(log);
    generator.next();
    CHECK_THROWS_WITH(generator.throw_(error("ouch")), "ouch");
    CHECK(generator.done());
    CHECK_FALSE(generator.next().returned.has_value());
    auto by_itself = thrower(log);
    by_itself.next();
    CHECK_THROWS_WITH(by_itself.next(), "from inside");
    CHECK(by_itself.done());
}

TEST_CASE("G8: a generator never runs if an exception is thrown into it first") {
    Log log;
    auto generator = talk(log);
    CHECK_THROWS_WITH(generator.throw_(error("early")), "early");
    CHECK(log.empty());
    CHECK(generator.done());
    CHECK_FALSE(generator.next().yielded.has_value());
}

TEST_CASE("G9: an exception thrown into an ended generator comes straight back") {
    auto generator = count(0, 0);
    generator.next();
    CHECK_THROWS_WITH(generator.throw_(error("late")), "late");
    CHECK(generator.done());
}

TEST_CASE("G10: delegation passes everything to the inner generator and has its value") {
    Log log;
    auto generator = boss(log);
    CHECK(generator.next().yielded == 1);                // patient's
    CHECK(generator.throw_(error("in")).yielded == 100); // went to patient
    CHECK(generator.next().yielded == -7);               // patient's 7, boss's sign
    CHECK(log == Log{"in", "patient returned 7"});
    CHECK(generator.send(42).returned == "42"); // boss's own
}

TEST_CASE("G11: an exception from an inner generator can be caught at its co_await") {
    Log log;
    auto generator = catcher(log);
    CHECK(generator.next().yielded == 1);
    CHECK(generator.next().yielded == 2);
    // The inner generator is already unwound when the handler runs.
    CHECK(log == Log{"thrower died", "from inside"});
    CHECK(generator.next().returned == 3);
}

TEST_CASE("G12: an exception that makes the inner generator return ends the delegation") {
    auto generator = hundred_more();
    generator.next();
    CHECK(generator.throw_(error("stop")).returned == 111);
}

TEST_CASE("G13: destroying a generator destroys the inner ones, innermost first") {
    Log log;
    {
        auto generator = holder(log, 2);
        generator.next();
        CHECK(log.empty());
    }
    CHECK(log == Log{"holder 0 died", "holder 1 died", "holder 2 died"});
}

TEST_CASE("G14: a generator that is running can't be resumed") {
    Log log;
    Generator<int, int>* self = nullptr;
    auto direct = meddle(self, log);
    self = &direct;
    CHECK(direct.next().yielded == 1);
    CHECK(log == Log{"next", "send", "throw_"});
    // What was refused isn't delivered later: neither 1 nor "x" comes instead.
    CHECK(direct.send(5).returned.has_value());

    log.clear();
    auto indirect = meddle_below(self, log);
    self = &indirect;
    CHECK(indirect.next().yielded == 1);
    CHECK(log == Log{"next", "send", "throw_"});
    CHECK_FALSE(indirect.running());

    auto circle = delegate_to(self);
    self = &circle;
    CHECK_THROWS_AS(circle.next(), std::logic_error);
    CHECK(circle.done());
}

TEST_CASE("G15: the chain of generators can be seen from outside") {
    Log log;
    auto generator = boss(log);
    CHECK(generator.chain().size() == 1); // it is before its first line
    generator.next();
    const auto chain = generator.chain();
    REQUIRE(chain.size() == 2);
    CHECK(common::short_name(chain[0].function.function_name()) == "boss");
    CHECK(common::short_name(chain[1].function.function_name()) == "patient");
    CHECK(chain[0].line.line() > chain[1].line.line()); // boss is further down
    auto counting = talk(log);
    counting.next();
    const auto first = counting.chain()[0].line.line();
    counting.send("");
    CHECK(counting.chain()[0].line.line() == first + 1);
    generator.send(1);
    CHECK(generator.chain().size() == 1);
    generator.send(1);
    CHECK(generator.done());
}

TEST_CASE("a generator can be moved even while it waits") {
    auto a = count(0, 10);
    a.next();
    auto other = count(100, 110); // has a frame of its own
    CHECK(a.address() != other.address());
    CHECK(other.next().yielded == 100);
    auto b = std::move(a);
    CHECK(b.next().yielded == 1);
    // NOLINTNEXTLINE(bugprone-use-after-move): it is empty, and says so
    CHECK(a.done());
    std::vector<Generator<int, int>> many;
    many.push_back(std::move(b));
    many.push_back(count(5, 6));
    many.erase(many.begin());
    CHECK(many[0].next().yielded == 5);
}

TEST_CASE("a generator that is assigned to destroys its old frame at once") {
    Log log;
    auto a = holder(log, 1);
    a.next();
    auto b = holder(log, 0);
    b.next();
    a = std::move(b);
    CHECK(log == Log{"holder 0 died", "holder 1 died"});
    CHECK(b.done()); // NOLINT(bugprone-use-after-move): it is empty, and says so
    CHECK(a.next().returned == 1);
}

TEST_CASE("only a generator that has not begun can be delegated to") {
    Log log;
    auto fresh = whole(patient(log));
    CHECK(fresh.next().yielded == 1);
    CHECK(fresh.next().returned == 7);

    const auto refused = [](Generator<int, int, int> inner) {
        auto outer = whole(std::move(inner));
        CHECK_THROWS_WITH_AS(outer.next(), doctest::Contains("has not begun"),
                             std::logic_error);
    };
    auto begun = patient(log);
    begun.next();
    refused(std::move(begun));
    auto ended = patient(log);
    ended.next();
    ended.next();
    refused(std::move(ended));
    auto moved = patient(log);
    const auto elsewhere = std::move(moved);
    refused(std::move(moved)); // NOLINT(bugprone-use-after-move): that's the point
}

namespace {

/// Can be moved and nothing else.
struct Word {
    explicit Word(int n) : number(std::make_unique<int>(n)) {}
    std::unique_ptr<int> number;
};

Generator<Word, Nothing, Word> words(Word first) {
    co_yield std::move(first);
    co_yield Word(2);
    co_return Word(3);
}

Generator<Nothing, std::unique_ptr<int>, std::unique_ptr<int>> keep() {
    std::unique_ptr<int> kept = co_yield {};
    co_return kept;
}

} // namespace

TEST_CASE("values need neither be copyable nor have a default") {
    auto generator = words(Word(1));
    CHECK(*generator.next().yielded->number == 1);
    CHECK(*generator.next().yielded->number == 2);
    CHECK(*generator.next().returned->number == 3);
    auto keeper = keep();
    keeper.next();
    CHECK(**keeper.send(std::make_unique<int>(4)).returned == 4);
}

TEST_CASE("delegation works ten thousand generators deep") {
    // Delegation must not use the stack, which is too small for this.
    const int depth = tests::in_bulk(10'000);
    const std::size_t size = static_cast<std::size_t>(depth) + 1;
    auto generator = deep(depth);
    CHECK(generator.next().yielded == 5);
    CHECK(generator.chain().size() == size);
    CHECK(generator.send(1).returned == depth + 2);

    auto failing = deep(depth);
    failing.next();
    CHECK_THROWS_WITH(failing.throw_(error("from the bottom")), "from the bottom");
    CHECK(failing.traceback().size() == size);
}

TEST_CASE("a waiting chain of generators is destroyed with little stack") {
    constexpr int many = 10'000;
    std::vector<const char*> depths;
    {
        auto chain = plumbed(many, depths);
        chain.next();
        CHECK(depths.empty());
    }
    CHECK(depths.size() == many + 1);
    const auto [lowest, highest] = std::ranges::minmax(depths);
    CHECK(highest - lowest < 10'000); // bytes, enough for a sanitizer's frames
}

TEST_CASE("a million delegations in a row use no stack either") {
    const int many = tests::in_bulk(1'000'000);
    CHECK(sum_of_ones(many).next().returned == many);
}

TEST_CASE("the traceback of an exception shows its way, outermost first") {
    Log log;
    auto generator = pass_on(log);
    generator.next();
    CHECK(generator.traceback().empty());
    CHECK_THROWS(generator.next());
    const auto way = generator.traceback();
    REQUIRE(way.size() == 2);
    CHECK(common::short_name(way[1].function.function_name()) == "thrower");
    CHECK(std::string(way[1].line.file_name()).ends_with("generator_test.cpp"));
    CHECK(way[0].line.line() > way[1].line.line());

    // The way of an exception that was caught is no part of the next one's, wherever that
    // begins. The way of one that is rethrown is.
    auto replaced = replace_or_throw_on(log, true);
    replaced.next();
    CHECK_THROWS_WITH(replaced.next(), "instead");
    CHECK(replaced.traceback().size() == 1);
    auto thrown_on = replace_or_throw_on(log, false);
    thrown_on.next();
    CHECK_THROWS_WITH(thrown_on.next(), "from inside");
    CHECK(thrown_on.traceback().size() == 2);
    auto twice = catch_and_throw_another(log);
    twice.next();
    twice.next();
    CHECK_THROWS_WITH(twice.next(), "another");
    CHECK(twice.traceback().size() == 1);
}
