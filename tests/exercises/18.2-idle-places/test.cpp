#include "exercise.h"
#include "tests/stage3/runtime/loop_test.h"

using stage3::Coroutine;
using stage3::EventLoop;
using tests::LoopTest;

namespace {

using Duration = EventLoop::Duration;

constexpr Duration one_letter = 100ms; // in the chart

struct Page {
    Duration time = one_letter;
    std::vector<std::string> links = {};
    bool is_there = true;
};

using Site = std::map<std::string, Page>;

/// A site that exists only here, and the crawl that fetches it. It records what is
/// under way, in the loop's own time.
class Scene : public LoopTest {
  public:
    /// The pages that were met, even if some are missing.
    std::set<std::string> crawl_all(const Site& site, std::size_t limit) {
        site_ = &site;
        lanes_.resize(limit);
        known_ = {"r"};
        begin_ = last_ = loop.time();
        std::set<std::string> met;
        try {
            met =
                run(crawl([this](std::string page) { return fetch(page); }, "r", limit));
        } catch (const std::exception& error) {
            FAIL("the crawl does not end: " << error.what());
        }
        pass();
        return met;
    }

    void check_exact(const std::set<std::string>& met) {
        for (const auto& [name, page] : *site_) {
            CHECK_MESSAGE(asked_[name] >= 1, "page " << name << " was never requested.");
            CHECK_MESSAGE(asked_[name] < 2, "page " << name << " was requested twice.");
            CHECK_MESSAGE(met.contains(name),
                          "page " << name << " is not in the result.");
        }
        CHECK_MESSAGE(most_ <= lanes_.size(),
                      most_ << " were under way at once, which is more than the limit of "
                            << lanes_.size() << ".");
        turns(3);
        CHECK_MESSAGE(all_tasks(loop).empty(),
                      "the crawl has ended, and tasks are left.");
    }

    /// Checks that all places were taken as long as pages waited.
    void check_busy() {
        const auto seconds = [](Duration duration) {
            return std::chrono::duration<double>(duration).count();
        };
        const double taken = seconds(last_ - begin_);
        CHECK_MESSAGE(
            wasted_ == 0s,
            fmt::format("for {:.1f} s, places were free, and pages waited. {} pages in "
                        "{:.1f} s; on average, {:.1f} of {} were under way. ({})\n{}",
                        seconds(wasted_), known_.size(), taken, seconds(at_work_) / taken,
                        lanes_.size(), advice(), drawing()));
    }

  private:
    Coroutine<std::vector<std::string>> fetch(std::string name) {
        const Page& page = site_->at(name);
        begin(name);
        co_await stage3::sleep(page.time);
        end(name, page);
        if (!page.is_there)
            throw std::runtime_error("there is no page " + name);
        co_return page.links;
    }

    void begin(const std::string& name) {
        pass();
        for (const Lane& lane : lanes_)
            overtaken_ |= !lane.page.empty() && lane.since != loop.time();
        ++asked_[name];
        ++begun_;
        most_ = std::max(most_, ++under_way_);
        const auto free = std::ranges::find_if(
            lanes_, [](const Lane& lane) { return lane.page.empty(); });
        Lane& lane = free == lanes_.end() ? lanes_.back() : *free;
        lane.page = name;
        lane.since = loop.time();
    }

    void end(const std::string& name, const Page& page) {
        pass();
        --under_way_;
        if (page.is_there)
            known_.insert(page.links.begin(), page.links.end());
        const auto lane = std::ranges::find(lanes_, name, &Lane::page);
        if (lane != lanes_.end())
            lane->page.clear();
    }

    /// Accounts for the time that has passed since the last call.
    void pass() {
        const Duration passed = loop.time() - std::exchange(last_, loop.time());
        at_work_ += under_way_ * passed;
        const std::size_t idle = lanes_.size() - std::min(lanes_.size(), under_way_);
        const std::size_t waiting = known_.size() - std::min(known_.size(), begun_);
        if (idle > 0 && waiting > 0)
            wasted_ += passed;
        for (Lane& lane : lanes_)
            lane.drawn += std::string(static_cast<std::size_t>(passed / one_letter),
                                      lane.page.empty() ? '.' : lane.page.front());
    }

    /// A hint for a crawl that was idle.
    std::string advice() const {
        if (most_ == 1)
            return "two pages were never under way at once. If there is only one page at "
                   "first, have the other workers gone home?";
        if (overtaken_)
            return "a place is filled while others are at work, but not as soon as it is "
                   "free. Does your crawl wait for the oldest page, which others have "
                   "overtaken?";
        return "whenever pages begin, no other page is under way. What have they waited "
               "for?";
    }

    std::string drawing() const {
        std::string all;
        for (const Lane& lane : lanes_)
            all += "  " + lane.drawn + "\n";
        return all
               + "(each line is a place; a letter is the page that is under way there "
                 "for 0.1 s, and a dot is no page)";
    }

    struct Lane {
        std::string page; // that is under way here
        EventLoop::TimePoint since = {};
        std::string drawn;
    };

    const Site* site_ = nullptr;
    std::vector<Lane> lanes_;
    std::map<std::string, int> asked_;
    std::set<std::string> known_;
    std::size_t begun_ = 0;
    std::size_t under_way_ = 0;
    std::size_t most_ = 0;
    bool overtaken_ =
        false; // a page has begun while another had been under way for a while
    EventLoop::TimePoint begin_, last_;
    Duration at_work_{}; // summed over all places
    Duration wasted_{};
};

} // namespace

TEST_CASE_FIXTURE(Scene, "every page is fetched once") {
    const Site site = {{"r", {.links = {"a", "b", "c", "r"}}},
                       {"a", {.links = {"b", "d", "r"}}},
                       {"b", {.links = {"e", "f", "a"}}},
                       {"c", {.links = {"d", "e"}}},
                       {"d", {.links = {"c"}}},
                       {"e", {.links = {"g"}}},
                       {"f", {}},
                       {"g", {.links = {"r", "g"}}}};
    check_exact(crawl_all(site, 3));
}

TEST_CASE_FIXTURE(Scene, "missing pages do not stop the crawl") {
    const Site site = {{"r", {.links = {"a", "b", "c"}}},
                       {"a", {.is_there = false}},
                       {"b", {.is_there = false}},
                       {"c", {.links = {"d"}}},
                       {"d", {.is_there = false}}};
    check_exact(crawl_all(site, 2));
}

TEST_CASE_FIXTURE(Scene, "no place is idle when some pages are slow") {
    const Site site = {
        {"r", {.links = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"}}},
        {"a", {.time = 200ms}},
        {"b", {.time = 700ms}},
        {"c", {}},
        {"d", {}},
        {"e", {.time = 600ms}},
        {"f", {.time = 100ms}},
        {"g", {.time = 200ms}},
        {"h", {}},
        {"i", {.time = 600ms}},
        {"j", {}},
        {"k", {.time = 200ms}},
        {"l", {.time = 300ms}}};
    const auto met = crawl_all(site, 3);
    check_exact(met);
    check_busy();
}

TEST_CASE_FIXTURE(Scene, "no place is idle when the first page is the slowest") {
    const Site site = {{"r", {.links = {"a", "b", "c", "d", "e", "f", "g"}}},
                       {"a", {.time = 900ms}},
                       {"b", {}},
                       {"c", {}},
                       {"d", {}},
                       {"e", {}},
                       {"f", {}},
                       {"g", {}}};
    const auto met = crawl_all(site, 3);
    check_exact(met);
    check_busy();
}

TEST_CASE_FIXTURE(Scene, "no place is idle when there is little to do at first") {
    const Site site = {{"r", {.time = 300ms, .links = {"a"}}},
                       {"a", {.links = {"b", "c", "d", "e"}}},
                       {"b", {.time = 200ms}},
                       {"c", {.time = 200ms}},
                       {"d", {.time = 200ms}},
                       {"e", {.time = 200ms}}};
    const auto met = crawl_all(site, 4);
    check_exact(met);
    check_busy();
}
