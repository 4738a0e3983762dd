#include "common/trace/trace.h"
#include "stage2_coroutines/traced_generator.h"
#include "tests/support/prelude.h"
#include "tests/support/trace_file.h"

#include <regex>

using namespace stage2;

namespace {

using Talker = Generator<int, std::string, std::string>;

Talker talk() {
    std::string all = co_yield 1;
    try {
        all += co_yield 2;
    } catch (const std::runtime_error& error) {
        all += error.what();
    }
    co_return all;
}

Talker one_more() {
    const std::string word = co_yield 1;
    co_return word;
}
Talker calls_one_more() {
    const std::string word = co_await one_more();
    co_return word + "!";
}

Talker fails() {
    co_yield 1;
    throw std::runtime_error("oh");
}

/// A trace's events, without times, places and callers.
struct Trace : tests::TraceFile {
    std::vector<std::string> events() const {
        const std::regex rest(R"re("t":\d+,"turn":0,"event":|,"(at|by|from)":"[^"]*")re");
        std::vector<std::string> found;
        for (const std::string& line : lines())
            found.push_back(std::regex_replace(line, rest, ""));
        REQUIRE(found.size() >= 2);
        return {found.begin() + 1, found.end() - 1}; // without "trace" and "end"
    }
};

} // namespace

TEST_CASE("a trace records each call, word and stop of a conversation") {
    const Trace trace;
    {
        common::Tracer tracer = trace.tracer();
        TracedGenerator talker(talk(), tracer);
        CHECK(talker.next().yielded == 1);
        CHECK(talker.send("a").yielded == 2);
        const auto error = std::make_exception_ptr(std::runtime_error("b"));
        CHECK(talker.throw_(error).returned == "ab");
        CHECK_FALSE(talker.next().returned);
    }
    const std::vector<std::string> expected{
        R"({"generator","phase":"new","id":1,"name":"talk"})",
        R"({"generator","phase":"next","id":1})",
        R"({"generator","phase":"resume","id":1})",
        R"({"generator","phase":"yield","id":1,"word":"1","chain":[{"name":"talk"}]})",
        R"({"generator","phase":"reply","id":1,"how":"yielded","word":"1"})",
        R"({"generator","phase":"send","id":1,"word":"\"a\""})",
        R"({"generator","phase":"resume","id":1})",
        R"({"generator","phase":"take","id":1,"word":"\"a\""})",
        R"({"generator","phase":"yield","id":1,"word":"2","chain":[{"name":"talk"}]})",
        R"({"generator","phase":"reply","id":1,"how":"yielded","word":"2"})",
        R"({"generator","phase":"throw","id":1,"word":"\"b\""})",
        R"({"generator","phase":"resume","id":1})",
        R"({"generator","phase":"take","id":1,"word":"\"b\""})",
        (R"({"generator","phase":"end","id":1,"how":"returned","word":"\"ab\"",)"
         R"("chain":[{"name":"talk"}]})"),
        R"({"generator","phase":"reply","id":1,"how":"returned","word":"\"ab\""})",
        R"({"generator","phase":"next","id":1})",
        R"({"generator","phase":"reply","id":1,"how":"over"})",
        R"({"generator","phase":"gone","id":1})",
    };
    CHECK(trace.events() == expected);
}

TEST_CASE("a word sent into a chain is taken before the inner generator ends") {
    const Trace trace;
    {
        common::Tracer tracer = trace.tracer();
        TracedGenerator talker(calls_one_more(), tracer);
        CHECK(talker.next().yielded == 1);
        CHECK(talker.send("a").returned == "a!");
    }
    const std::vector<std::string> expected{
        R"({"generator","phase":"new","id":1,"name":"calls_one_more"})",
        R"({"generator","phase":"next","id":1})",
        R"({"generator","phase":"resume","id":1})",
        R"({"coroutine","phase":"call","task":1,"name":"one_more"})",
        (R"({"generator","phase":"yield","id":1,"word":"1",)"
         R"("chain":[{"name":"calls_one_more"},{"name":"one_more"}]})"),
        R"({"generator","phase":"reply","id":1,"how":"yielded","word":"1"})",
        R"({"generator","phase":"send","id":1,"word":"\"a\""})",
        R"({"generator","phase":"resume","id":1})",
        R"({"generator","phase":"take","id":1,"word":"\"a\""})",
        R"({"coroutine","phase":"return","task":1,"name":"one_more"})",
        (R"({"generator","phase":"end","id":1,"how":"returned","word":"\"a!\"",)"
         R"("chain":[{"name":"calls_one_more"}]})"),
        R"({"generator","phase":"reply","id":1,"how":"returned","word":"\"a!\""})",
        R"({"generator","phase":"gone","id":1})",
    };
    CHECK(trace.events() == expected);
}

TEST_CASE("a trace records what a generator throws and what it never takes") {
    const Trace trace;
    const auto error = std::make_exception_ptr(std::runtime_error("no"));
    {
        common::Tracer tracer = trace.tracer();
        TracedGenerator failing(fails(), tracer);
        failing.next();
        CHECK_THROWS_WITH(failing.next(), "oh");
        TracedGenerator fresh(fails(), tracer);
        CHECK_THROWS_AS(fresh.send("too early"), std::logic_error);
        CHECK_THROWS_WITH(fresh.throw_(error), "no");
    }
    const std::vector<std::string> all = trace.events();
    const std::vector<std::string> expected{
        R"({"generator","phase":"next","id":1})",
        R"({"generator","phase":"resume","id":1})",
        (R"({"generator","phase":"end","id":1,"how":"threw","word":"\"oh\"",)"
         R"("chain":[{"name":"fails"}]})"),
        R"({"generator","phase":"reply","id":1,"how":"threw","word":"\"oh\""})",
        R"({"generator","phase":"new","id":2,"name":"fails"})",
        R"({"generator","phase":"send","id":2,"word":"\"too early\""})",
        (R"({"generator","phase":"reply","id":2,"how":"threw","word":"\"the generator has )"
         R"(not begun, so no co_yield waits for a value: call next() first\""})"),
        R"({"generator","phase":"throw","id":2,"word":"\"no\""})",
        R"({"generator","phase":"gone","id":2})",
        R"({"generator","phase":"reply","id":2,"how":"threw","word":"\"no\""})",
        R"({"generator","phase":"gone","id":1})",
    };
    REQUIRE(all.size() == 5 + expected.size());
    CHECK(std::vector(all.end() - static_cast<std::ptrdiff_t>(expected.size()), all.end())
          == expected);
}

TEST_CASE("a traced generator can be moved and needs no tracer") {
    const Trace trace;
    {
        common::Tracer tracer = trace.tracer();
        TracedGenerator first(talk(), tracer);
        TracedGenerator second = std::move(first);
        CHECK(second.next().yielded == 1);
    }
    CHECK(trace.events().size() == 6);
    common::Tracer off;
    TracedGenerator silent(talk(), off);
    CHECK(silent.next().yielded == 1);
    CHECK(silent.send("a").yielded == 2);
    CHECK(silent.send("b").returned == "ab");
}

TEST_CASE("the number of the place is taken from a byte of the frame") {
    const Trace trace;
    {
        common::Tracer tracer = trace.tracer();
        TracedGenerator talker(talk(), tracer, 0); // any byte will do
        talker.next();
    }
    const std::vector<std::string> all = trace.events();
    CHECK(std::regex_match(all.at(0), std::regex(R"re(.*"number":\d+,"name".*)re")));
    CHECK(std::regex_match(all.at(3), std::regex(R"re(.*"number":\d+,"chain".*)re")));
}
