#include "exercise.h"
#include "tests/stage3/runtime/loop_test.h"

#include <fmt/ranges.h>

#include <deque>
#include <random>

using stage3::Coroutine;
using stage3::Task;
using tests::LoopTest;

namespace {

/// What becomes of a call.
enum class Fate { fine, call_lost, answer_lost, late };

/// A crawl whose line breaks where the test wants it to. It records what was said.
class Scene : public LoopTest {
  public:
    /// Some processes fetch all these URLs. `fates` are those of the first calls; all
    /// others arrive.
    void crawl_all(const std::vector<std::string>& urls, std::deque<Fate> fates,
                   int processes = 1) {
        server_.queue.assign(urls.begin(), urls.end());
        fates_ = std::move(fates);
        std::vector<Task<>> tasks;
        for (int session = 1; session <= processes; ++session) {
            server_.sessions[session] = {};
            tasks.push_back(task(fetch_all(session)));
        }
        try {
            run(wait_for_all(tasks));
        } catch (const std::exception& error) {
            FAIL("the crawl doesn't continue: " << error.what() << said());
        }
        for (auto& [call, after] : late_) // these come when everything is over
            arrive(call, "very late");
    }

    /// Checks that each URL was fetched once and has one record, and that no process
    /// holds any.
    void check(const std::vector<std::string>& urls) {
        if (has_refused_)
            FAIL("a process was refused although it did nothing wrong. " << why_refused()
                                                                         << said());
        for (const auto& [number, session] : server_.sessions)
            for (const auto& [url, call] : session.held)
                FAIL(url
                     << " is held by a process that is alive but doesn't know about it. "
                     << why_unknown(number, url) << said());
        for (const std::string& url : urls) {
            const auto records = std::ranges::count(server_.records, url);
            if (fetched_[url] > 1)
                FAIL(url << " was fetched " << fetched_[url]
                         << " times, by a process that was already fetching it. It asked "
                            "again for the answer to one call, and was given more than "
                            "that call had brought it."
                         << said());
            if (records > 1)
                FAIL("there are "
                     << records << " records of " << url
                     << ": a call arrived twice, and its results were recorded twice."
                     << said());
            REQUIRE_MESSAGE(records == 1, url << " has no record." << said());
        }
        CHECK_MESSAGE(server_.queue.empty(), "URLs are left in the queue." << said());
    }

  private:
    static Coroutine<> wait_for_all(std::vector<Task<>> tasks) {
        for (const Task<>& one : tasks)
            co_await one;
    }

    /// A process: it has two URLs at most, fetches one of them, and reports it as done
    /// when it asks for the next.
    Coroutine<> fetch_all(int session) {
        Process process([this](Call call) { return bring(std::move(call)); }, session);
        std::deque<std::string> mine;
        std::vector<std::string> done;
        while (true) {
            const Answer answer = co_await process.ask(2 - mine.size(), done);
            if (answer.is_refused) {
                has_refused_ = true;
                co_return;
            }
            mine.insert(mine.end(), answer.urls.begin(), answer.urls.end());
            done.clear();
            if (mine.empty())
                co_return;
            co_await stage3::sleep(100ms);
            ++fetched_[mine.front()];
            done.push_back(mine.front());
            mine.pop_front();
        }
    }

    /// The line.
    Coroutine<Answer> bring(Call call) {
        const Fate fate = fates_.empty() ? Fate::fine : fates_.front();
        if (!fates_.empty())
            fates_.pop_front();
        if (++attempts_ > most_attempts)
            throw std::runtime_error("so many calls are not needed for so few URLs");
        co_await stage3::sleep(10ms);
        Answer answer;
        if (fate == Fate::call_lost)
            say(call, "the call is lost", {});
        else if (fate == Fate::late)
            late_.emplace_back(call, 2);
        else
            answer = arrive(call, fate == Fate::answer_lost ? "the answer is lost" : "");
        co_await stage3::sleep(10ms);
        if (fate != Fate::fine)
            throw ConnectionLost();
        let_late_ones_in();
        co_return answer;
    }

    /// A call that was given up, but was still on its way, arrives after later ones.
    void let_late_ones_in() {
        for (auto& [call, after] : late_)
            if (--after == 0) {
                heard_late_ = true;
                arrive(call, "it comes late, and nothing waits for the answer");
            }
        std::erase_if(late_, [](const auto& one) { return one.second == 0; });
    }

    Answer arrive(const Call& call, const std::string& what) {
        const std::size_t before = server_.queue.size();
        Answer answer = server_.step(call);
        const bool took = server_.queue.size() < before;
        takers_[call.session][call.number] += took ? 1 : 0;
        ++heard_[call.session][call.number];
        took_late_ |= took && heard_late_;
        heard_late_ = false;
        say(call, what, answer);
        return answer;
    }

    std::string why_refused() const {
        for (const auto& [number, session] : server_.sessions)
            if (session.last == 0 && heard_.contains(number))
                return fmt::format("Calls of session {} have arrived, and its `last` is "
                                   "still 0: their numbers were not noted. What will the "
                                   "server compare the next one with?",
                                   number);
        return "Had its call arrived before, and only the answer was lost?";
    }

    /// How it can be that a process doesn't know what it holds.
    std::string why_unknown(int session, const std::string& url) {
        if (took_late_)
            return "A call that was given up came late, when the next one had been "
                   "answered, but it took URLs out although nothing waits for them.";
        for (const auto& [number, times] : takers_[session])
            if (times > 1)
                return fmt::format(
                    "The call with number {} came twice, and twice it took URLs out.",
                    number);
        for (const auto& [number, times] : heard_[session])
            if (times > 1)
                return "It asked again, under the same number, but was not told what it "
                       "had been given.";
        if (server_.sessions[session].last > 0)
            return "The server looks at the numbers. But the call was repeated under "
                   "another number, so how can it know?";
        return fmt::format("Its session continues, so no lease will ever end: no process "
                           "will ever fetch {}.",
                           url);
    }

    void say(const Call& call, const std::string& what, const Answer& answer) {
        std::string line =
            fmt::format("session {}, number {}: wants {}{}", call.session, call.number,
                        call.want, call.done.empty() ? "" : ", is done with ");
        line += fmt::format("{}. -> {}", fmt::join(call.done, ", "),
                            answer.is_refused
                                ? "refused"
                                : fmt::format("{}", fmt::join(answer.urls, ", ")));
        said_.push_back(what.empty() ? line : line + " (" + what + ")");
    }

    std::string said() const {
        const std::size_t most = 8;
        const auto begin =
            said_.size() > most ? said_.end() - static_cast<long>(most) : said_.begin();
        return fmt::format("\nWhat was said{}:\n  {}",
                           begin == said_.begin() ? "" : " last",
                           fmt::join(begin, said_.end(), "\n  "));
    }

    static constexpr int most_attempts = 2000;

    Server server_;
    std::deque<Fate> fates_;
    std::deque<std::pair<Call, int>> late_; // and after how many answers they arrive
    std::map<std::string, int> fetched_;
    std::map<int, std::map<int, int>> heard_;  // session, number -> how many calls came
    std::map<int, std::map<int, int>> takers_; // ... and how many of them took URLs out
    int attempts_ = 0;
    bool heard_late_ = false, took_late_ = false, has_refused_ = false;
    std::vector<std::string> said_;
};

const std::vector<std::string> six = {"a", "b", "c", "d", "e", "f"};

} // namespace

TEST_CASE_FIXTURE(Scene, "a crawl over a perfect line fetches each URL once") {
    crawl_all(six, {});
    check(six);
}

TEST_CASE_FIXTURE(Scene, "a crawl survives the loss of an answer") {
    crawl_all(six, {Fate::fine, Fate::answer_lost});
    check(six);
}

TEST_CASE_FIXTURE(Scene, "a crawl survives the loss of a call") {
    crawl_all(six, {Fate::fine, Fate::call_lost});
    check(six);
}

TEST_CASE_FIXTURE(Scene, "a crawl survives the loss of its first answers") {
    using enum Fate;
    crawl_all(six, {answer_lost, call_lost, answer_lost, fine, call_lost, answer_lost,
                    answer_lost, fine});
    check(six);
}

TEST_CASE_FIXTURE(Scene, "a crawl survives a call that comes late") {
    crawl_all(six, {Fate::fine, Fate::late});
    check(six);
}

TEST_CASE("a call is refused if the one before it is missing") {
    Server server;
    server.queue = {"a", "b"};
    server.sessions[1] = {};
    server.step({.session = 1, .number = 1, .want = 1});
    const Answer answer =
        server.step({.session = 1, .number = 3, .want = 1, .done = {"a"}});
    CHECK_MESSAGE(answer.is_refused,
                  "after call 1 came call 3. Whatever has become of 2, what the process "
                  "believes and what the server knows no longer agree.");
    CHECK(server.queue.size() == 1);
    CHECK(server.records.empty());
}

TEST_CASE("a session that was given up is refused") {
    Server server;
    server.queue = {"a"};
    const Answer answer =
        server.step({.session = 7, .number = 1, .want = 1, .done = {"b"}});
    CHECK(answer.is_refused);
    CHECK(server.queue.size() == 1);
    CHECK(server.records.empty());
}

TEST_CASE("three processes survive a bad line") {
    std::mt19937 random(19);
    std::vector<std::string> urls;
    for (int i = 1; i <= 20; ++i)
        urls.push_back(fmt::format("/{}", i));
    for (int crawl = 0; crawl < 200; ++crawl) {
        std::deque<Fate> fates;
        for (int i = 0; i < 60; ++i) {
            const auto dice = random() % 8;
            fates.push_back(dice < 2   ? Fate::call_lost
                            : dice < 4 ? Fate::answer_lost
                            : dice < 5 ? Fate::late
                                       : Fate::fine);
        }
        Scene scene;
        scene.crawl_all(urls, fates, 3);
        scene.check(urls);
    }
}
