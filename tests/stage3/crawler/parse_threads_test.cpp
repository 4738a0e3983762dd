// Pages are read in other threads, while the crawl's state stays in one.
#include "common/system/socket.h"
#include "common/trace/stack_trace.h"
#include "stage3_queue_crawler/runtime/task/run.h"
#include "tests/stage3/crawler/crawl_under_test.h"

#include <atomic>
#include <filesystem>
#include <iterator>
#include <thread>

#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace stage3;
using tests::Result;
using tests::ScriptedServer;
using tests::Setup;

namespace {

constexpr std::size_t pages = 40;
/// The links on each page: enough to make a thread worth while, even on a quick machine.
constexpr std::size_t links = 1500;

/// Each page links to others and, again and again, to pages that don't exist, to URLs out
/// of scope, and to targets that are no URLs.
struct CrowdedSite {
    CrowdedSite() {
        for (std::size_t i = 0; i < pages; ++i) {
            std::string body;
            for (std::size_t k = 0; k < links; ++k)
                switch (k % 5) {
                case 0:
                    body += fmt::format("<a href='/p/{}'>x</a>", (i * 7 + k / 5) % pages);
                    break;
                case 1:
                    body += fmt::format("<a href='/dead/{}'>x</a>", i * 10 + k % 10);
                    break;
                case 2:
                    body += fmt::format("<a href='http://elsewhere.test/{}'>x</a>", k);
                    break;
                case 3: body += fmt::format("<a href='/not/{}'>x</a>", k); break;
                default:
                    body += "<a href='http://[/'>x</a><p title='&amp;&auml;'>text";
                    break;
                }
            server.on(fmt::format("/p/{}", i),
                      tests::respond(
                          200, i % 2 == 0 ? "text/html" : "text/html; charset=iso-8859-1",
                          body));
        }
    }
    ScriptedServer server;
};

/// The site in its own process, so that its threads don't count as ours, and a tool that
/// watches threads can't mistake a descriptor of one side for one of the other.
class SiteProcess {
  public:
    SiteProcess() {
        std::array<int, 2> port{};
        std::array<int, 2> end{};
        REQUIRE(::pipe(port.data()) == 0);
        REQUIRE(::pipe(end.data()) == 0);
        child_ = ::fork();
        REQUIRE(child_ >= 0);
        if (child_ == 0) {
            ::close(end[1]);
            serve(port[1], end[0]);
        }
        ::close(port[1]);
        ::close(end[0]);
        end_ = common::Socket(end[1]);
        REQUIRE(::read(port[0], &port_, sizeof port_) == sizeof port_);
        ::close(port[0]);
    }
    SiteProcess(const SiteProcess&) = delete;
    SiteProcess& operator=(const SiteProcess&) = delete;
    ~SiteProcess() {
        end_.close();
        ::waitpid(child_, nullptr, 0);
    }

    std::string root() const { return fmt::format("http://127.0.0.1:{}/p/0", port_); }

  private:
    [[noreturn]] static void serve(int port, int end) {
        {
            const CrowdedSite site;
            const std::uint16_t number = site.server.port();
            char byte = 0;
            if (::write(port, &number, sizeof number) == sizeof number)
                static_cast<void>(!::read(end, &byte, 1)); // until the test ends
        }
        ::_exit(0);
    }

    pid_t child_ = 0;
    common::Socket end_;
    std::uint16_t port_ = 0;
};

/// The number of threads of this process.
std::size_t count_threads() {
    const std::filesystem::directory_iterator tasks("/proc/self/task");
    return static_cast<std::size_t>(std::distance(begin(tasks), end(tasks)));
}
/// The same without a thread that has been joined, but that the system still lists.
std::size_t count_without_joined() {
    std::size_t fewest = count_threads();
    for (int i = 0; i < 20; ++i) {
        std::this_thread::sleep_for(1ms);
        fewest = std::min(fewest, count_threads());
    }
    return fewest;
}

std::string describe(const Record& record) {
    return fmt::format("{} {} {} {} {} {} {} {} {} {}", record.url.href(), record.depth,
                       record.parent ? record.parent->href() : "",
                       name_of(record.outcome), record.status, record.error,
                       record.charset, record.bytes, record.links, record.new_links);
}

LoopOptions with_threads(std::size_t number) {
    LoopOptions options;
    options.threads = number;
    return options;
}

/// A crawl in which `threads` threads read pages, or the loop's own if it is 0.
struct Threaded : Setup {
    explicit Threaded(std::size_t threads) {
        settings.reader.in_threads = threads > 0;
        make_loop = [threads] { return with_threads(threads); };
    }
};

struct Crawled {
    Ending ending = Ending::complete;
    std::vector<std::string> records = {}; // with all fields but the time
    std::size_t most_threads = 0;          // that this process ever had
    std::size_t fewest_threads = 1000;     // at any time during the crawl
};

Crawled crawl(const std::string& root, std::size_t threads, std::size_t workers) {
    Crawled result;
    Threaded setup(threads);
    setup.settings.workers = workers;
    setup.excluded.emplace_back("/not/");
    setup.on_record = [&](const Record& record) {
        result.records.push_back(describe(record));
        result.most_threads = std::max(result.most_threads, count_threads());
        result.fewest_threads = std::min(result.fewest_threads, count_threads());
    };
    result.ending = setup.crawl(root).ending;
    return result;
}

} // namespace

TEST_CASE("a crawl that ends doesn't wait until a page is read") {
    ScriptedServer server;
    std::string body;
    for (int i = 0; i < 3000; ++i)
        body += fmt::format("<a href='/{}{}'>", i, std::string(1000, 'a'));
    server.on("/", tests::html(body));
    Threaded setup(1);
    setup.excluded.emplace_back("a.*a.*a.*a.*z"); // takes some ms for each link
    setup.settings.timeout = 200ms;
    const auto start = std::chrono::steady_clock::now();
    // The loop waits for its threads.
    CHECK(setup.crawl(server.url()).ending == Ending::timed_out);
    CHECK(std::chrono::steady_clock::now() - start < 10s);
}

TEST_CASE("the number of threads that read pages doesn't change a crawl") {
    const SiteProcess site;
    const std::string root = site.root();
    const Crawled alone = crawl(root, 0, 1);
    CHECK(alone.ending == Ending::complete);
    // Each page has two dead links, and one that is no URL, which they share.
    CHECK(alone.records.size() == pages + 2 * pages + 1);
    for (const std::size_t threads : {1U, 2U, 3U}) {
        CAPTURE(threads);
        const Crawled one = crawl(root, threads, 1);
        CHECK(one.records == alone.records); // in the same order
        if (threads > 1)                     // a single one is kept for large pages
            CHECK(one.most_threads > alone.fewest_threads); // there was at least one
        const Crawled ten = crawl(root, threads, 10);
        CHECK(ten.ending == Ending::complete);
        CHECK(ten.records.size() == alone.records.size());
        const auto count = [&ten](Outcome outcome) {
            return std::ranges::count_if(ten.records, [&](const std::string& record) {
                return record.find(fmt::format(" {} ", name_of(outcome)))
                       != std::string::npos;
            });
        };
        CHECK(count(Outcome::page) == pages);
        CHECK(count(Outcome::error) == 2 * pages);
    }
}

TEST_CASE("a single thread gets only the pages that would hold up others") {
    const common::Url url = *common::parse_url("http://h/");
    const auto scope =
        std::make_shared<const Scope>(stage3::Reach::host, std::vector(1, url));
    const auto is_sent = [&](std::size_t threads, std::size_t bytes) {
        EventLoop loop(with_threads(threads));
        stage3::PageReader reader(loop, scope, {.in_threads = true});
        const std::size_t before = count_without_joined();
        stage3::run_until_complete<common::Links>(
            loop, reader.read(url, "text/html", std::string(bytes, 'x')));
        return count_threads() > before;
    };
    // Before the first measurement, a byte is expected to take a nanosecond.
    CHECK_FALSE(is_sent(1, 900'000));
    CHECK(is_sent(1, 1'100'000));
    CHECK_FALSE(is_sent(2, 40'000));
    CHECK(is_sent(2, 60'000));
}

TEST_CASE("a crawl may end at any moment, whatever its threads are doing") {
    const SiteProcess site;
    for (int i = 0; i < 20; ++i) {
        Threaded setup(3);
        setup.during = [i](EventLoop& loop, stage3::Task<Ending>& task) {
            loop.call_later(2ms + i * 1ms, [&task] { task.cancel(); });
        };
        // The crawler is gone before the loop, but a thread may still read one of its
        // pages.
        const Result result = setup.crawl(site.root());
        CHECK((result.ending == Ending::interrupted || !result.records.empty()));
    }
}

TEST_CASE("a page that can't be read gets a record, whichever thread was to read it") {
    const SiteProcess site;
    Setup setup;
    setup.settings.reader.in_threads = true;
    setup.excluded.emplace_back("^http://[[]");
    std::atomic<std::size_t> calls = 0;
    setup.helpers.find_links = [&](auto body, auto type, const auto& url,
                                   const auto& limits) {
        if (++calls == 20)
            throw common::TracedError("it can't be read");
        return common::find_links(body, type, url, limits);
    };
    const Result result = setup.crawl(site.root());
    CHECK(result.ending == Ending::complete);
    std::vector<std::string> failed;
    for (const tests::Said& record : result.records)
        if (record.outcome == Outcome::failed)
            failed.push_back(record.error);
    CHECK(failed == std::vector<std::string>{"it can't be read"});
    CHECK(result.records.size() > pages);
}
