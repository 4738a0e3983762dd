#include "exercise.h"
#include "tests/support/prelude.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace {

std::vector<std::string> some_urls(std::size_t count) {
    std::vector<std::string> urls;
    for (std::size_t i = 0; i < count; ++i)
        urls.push_back(fmt::format("/{}", i));
    return urls;
}

/// Counts the fetches that are under way, and makes them wait for each other.
class Meeting {
  public:
    void enter() {
        // Unlike a thread's id, which a later thread may get again, this is never reused.
        static std::atomic<int> last_number = 0;
        thread_local const int number = ++last_number;
        const std::scoped_lock lock(mutex_);
        threads_.insert(number);
        most_ = std::max(most_, ++inside_);
        ++begun_;
        changed_.notify_all();
    }
    void leave() {
        const std::scoped_lock lock(mutex_);
        --inside_;
    }
    /// Waits until that many fetches have begun. False if it takes longer than some
    /// seconds, or took that long once before.
    bool wait_until_begun(std::size_t count) {
        std::unique_lock lock(mutex_);
        if (!hopeless_)
            hopeless_ = !changed_.wait_for(lock, 3s, [&] { return begun_ >= count; });
        return !hopeless_;
    }
    std::size_t most() {
        const std::scoped_lock lock(mutex_);
        return most_;
    }
    /// How many threads there have been, one after the other or at once.
    std::size_t threads() {
        const std::scoped_lock lock(mutex_);
        return threads_.size();
    }

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::set<int> threads_;
    std::size_t inside_ = 0;
    std::size_t most_ = 0;
    std::size_t begun_ = 0;
    bool hopeless_ = false;
};

} // namespace

TEST_CASE("as many fetches run at once as are allowed") {
    Meeting meeting;
    fetch_all(some_urls(12), 4, [&](const std::string& /*url*/) {
        meeting.enter();
        // As many as are allowed meet here, and so does any that is one too many.
        if (meeting.wait_until_begun(4))
            std::this_thread::sleep_for(20ms);
        meeting.leave();
        return std::string();
    });
    const std::size_t most = meeting.most();
    CHECK_MESSAGE(most > 1,
                  "Only 1 fetch was under way at a time, though 4 are allowed.");
    CHECK_MESSAGE((most == 1 || most >= 4),
                  "Only " << most
                          << " fetches were under way at a time, though 4 are "
                             "allowed.");
    CHECK_MESSAGE(most <= 4,
                  most << " fetches were under way at once, though only 4 are allowed: "
                          "a thread for each URL is what this exercise replaces.");
}

TEST_CASE("two threads never take the same URL") {
    Meeting meeting;
    std::mutex mutex;
    std::map<std::string, int> count;
    fetch_all(some_urls(4), 2, [&](const std::string& url) {
        {
            const std::scoped_lock lock(mutex);
            ++count[url];
        }
        meeting.enter();
        meeting.wait_until_begun(2); // so that both have one before either is fetched
        meeting.leave();
        return std::string();
    });
    for (const auto& [url, times] : count)
        CHECK_MESSAGE(times == 1,
                      url << " was fetched " << times
                          << " times: a thread that takes a URL must move the counter "
                             "before another thread can look, not after its fetch.");
    CHECK(count.size() == 4);
}

TEST_CASE("a slow page does not hold up the others") {
    Meeting meeting;
    bool all_begun = false;
    const auto results = fetch_all(some_urls(10), 2, [&](const std::string& url) {
        meeting.enter();
        // The first one waits until all the others have begun.
        if (url == "/0")
            all_begun = meeting.wait_until_begun(10);
        meeting.leave();
        return url;
    });
    CHECK_MESSAGE(all_begun, "One slow page must not hold up the others: a thread that "
                             "has finished one URL should take the next URL right away.");
    const bool in_order = results == some_urls(10);
    CHECK_MESSAGE(in_order, "The slow page came last, but its result must still be "
                            "first: results are in the order of the URLs, not of "
                            "arrival.");
}

TEST_CASE("a thread takes one URL after the other") {
    Meeting meeting;
    fetch_all(some_urls(12), 4, [&](const std::string& /*url*/) {
        meeting.enter();
        meeting.leave();
        return std::string();
    });
    CHECK_MESSAGE(
        meeting.threads() <= 4,
        meeting.threads()
            << " threads were started, though only 4 are allowed: a thread for each URL "
               "is too many, even if only a few of them fetch at a time.");
}

TEST_CASE("each URL is fetched once, and the results are in order") {
    std::mutex mutex;
    std::map<std::string, int> count;
    const auto urls = some_urls(200);
    const auto results = fetch_all(urls, 8, [&](const std::string& url) {
        const std::scoped_lock lock(mutex);
        ++count[url];
        return "page " + url;
    });
    REQUIRE(results.size() == urls.size());
    for (std::size_t i = 0; i < urls.size(); ++i) {
        CHECK(results[i] == "page " + urls[i]);
        CHECK(count[urls[i]] == 1);
    }
}

TEST_CASE("a fetch that throws becomes one failed result") {
    const auto results = fetch_all(some_urls(5), 2, [](const std::string& url) {
        if (url == "/2")
            throw std::runtime_error("connection refused");
        return "page " + url;
    });
    REQUIRE(results.size() == 5);
    CHECK(results[2] == "failed: connection refused");
    CHECK(results[4] == "page /4");
}

TEST_CASE("few URLs, or none, work too") {
    const auto echo = [](const std::string& url) { return url; };
    CHECK(fetch_all({}, 4, echo).empty());
    CHECK(fetch_all({"/a"}, 4, echo) == std::vector<std::string>{"/a"});
}
