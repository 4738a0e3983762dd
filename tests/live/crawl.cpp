#include "tests/live/crawl.h"

#include "stage3_queue_crawler/runtime/loop/at_exit.h"
#include "stage3_queue_crawler/runtime/sync/queue.h"
#include "stage3_queue_crawler/runtime/task/run.h"
#include "stage3_queue_crawler/runtime/task/wait.h"
#include "tests/live/losing_queue.h" // made from queue.h by make_losing_queue.py
#include "tests/support/virtual_time.h"

#include <fmt/core.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <set>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

namespace tests::live {
namespace {

using stage3::Coroutine;
using stage3::Task;

/// A site whose pages, from page 0, lead to all others, a few links on each.
class Site {
  public:
    explicit Site(const Settings& settings) : settings_(settings) {}

    std::vector<int> links_of(int page) const {
        std::vector<int> links;
        for (int i = 1; i <= settings_.links; ++i)
            if (const int link = page * settings_.links + i; link < settings_.pages)
                links.push_back(link);
        return links;
    }

    std::chrono::milliseconds time_for(int page) const {
        const int latency = settings_.latency;
        switch (settings_.answers) {
        case Answers::by_chance: {
            // Fibonacci hashing: the same on each machine, and neighbours differ.
            const std::uint32_t mixed =
                (static_cast<std::uint32_t>(page) * 2654435761U) >> 7U;
            const std::uint32_t more = mixed % (static_cast<std::uint32_t>(latency) + 1);
            return std::chrono::milliseconds(latency / 2 + static_cast<int>(more));
        }
        case Answers::one_slow:
            return std::chrono::milliseconds(page == 2 ? 6 * latency : latency);
        case Answers::alike: break;
        }
        return std::chrono::milliseconds(latency);
    }

  private:
    const Settings& settings_;
};

/// The time of a run, as its trace sees it: each line takes a microsecond. So lines have
/// different times; and somebody can be asked to end at any of them.
class LineByLine {
  public:
    static constexpr std::chrono::microseconds for_a_line{1};

    explicit LineByLine(VirtualTime& time) : time_(time) {}
    LineByLine(const LineByLine&) = delete;
    LineByLine& operator=(const LineByLine&) = delete;
    ~LineByLine() = default;

    /// For a tracer, which asks once when it is made, and then before each line.
    common::Tracer::Clock clock() {
        return [this] {
            if (begun_ && ++lines_ == due_)
                when_due_();
            begun_ = true;
            return time_.now += for_a_line;
        };
    }
    /// Calls `function`, which must not be traced, while this line is written.
    void at(std::size_t line, std::function<void()> function) {
        due_ = line;
        when_due_ = std::move(function);
    }
    /// How many lines there are.
    std::size_t lines() const { return lines_; }

  private:
    VirtualTime& time_;
    bool begun_ = false;
    std::size_t lines_ = 0;
    std::size_t due_ = 0; // never
    std::function<void()> when_due_;
};

template <class Queue>
class Crawl {
  public:
    explicit Crawl(const Settings& settings)
        : settings_(settings), site_(settings),
          queue_(static_cast<std::size_t>(settings.room)) {}

    Coroutine<> run() {
        seen_.insert(0);
        co_await queue_.put(0);
        for (int i = 1; i <= settings_.workers; ++i)
            workers_.push_back(create_task(work(), fmt::format("worker {}", i)));
        co_await queue_.join(); // the whole crawl happens here
        for (Task<>& worker : workers_)
            worker.cancel();
        co_await stage3::wait(workers_);
    }

    /// One of the workers is to end.
    void ask(int worker) {
        const auto index = static_cast<std::size_t>(worker) - 1;
        if (index < workers_.size())
            workers_[index].cancel("you asked for it");
    }

    /// How it stands. The trace and the clock are not its affair.
    Outcome outcome() const {
        return {.found = seen_.size(),
                .fetched = fetched_,
                .lost = queue_.unfinished() - queue_.size() - in_work_};
    }

  private:
    /// A worker has taken an item out. However its work ends, the item is done then.
    class InWork {
      public:
        explicit InWork(Crawl& crawl) : crawl_(crawl) { ++crawl_.in_work_; }
        InWork(const InWork&) = delete;
        InWork& operator=(const InWork&) = delete;
        ~InWork() { // NOLINT(bugprone-exception-escape): it isn't done yet
            --crawl_.in_work_;
            crawl_.queue_.task_done();
        }

      private:
        Crawl& crawl_;
    };

    Coroutine<> work() {
        while (true) {
            const int page = co_await queue_.get();
            const InWork here(*this);
            co_await fetch(page);
            for (const int link : site_.links_of(page))
                if (seen_.insert(link).second)
                    co_await queue_.put(link);
        }
    }

    Coroutine<> fetch(int page) {
        const std::string url = fmt::format("http://site.example/p/{}", page);
        common::Tracer& tracer = stage3::running_loop().tracer();
        const std::uint64_t id = tracer.new_id();
        tracer.fetch_start(id, url);
        common::Tracer::Fetched fetched{.error = "given up"};
        const stage3::AtExit end([&] { tracer.fetch_end(id, url, fetched); });
        co_await stage3::sleep(site_.time_for(page)); // as long as a server would take
        fetched = {.status = 200, .bytes = 4096};
        ++fetched_;
    }

    const Settings& settings_;
    const Site site_;
    Queue queue_;
    std::set<int> seen_;
    std::vector<Task<>> workers_;
    std::size_t fetched_ = 0;
    std::size_t in_work_ = 0;
};

/// Asks as another thread would, or a signal: by a letter, which wakes the loop.
template <class Queue>
void ask_by_letter(Crawl<Queue>& crawl, stage3::Mailbox& mailbox, VirtualTime& time,
                   int worker) {
    if (mailbox.put(
            stage3::write_letter([&crawl, worker] { crawl.ask(worker); }, "request")))
        time.ready = {{.fd = mailbox.fd(), .events = common::Events::read, .data = 0}};
}

template <class Queue>
Outcome crawl_with(const Settings& settings, const std::string& trace_file) {
    VirtualTime time;
    LineByLine lines(time);
    common::Tracer tracer(trace_file, "live", lines.clock());
    stage3::LoopOptions options = time.options();
    options.tracer = &tracer;
    Crawl<Queue> crawl(settings); // the loop's tasks use it until that closes
    stage3::EventLoop loop(std::move(options));
    // A run that hangs ends with tasks that aren't done: that's its outcome, no error.
    loop.set_exception_handler([](const stage3::Report&) {});
    if (settings.ask > 0)
        lines.at(static_cast<std::size_t>(settings.at), [&, mailbox = loop.mailbox()] {
            ask_by_letter(crawl, *mailbox, time, settings.ask);
        });

    const auto begin = time.now;
    bool hangs = false;
    try {
        stage3::run_until_complete(loop, create_task(loop, crawl.run(), "main"));
    } catch (const NothingLeft&) {
        hangs = true;
    }
    // The trace of a run that hangs ends there, and not with tasks that are destroyed.
    std::error_code error = hangs ? tracer.close() : std::error_code();
    Outcome outcome = crawl.outcome(); // while its tasks still have what they hold
    outcome.hangs = hangs;
    outcome.milliseconds =
        static_cast<long>((time.now - begin) / std::chrono::milliseconds(1));
    loop.close();
    if (!hangs)
        error = tracer.close();
    if (error)
        throw std::system_error(error, "the trace");
    outcome.steps = lines.lines();
    return outcome;
}

} // namespace

Outcome crawl(const Settings& settings, const std::string& trace_file) {
    return settings.queue == WhichQueue::losing
               ? crawl_with<stage3::losing::Queue<int>>(settings, trace_file)
               : crawl_with<stage3::Queue<int>>(settings, trace_file);
}

std::string run(std::string_view settings) {
    if (settings == "?")
        return describe_settings() + '\n';
    try {
        const Settings read = read_settings(settings);
        Outcome outcome;
        const std::string trace =
            written_by([&](const std::string& file) { outcome = crawl(read, file); });
        return describe(outcome) + '\n' + trace;
    } catch (const std::exception& error) {
        return fmt::format("{{\"error\":{}}}\n", common::json_string(error.what()));
    }
}

} // namespace tests::live
