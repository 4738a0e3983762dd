// How a crawl finds the pace that a server puts up with.
//
//     pace_tour [RATE [WORKERS]]
//
// The server answers RATE requests a second (5), and says 429 and "Retry-After: 1" to
// more. WORKERS workers (20) crawl its sixty-one pages. Each line is a second: a dot is
// an answer, an "x" a refusal. There are no sockets, and no second really passes. Page 25
// of the book.
#include "stage3_queue_crawler/crawler/crawler.h"
#include "stage3_queue_crawler/runtime/task/run.h"
#include "tests/support/box/http.h"
#include "tests/support/box/scripted_web.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <string>
#include <vector>

using namespace std::chrono_literals;
using tests::box::Reply;
using tests::box::Request;

namespace {

constexpr int pages = 61;

/// Lets so many requests a second through, and saves up for one second of silence.
class LimitedWeb final : public tests::box::Web {
  public:
    explicit LimitedWeb(double rate) : rate_(rate), saved_(rate) {}

    Reply answer(const Request& request) override {
        const std::chrono::duration<double> since = request.begin - last_;
        last_ = request.begin;
        saved_ = std::min(rate_, saved_ + since.count() * rate_);
        if (saved_ < 1)
            return tests::box::respond(429, "text/plain", "", {"Retry-After: 1"});
        --saved_;
        return tests::box::page(request.url.ends_with("/") ? links() : Links());
    }

  private:
    using Links = std::vector<std::string>;

    static Links links() {
        Links all;
        for (int i = 1; i < pages; ++i)
            all.push_back(fmt::format("/{}", i));
        return all;
    }

    double rate_;
    double saved_;
    tests::box::Time last_{};
};

void draw(const tests::box::Web& web) {
    std::vector<std::string> seconds;
    for (const Request& request : web.requests()) {
        const auto second = static_cast<std::size_t>(request.begin / 1s);
        seconds.resize(std::max(seconds.size(), second + 1));
        seconds[second] += request.reply.status == 429 ? 'x' : '.';
    }
    for (std::size_t i = 0; i < seconds.size(); ++i)
        fmt::print("{:4} s  {}\n", i, seconds[i]);
}

void crawl(double rate, std::size_t workers) {
    LimitedWeb web(rate);
    stage3::EventLoop loop(web.time().options(1));
    stage3::CrawlSettings settings;
    settings.workers = workers;
    settings.robots.obey = false;
    stage3::CrawlHelpers helpers;
    helpers.open_http = tests::box::open_http(web);
    int dead = 0;
    stage3::CrawlEvents events;
    events.on_record = [&dead](const stage3::Record& record, const auto&) {
        dead += stage3::is_dead(record.outcome) ? 1 : 0;
    };
    const std::vector<common::Url> roots{*common::parse_url("http://limited.test/")};
    stage3::Crawler<> crawler(loop, roots, stage3::Scope(stage3::Reach::host, roots),
                              settings, events, helpers);
    stage3::run_until_complete<stage3::Ending>(loop, crawler.crawl());
    draw(web);
    fmt::print("{} pages, {} dead, {} refusals\n", crawler.progress().fetched, dead,
               std::ranges::count(web.requests(), 429, [](const Request& request) {
                   return request.reply.status;
               }));
}

} // namespace

int main(int argc, char** argv) {
    try {
        const double rate = argc > 1 ? std::stod(argv[1]) : 5;
        const auto workers = argc > 2 ? std::stoul(argv[2]) : 20;
        crawl(rate, workers);
        return 0;
    } catch (const std::exception& error) {
        fmt::print(stderr, "pace_tour: {}\n", error.what());
        return 1;
    }
}
