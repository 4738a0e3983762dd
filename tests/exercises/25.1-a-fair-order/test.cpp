#include "exercise.h"
#include "stage3_queue_crawler/runtime/sync/queue.h"
#include "tests/stage3/runtime/loop_test.h"

#include <fmt/ranges.h>

using stage3::Coroutine;
using stage3::Task;
using tests::LoopTest;

namespace {

/// "a1": page 1 of host a.
Page page(const std::string& name) { return {name.substr(0, 1), name.substr(1)}; }

std::string name_of(const Page& page) { return page.host + page.path; }

/// An order, and its pages under short names.
class Pages {
  public:
    void push(const std::vector<std::string>& names) {
        for (const std::string& name : names)
            order_.push({page(name), next_number_++});
    }
    Entry pop() {
        REQUIRE_MESSAGE(order_.size() > 0,
                        "size() says that nothing is left, but something is. Remember to "
                        "count in each function.");
        return order_.pop();
    }
    /// The next pages that leave, such as "a1 b1"; 0 means all.
    std::string next(std::size_t count = 0) {
        std::string text;
        for (std::size_t left = count == 0 ? size() : count; left > 0; --left)
            text += (text.empty() ? "" : " ") + name_of(pop().item);
        return text;
    }
    void unpop(Entry one) { order_.unpop(std::move(one)); }
    /// Gives back a page that was never pushed: see exercise.h.
    void unpop_new(const std::string& name) { unpop({page(name), next_number_++}); }
    bool unpush(std::uint64_t number) { return order_.unpush(number); }
    std::size_t size() const { return order_.size(); }

  private:
    ByHost order_;
    std::uint64_t next_number_ = 0;
};

/// What may be wrong with an order that should be "a1 b1 a2 b2 a3".
std::string advice(const std::string& order) {
    if (order == "a1 a2 a3 b1 b2")
        return "a host that was served goes to the end of the line of hosts.";
    if (order.find("a3") < order.find("a1"))
        return "the pages of one host leave first in, first out.";
    if (order.starts_with("b1 b2"))
        return "how many pages a host has must not matter.";
    return "a host that is new begins at the end of the line of hosts.";
}

Coroutine<> get(LoopTest& test, stage3::Queue<Page, ByHost>& queue) {
    const Page one = co_await queue.get();
    test.note(name_of(one));
    queue.task_done();
}

Coroutine<> put(stage3::Queue<Page, ByHost>& queue, std::string name) {
    Page one = page(name);
    co_await queue.put(std::move(one));
}

std::string joined(const tests::Log& log) {
    return fmt::format("{}", fmt::join(log, " "));
}

} // namespace

TEST_CASE("pages that come in turn leave in turn") {
    Pages pages;
    pages.push({"a1", "b1", "a2", "b2", "a3"});
    CHECK(pages.size() == 5);
    const std::string order = pages.next();
    CHECK_MESSAGE(order == "a1 b1 a2 b2 a3",
                  "they should leave as they came, a1 b1 a2 b2 a3, and not as "
                      << order << ": " << advice(order));
    CHECK(pages.size() == 0);
}

TEST_CASE("two hosts take turns") {
    Pages pages;
    pages.push({"a1", "a2", "a3", "b1", "b2"});
    const std::string order = pages.next();
    CHECK_MESSAGE(
        order == "a1 b1 a2 b2 a3",
        "both hosts wait, so they should take turns: a1 b1 a2 b2 a3. Yours: " << order);
}

TEST_CASE("three hosts take turns in the order in which they came") {
    Pages pages;
    pages.push({"b1", "b2", "a1", "c1", "a2", "c2"});
    const std::string order = pages.next();
    CHECK_MESSAGE(order == "b1 a1 c1 b2 a2 c2",
                  "the hosts are served in the order in which they came, not in that of "
                  "their names. Yours: "
                      << order);
}

TEST_CASE("three pages do not wait for ten thousand of another host") {
    Pages pages;
    for (int i = 0; i < 10'000; ++i)
        pages.push({fmt::format("a{}", i)});
    pages.push({"b1", "b2", "b3"});
    CHECK(pages.next(6) == "a0 b1 a1 b2 a2 b3");
    CHECK(pages.next(3) == "a3 a4 a5");
    CHECK(pages.size() == 9'994);
}

TEST_CASE("a host that comes again is in the line once") {
    Pages pages;
    pages.push({"a1", "b1", "b2", "b3", "b4"});
    CHECK(pages.next(1) == "a1"); // a has none left
    pages.push({"a2"});
    CHECK(pages.next(2) == "b1 a2"); // and again
    pages.push({"a3", "a4", "a5"});
    const std::string order = pages.next();
    CHECK_MESSAGE(
        order == "b2 a3 b3 a4 b4 a5",
        "a came, left and came again, and is served twice in a row, or out of turn: it "
        "is in the line twice. A host without pages must leave the line. Yours: "
            << order);
}

TEST_CASE("a host that comes late begins at the end of the line") {
    Pages pages;
    pages.push({"a1", "a2", "a3", "b1", "b2", "b3"});
    CHECK(pages.next(3) == "a1 b1 a2");
    pages.push({"c1", "c2"});
    const std::string order = pages.next();
    CHECK_MESSAGE(order == "b2 a3 c1 b3 c2",
                  "a new host begins at the end of the line. If it begins elsewhere, it "
                  "jumps the line or waits too long. Yours: "
                      << order << ", where b2 a3 c1 b3 c2 is fair.");
}

TEST_SUITE("unpop") {
    TEST_CASE("unpop makes the page the next one again") {
        Pages pages;
        pages.push({"a1", "a2", "a3"});
        pages.unpop(pages.pop());
        const std::string order = pages.next();
        CHECK_MESSAGE(order == "a1 a2 a3",
                      "a1 was given back, and is now after all the other pages of its "
                      "host. It was the first of them. Yours: "
                          << order);
    }

    TEST_CASE("unpop makes the host the next one again") {
        Pages pages;
        pages.push({"a1", "a2", "a3", "b1", "b2", "c1"});
        pages.unpop(pages.pop());
        CHECK(pages.size() == 6);
        const std::string order = pages.next(3);
        CHECK_MESSAGE(order == "a1 b1 c1",
                      "a had its turn, but its page has come back. So the turn must come "
                      "back, too, and a1 b1 c1 are next. Yours: "
                          << order);
        const std::string rest = pages.next();
        CHECK_MESSAGE(
            rest == "a2 b2 a3",
            "a got its turn back, but has kept its place at the end of the line: now it "
            "has an extra turn. After a1 b1 c1 come a2 b2 a3. Yours: "
                << rest);
    }

    TEST_CASE("unpop brings a host back with its last page") {
        Pages pages;
        pages.push({"a1", "b1", "b2"});
        pages.unpop(pages.pop());
        const std::string order = pages.next();
        CHECK_MESSAGE(order == "a1 b1 b2",
                      "a1 was the last page of its host, so the host has left the line. "
                      "It still comes back to the front of the line. Yours: "
                          << order);
    }

    TEST_CASE("several pages can be given back in reverse order") {
        Pages pages;
        pages.push({"a1", "a2", "b1", "c1", "c2"});
        std::vector<Entry> taken;
        for (int i = 0; i < 4; ++i)
            taken.push_back(pages.pop());
        for (; !taken.empty(); taken.pop_back())
            pages.unpop(taken.back());
        CHECK(pages.next() == "a1 b1 c1 a2 c2");
    }

    TEST_CASE("two pages of one host keep their order when given back") {
        Pages pages;
        pages.push({"a1", "a2", "a3"});
        Entry first = pages.pop();
        Entry second = pages.pop();
        pages.unpop(std::move(first));
        pages.unpop(std::move(second));
        const std::string order = pages.next();
        CHECK_MESSAGE(
            order == "a1 a2 a3",
            "a1 came back, and then a2, which is no reason to serve a2 first: among the "
            "pages of its host, each page goes to where its number says. Yours: "
                << order);
    }

    TEST_CASE("unpop takes a page that was never pushed") {
        Pages pages;
        pages.unpop_new("a1");
        CHECK(pages.next() == "a1");
        pages.push({"b1", "b2"});
        pages.unpop_new("a2");
        const std::string order = pages.next();
        CHECK_MESSAGE(order == "a2 b1 b2",
                      "here a page comes back that was never pushed, and its host is not "
                      "in the line. It's still the next one. Yours: "
                          << order);
    }
}

TEST_CASE("unpush takes a waiting page out") {
    Pages pages;
    pages.push({"a1", "a2", "b1", "c1"});
    CHECK(pages.unpush(2)); // b1
    CHECK(pages.unpush(1)); // a2
    CHECK_FALSE(pages.unpush(1));
    CHECK(pages.next() == "a1 c1");
}

TEST_SUITE("in a queue") {
    TEST_CASE_FIXTURE(LoopTest, "getters are served by host in turn") {
        stage3::Queue<Page, ByHost> queue;
        for (const char* name : {"a1", "a2", "a3", "b1", "b2"})
            queue.put_nowait(page(name));
        std::vector<Task<>> tasks;
        for (int i = 0; i < 6; ++i)
            tasks.push_back(task(get(*this, queue)));
        turns(2);
        queue.put_nowait(page("a4"));
        run(queue.join());
        CHECK(joined(log) == "a1 b1 a2 b2 a3 a4");
    }

    TEST_CASE_FIXTURE(LoopTest, "a page that a cancelled getter gives back is next") {
        stage3::Queue<Page, ByHost> queue;
        Task<> gone = task(get(*this, queue));
        turns(1);
        for (const char* name : {"b1", "a1", "a2", "b2"}) // b1 is handed to the getter
            queue.put_nowait(page(name));
        gone.cancel();
        turns(2);
        CHECK(queue.size() == 4);
        std::vector<Task<>> tasks;
        for (int i = 0; i < 4; ++i)
            tasks.push_back(task(get(*this, queue)));
        run(queue.join());
        CHECK(joined(log) == "b1 a1 b2 a2");
    }

    TEST_CASE_FIXTURE(LoopTest, "putters wait for room") {
        stage3::Queue<Page, ByHost> queue(2);
        std::vector<Task<>> tasks;
        for (const char* name : {"a1", "a2", "a3", "b1"})
            tasks.push_back(task(put(queue, name)));
        turns(1);
        CHECK(queue.full());
        tasks[2].cancel(); // a3 is never put in
        turns(2);
        for (int i = 0; i < 3; ++i)
            tasks.push_back(task(get(*this, queue)));
        run(queue.join());
        CHECK(joined(log) == "a1 a2 b1");
    }
}
