#include "exercise.h"
#include "stage3_queue_crawler/runtime/task/run.h"
#include "tests/support/prelude.h"

#include <atomic>
#include <condition_variable>
#include <list>
#include <mutex>
#include <source_location>
#include <thread>

#include <unistd.h>

using stage3::Cancelled;
using stage3::Coroutine;
using stage3::EventLoop;
using stage3::Task;

namespace {

using Duration = EventLoop::Duration;

// Nothing waits as long as this unless something is wrong. So a program that waits for
// the wrong thing gets a message and doesn't hang.
constexpr Duration patience = 3s;
constexpr Duration long_enough = patience + 1s;
constexpr Duration long_limit = 1h;

[[noreturn]] void stay_here() {
    while (true)
        std::this_thread::sleep_for(1h);
}

/// A server that finds addresses, and is silent until the test lets it speak. If that
/// takes too long, it gives up. It's shared with the threads that ask it, which may
/// outlive the test.
class Server {
  public:
    /// Answers the threads that ask, after a while.
    void speak(Duration after = 0s) {
        change([&] {
            speaks_ = true;
            after_ = after;
        });
    }
    void find_nothing() {
        change([&] { finds_nothing_ = true; });
    }

    /// Runs in the threads.
    std::string look_up(const std::string& host) {
        std::unique_lock lock(mutex_);
        asked_ = true;
        changed_.notify_all();
        if (!changed_.wait_for(lock, patience, [this] { return speaks_; }))
            gave_up_ = true;
        const bool finds_nothing = finds_nothing_;
        const Duration after = after_;
        lock.unlock();
        std::this_thread::sleep_for(after);
        if (finds_nothing)
            throw std::runtime_error("no address for " + host);
        return "10.0.0.1";
    }
    void is_destroyed_inside() {
        change([&] { destroyed_inside_ = true; });
    }
    void thread_ends() {
        change([&] { thread_ended_ = true; });
    }

    /// These wait, and return false if that was in vain.
    bool wait_until_asked() { return wait_for(asked_); }
    bool wait_until_thread_ends() { return wait_for(thread_ended_); }

    bool gave_up() { return get(gave_up_); }
    bool destroyed_inside() { return get(destroyed_inside_); }

  private:
    template <class Function>
    void change(Function function) {
        const std::lock_guard lock(mutex_);
        function();
        changed_.notify_all();
    }
    bool wait_for(const bool& what) {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, patience, [&] { return what; });
    }
    bool get(const bool& what) {
        const std::lock_guard lock(mutex_);
        return what;
    }

    std::mutex mutex_; // guards what follows
    std::condition_variable changed_;
    bool speaks_ = false;
    bool finds_nothing_ = false;
    Duration after_{};
    bool asked_ = false;
    bool gave_up_ = false;
    bool destroyed_inside_ = false;
    bool thread_ended_ = false;
};

/// The function that find_address gets. It notices if it's destroyed while a thread
/// runs it.
class AskServer {
  public:
    explicit AskServer(std::shared_ptr<Server> server) : server_(std::move(server)) {}
    AskServer(const AskServer& other) : server_(other.server_) {}
    AskServer& operator=(const AskServer&) = delete;
    ~AskServer() {
        if (state_->inside) {
            state_->destroyed = true;
            server_->is_destroyed_inside();
        }
    }

    std::string operator()(const std::string& host) const {
        // It dies after everything that the thread owns.
        struct Farewell {
            std::shared_ptr<Server> server;
            ~Farewell() { server->thread_ends(); }
        };
        thread_local const Farewell farewell{server_};
        const auto state = state_;
        const auto server = server_;
        state->inside = true;
        struct Leave {
            State& state;
            ~Leave() {
                if (state.destroyed)
                    stay_here(); // there is nothing left to return to
                state.inside = false;
            }
        };
        const Leave leave{*state};
        return server->look_up(host);
    }

  private:
    struct State {
        std::atomic<bool> inside = false;
        std::atomic<bool> destroyed = false;
    };

    std::shared_ptr<Server> server_;
    std::shared_ptr<State> state_ = std::make_shared<State>();
};

/// A place for a loop. When the loop is gone, another one gets its memory, and nothing is
/// sent to that one, unless something still takes it for the first.
class Place {
  public:
    EventLoop& loop() { return *loop_; }
    void end_loop() { loop_.emplace(); }
    bool is_empty() const { return !loop_->has_ready(); }

  private:
    std::optional<EventLoop> loop_{std::in_place};
};

std::list<Place>& places() {
    static auto* all = new std::list<Place>; // never freed, because threads may live long
    return *all;
}

std::atomic<bool> thread_has_thrown = false;

/// Notes that an exception has left a thread, which otherwise ends the program.
void watch_threads() {
    static const std::thread::id first = std::this_thread::get_id();
    std::set_terminate([] {
        if (std::this_thread::get_id() == first)
            std::abort();
        thread_has_thrown = true;
        stay_here();
    });
}

int lowest_free_descriptor() {
    const int number = ::dup(STDERR_FILENO);
    ::close(number);
    return number;
}

bool spoilt = false;

/// What is wrong in one test case may still affect the next. So the first failure ends
/// the tests.
void require(bool fine, const std::string& words,
             std::source_location at = std::source_location::current()) {
    if (fine)
        return;
    spoilt = true;
    ADD_FAIL_AT(at.file_name(), static_cast<int>(at.line()), words);
}

class Scene {
  public:
    Scene() : place_(places().emplace_back()) {
        watch_threads();
        loop().set_exception_handler([this](const stage3::Report& report) {
            if (report.exception)
                reported_ = true;
        });
        REQUIRE_MESSAGE(!spoilt, "Not tried: first mend what is wrong above.");
    }
    Scene(const Scene&) = delete;
    Scene& operator=(const Scene&) = delete;
    ~Scene() { end_loop(); }

    EventLoop& loop() { return place_.loop(); }
    void end_loop() {
        if (!std::exchange(ended_, true))
            place_.end_loop();
    }
    bool loop_is_remembered() const { return !place_.is_empty(); }
    bool reported() const { return reported_; }

    Task<std::string> find(Duration limit) {
        return create_task(loop(),
                           find_address(AskServer(server), "www.example.com", limit));
    }
    /// The address, or what was thrown, in words.
    std::string outcome_of(const Task<std::string>& task) {
        const stage3::CancelAtExit alarm(
            loop().call_later(long_enough, [this] { loop().stop(); }));
        try {
            return stage3::run_until_complete<std::string>(loop(), task);
        } catch (const stage3::LoopStopped&) {
            return "nothing";
        } catch (const Cancelled&) {
            return "Cancelled";
        } catch (const stage3::Timeout&) {
            return "Timeout";
        } catch (const std::exception& error) {
            return error.what();
        }
    }
    void turns(int count) {
        for (int i = 0; i < count; ++i) {
            loop().stop();
            loop().run_forever();
        }
    }
    /// Lets the task run until its thread asks the server, which is silent.
    void begin() {
        turns(5);
        require(server->wait_until_asked(), "nothing has called look_up.");
    }

    /// Checks that it has ended while the server is still silent.
    void check_nobody_waits(const std::string& what_came) {
        require(!server->gave_up(),
                what_came
                    + " came only when the lookup had ended: something has waited for "
                      "the lookup, and in the meantime the whole loop stood still. "
                      "Which destructor was it?");
        check_look_up_lives();
    }
    void check_look_up_lives() {
        require(
            !server->destroyed_inside(),
            "look_up was destroyed, with the frame that contains it, while the thread "
            "was running it. What does the thread own, and what does it refer to?");
    }

    std::shared_ptr<Server> server = std::make_shared<Server>();

  private:
    Place& place_;
    bool ended_ = false;
    bool reported_ = false;
};

/// Another task: unless it gets its turn, the server remains silent.
Coroutine<> let_speak(std::shared_ptr<Server> server) {
    co_await stage3::sleep(20ms);
    server->speak(200ms); // the loop sleeps again by then
}

void check_in_time(Scene& scene, const std::string& expected) {
    const Task<> other = create_task(scene.loop(), let_speak(scene.server));
    const auto begin = scene.loop().time();
    const Task<std::string> task = scene.find(long_limit);
    const std::string outcome = scene.outcome_of(task);
    require(!thread_has_thrown,
            "look_up has thrown, in a thread, and nothing has caught it there: that ends "
            "the program (std::terminate), whatever waits elsewhere.");
    require(!scene.server->gave_up(), "while find_address waited, no other task had a "
                                      "turn: the whole loop stood still.");
    const bool alarmed = scene.loop().time() - begin >= long_enough;
    require(!alarmed, "the lookup has ended, but the loop is still asleep. Nothing has "
                      "woken it, or nothing has handed it the result.");
    CHECK(outcome == expected);
}

} // namespace

TEST_CASE_FIXTURE(Scene, "an address that comes in time is returned") {
    check_in_time(*this, "10.0.0.1");
}

TEST_CASE_FIXTURE(Scene, "a lookup that fails throws its error") {
    server->find_nothing();
    check_in_time(*this, "no address for www.example.com");
}

TEST_CASE_FIXTURE(Scene, "Timeout is thrown when the time is up") {
    const std::string outcome = outcome_of(find(100ms));
    CHECK(outcome == "Timeout");
    check_nobody_waits("Timeout");
    turns(5);
    CHECK_MESSAGE(all_tasks(loop()).empty(),
                  "find_address has ended, and left a task behind.");
    CHECK_MESSAGE(loop().watched() == 0,
                  "find_address has ended, but the loop still watches a descriptor for "
                  "it: something must end that watch.");
}

TEST_CASE_FIXTURE(Scene, "closing the loop does not wait for the lookup") {
    {
        const Task<std::string> task = find(long_limit);
        begin();
    }
    end_loop();
    require(!server->gave_up(),
            "closing the loop took until the lookup ended. An executor waits for its "
            "threads, so if you press Ctrl-C, you wait, too.");
    check_look_up_lives();
    server->speak();
    require(server->wait_until_thread_ends(),
            "look_up has ended, but its thread has not.");
    require(!thread_has_thrown,
            "the thread found the loop closed, and an exception left it.");
    require(!loop_is_remembered(),
            "the loop was gone, but the thread has handed its answer to the loop, that "
            "is, to memory that something else may be using by now. Hand it to a place "
            "that the thread owns, too.");
}

TEST_CASE_FIXTURE(Scene, "an answer that comes too late is dropped") {
    const int before = lowest_free_descriptor();
    const std::string outcome = outcome_of(find(50ms));
    CHECK(outcome == "Timeout");
    server->speak();
    require(server->wait_until_thread_ends(),
            "look_up has ended, but its thread has not.");
    turns(5);
    CHECK_MESSAGE(!reported(), "the answer came too late, and the loop has reported an "
                               "error: the answer should be dropped silently.");
    CHECK_MESSAGE(lowest_free_descriptor() == before,
                  "the thread and the coroutine are gone, but a descriptor is still "
                  "open. If both own it, the last of them closes it.");
}

TEST_CASE_FIXTURE(Scene, "a cancelled find_address does not wait for the lookup") {
    Task<std::string> task = find(long_limit);
    begin();
    task.cancel();
    CHECK(outcome_of(task) == "Cancelled");
    check_nobody_waits("Cancelled");
}

TEST_CASE_FIXTURE(Scene, "the loop sleeps during the lookup") {
    const auto before = loop().turns();
    const std::string outcome = outcome_of(find(300ms));
    CHECK(outcome == "Timeout");
    const auto made = loop().turns() - before;
    CHECK_MESSAGE(
        made < 20,
        "in 300 ms in which nothing happened, the loop made "
            << made << " turns. Don't ask whether the answer is there: let it wake you.");
}
