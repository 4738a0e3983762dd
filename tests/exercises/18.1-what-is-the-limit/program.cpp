// Crawls without a network, on a simulated clock: whatever takes time is a sleep, and the
// clock jumps while everything sleeps. There is nothing to edit here.
#include "questions.h"
#include "stage3_queue_crawler/runtime/task/task_group.h"
#include "tests/stage3/runtime/loop_test.h"

#include <cmath>

using stage3::Coroutine;
using stage3::EventLoop;
using stage3::TaskGroup;
using Duration = EventLoop::Duration;

namespace {

// What a page costs, and how much there is of each thing.
struct Setup {
    std::size_t workers = 1;
    Duration answer{};    // from the request to the answer, if no other is served
    Duration computing{}; // in the loop's thread, without reading
    Duration reading{};   // in a parse thread; in the loop's, if there is none
    std::size_t threads = 0;
    double kilobytes = 0; // of a page
    double line = 1e6;    // kilobytes per second; a gigabyte unless set
};

constexpr Setup near = {.answer = 5ms, .computing = 5ms};

constexpr Setup far = {.workers = 10, .answer = 50ms, .computing = 100us};

constexpr Setup many = {.workers = 1000, .answer = 50ms, .computing = 200us};

constexpr Setup narrow = {
    .workers = 100, .answer = 20ms, .computing = 200us, .kilobytes = 100, .line = 10'000};

constexpr Setup reading = {
    .workers = 1000, .answer = 10ms, .computing = 100us, .reading = 500us, .threads = 2};

/// Something of which there is a limited number. A task that comes while all are in use
/// waits in line.
class Resource {
  public:
    Resource(EventLoop& loop, std::size_t number)
        : loop_(loop), free_at_(number, loop.time()) {}

    Coroutine<> use(Duration time) {
        if (time == 0s)
            co_return;
        auto& first = *std::ranges::min_element(free_at_);
        first = std::max(first, loop_.time()) + time;
        co_await stage3::sleep(first - loop_.time());
    }

  private:
    EventLoop& loop_;
    std::vector<EventLoop::TimePoint> free_at_;
};

/// What the workers share, and their results.
struct Crawl {
    Crawl(EventLoop& event_loop, const Setup& with)
        : loop(event_loop), setup(with), line(loop, 1), loop_thread(loop, 1),
          threads(loop, std::max<std::size_t>(setup.threads, 1)) {}

    EventLoop& loop;
    Setup setup;
    Resource line, loop_thread, threads;
    int pages = 0;
    Duration on_pages{}; // summed over all workers
};

Duration time_on_line(const Setup& setup) {
    return std::chrono::duration_cast<Duration>(
        std::chrono::duration<double>(setup.kilobytes / setup.line));
}

/// There are always pages left.
Coroutine<> work(Crawl& crawl) {
    const Setup& setup = crawl.setup;
    const bool reads_itself = setup.threads == 0;
    while (true) {
        const auto begin = crawl.loop.time();
        co_await stage3::sleep(setup.answer);
        co_await crawl.line.use(time_on_line(setup));
        co_await crawl.loop_thread.use(setup.computing
                                       + (reads_itself ? setup.reading : 0s));
        if (!reads_itself)
            co_await crawl.threads.use(setup.reading);
        ++crawl.pages;
        crawl.on_pages += crawl.loop.time() - begin;
    }
}

struct Result {
    int limit = 0;
    double pages = 0;        // per second
    double milliseconds = 0; // per page
};

/// The numbers of two seconds, after one second in which the workers get going.
Coroutine<> measure(TaskGroup& group, Crawl& crawl, Duration& taken) {
    for (std::size_t i = 0; i < crawl.setup.workers; ++i)
        group.start(work(crawl));
    co_await stage3::sleep(1s);
    crawl.pages = 0;
    crawl.on_pages = 0s;
    const auto begin = crawl.loop.time();
    co_await stage3::sleep(2s);
    taken = crawl.loop.time() - begin;
    group.cancel();
}

/// Which of the things is busy all the time, at this many pages per second? If none is,
/// more workers would bring more pages.
int limit_of(const Setup& setup, double pages) {
    const auto seconds = [](Duration time) {
        return std::chrono::duration<double>(time).count();
    };
    const bool reads_itself = setup.threads == 0;
    const double always = 0.97;
    if (pages * seconds(time_on_line(setup)) > always)
        return line;
    if (pages * seconds(setup.computing + (reads_itself ? setup.reading : 0s)) > always)
        return loop_thread;
    if (!reads_itself
        && pages * seconds(setup.reading) > always * static_cast<double>(setup.threads))
        return parse_threads;
    return workers;
}

Coroutine<Result> crawl_with(Setup setup) {
    Crawl crawl(stage3::running_loop(), setup);
    TaskGroup group;
    Duration taken{};
    co_await group.run(measure(group, crawl, taken));
    Result result;
    result.pages = crawl.pages / std::chrono::duration<double>(taken).count();
    result.limit = limit_of(setup, result.pages);
    result.milliseconds =
        std::chrono::duration<double, std::milli>(crawl.on_pages).count() / crawl.pages;
    co_return result;
}

Result crawl(const Setup& setup) {
    tests::VirtualTime time;
    return stage3::run(crawl_with(setup), time.options());
}

Setup with_workers(Setup setup, std::size_t number) {
    setup.workers = number;
    return setup;
}

Setup with_threads(Setup setup, std::size_t number) {
    setup.threads = number;
    return setup;
}

/// Rounds to the first digit.
int rounded(double number) {
    const double unit = std::pow(10, std::floor(std::log10(number)));
    return static_cast<int>(std::round(number / unit) * unit);
}

} // namespace

Answers run_program() {
    Answers answers;
    answers.near_pages = rounded(crawl(near).pages);
    answers.near_with_four = rounded(crawl(with_workers(near, 4)).pages);

    const Result far_away = crawl(far);
    answers.far_limit = far_away.limit;
    answers.far_pages = rounded(far_away.pages);
    answers.far_with_hundred = rounded(crawl(with_workers(far, 100)).pages);

    const Result with_many = crawl(many);
    answers.many_limit = with_many.limit;
    answers.many_pages = rounded(with_many.pages);
    answers.many_time = rounded(with_many.milliseconds);
    answers.many_time_twice = rounded(crawl(with_workers(many, 2000)).milliseconds);

    const Result on_narrow_line = crawl(narrow);
    answers.narrow_limit = on_narrow_line.limit;
    answers.narrow_pages = rounded(on_narrow_line.pages);

    const Result with_two = crawl(reading);
    const Result with_eight = crawl(with_threads(reading, 8));
    answers.reading_limit = with_two.limit;
    answers.reading_pages = rounded(with_two.pages);
    answers.reading_with_eight = rounded(with_eight.pages);
    answers.eight_limit = with_eight.limit;
    return answers;
}
