// What the runtime writes down: the same words as stages 1 and 2, and queues besides.
#include "stage3_queue_crawler/runtime/sync/queue.h"
#include "tests/stage3/runtime/loop_test.h"

#include <doctest/doctest.h>

#include <cstdio>
#include <fstream>
#include <memory>
#include <regex>
#include <string>
#include <vector>

#include <unistd.h>

using namespace std::chrono_literals;
using stage3::Coroutine;
using stage3::Future;
using stage3::Queue;

namespace {

/// A file that is gone at the end of the test.
class TemporaryFile {
  public:
    TemporaryFile() {
        const int fd = ::mkstemp(path_.data());
        REQUIRE(fd >= 0);
        ::close(fd);
    }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    ~TemporaryFile() { std::remove(path_.c_str()); }
    const std::string& path() const { return path_; }

  private:
    std::string path_ = "/tmp/trace_test_XXXXXX";
};

/// The events in `path`, each as "event phase", and more where it has more to tell.
std::vector<std::string> events_in(const std::string& path) {
    std::vector<std::string> events;
    std::ifstream in(path);
    const auto field = [](const std::string& line, const std::string& name) {
        std::smatch found;
        const bool there =
            std::regex_search(line, found, std::regex('"' + name + "\":\"?([^\",}<]*)"));
        return there ? " " + found[1].str() : "";
    };
    for (std::string line; std::getline(in, line);) {
        std::string event = field(line, "event").substr(1);
        for (const char* name :
             {"phase", "name", "outcome", "awaiting", "waiters", "size", "getters"})
            event += field(line, name);
        events.push_back(event);
    }
    return events;
}

Coroutine<int> inner(Future<int> future) {
    const int value = co_await future;
    co_return value;
}

Coroutine<> outer(Future<int> future, Queue<int>& queue) {
    const int value = co_await inner(future);
    queue.put_nowait(value);
    co_await queue.get();
}

} // namespace

TEST_CASE("what happens is written down in its order") {
    const TemporaryFile file;
    {
        common::Tracer tracer(file.path(), "test");
        tests::VirtualTime time;
        stage3::LoopOptions options = time.options();
        options.tracer = &tracer;
        stage3::EventLoop loop(std::move(options));
        Queue<int> queue;
        const Future<int> future(loop);
        auto task = create_task(loop, outer(future, queue));
        loop.call_later(1s, [&] { future.set_result(7); });
        stage3::run_until_complete<void>(loop, task);
        auto cancelled = create_task(loop, inner(Future<int>(loop)));
        loop.call_soon([&] { cancelled.cancel(); });
        for (int i = 0; i < 2; ++i) {
            loop.stop();
            loop.run_forever();
        }
    }
    const std::vector<std::string> expected = {
        "trace",
        "watch add mailbox",
        "future new",
        "task new outer",
        "select",
        "task step",
        "coroutine call inner",
        "task suspend outer 1", // waits for the future, in `inner`
        "select",
        "awake",
        "callback begin timer",
        "future resolve 1", // one waits
        "callback end timer",
        "select",
        "task step",
        "coroutine return inner",
        "queue put 1 0",
        "coroutine call stage3::Queue", // get
        "queue get 0 0",
        "coroutine return stage3::Queue",
        "future resolve 1", // the task is one, and run_until_complete waits for it
        "task done returned",
        "select",
        "callback begin done_callback",
        "callback end done_callback",
        "callback begin done",
        "callback end done",
        "future new",
        "task new inner",
        "select",
        "task step",
        "task suspend inner 3",
        "callback begin call_soon",
        "task cancel",
        "future cancel 1",
        "callback end call_soon",
        "select",
        "task step",
        "future cancel 0",
        "task done cancelled",
        "watch remove", // the mailbox
        "end",
    };
    const auto events = events_in(file.path());
    REQUIRE(events.size() == expected.size());
    for (std::size_t i = 0; i < events.size(); ++i)
        CHECK(events[i] == expected[i]);
}
