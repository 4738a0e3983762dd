#include "exercise.h"
#include "stage3_queue_crawler/runtime/task/task_group.h"
#include "tests/stage3/runtime/loop_test.h"

#include <fmt/ranges.h>

#include <deque>
#include <random>

using stage3::Coroutine;
using stage3::Task;
using tests::LoopTest;

namespace {

/// A server of the model. Functions that don't wait do what it does at one moment.
class Model final : public Server {
  public:
    explicit Model(char server_name) : name(server_name) {}

    const char name;
    int unfinished = 0, created = 0;
    std::deque<std::string> to_do;
    std::deque<Link> outbox;
    std::set<int> came_in;                                     // numbers
    int under_way = 0;                                         // questions for its counts
    std::function<void(Model&)> before, after = [](Model&) {}; // a call takes effect

    void add(const std::string& url) {
        to_do.push_back(url);
        ++unfinished;
        ++created;
    }
    void send(Link link) {
        outbox.push_back(std::move(link));
        ++unfinished;
        ++created;
    }
    void take_in(const Link& link) {
        if (came_in.insert(link.number).second)
            add(link.url);
    }
    void take_off(int number) {
        const auto there = std::ranges::find(outbox, number, &Link::number);
        if (there == outbox.end())
            return;
        outbox.erase(there);
        --unfinished;
    }
    bool has(const std::string& url) const {
        return std::ranges::count(to_do, url) > 0
               || std::ranges::count(outbox, url, &Link::url) > 0;
    }

    Coroutine<Counts> counts() override {
        ++under_way;
        co_await arrive();
        const Counts now{unfinished, created};
        co_await stage3::sleep(10ms);
        --under_way;
        co_return now;
    }
    Coroutine<std::optional<Link>> first_in_outbox() override {
        co_await arrive();
        std::optional<Link> first;
        if (!outbox.empty())
            first = outbox.front();
        co_await stage3::sleep(10ms);
        co_return first;
    }
    Coroutine<> put(Link link) override {
        co_await arrive();
        take_in(link);
        after(*this);
        co_await stage3::sleep(10ms);
    }
    Coroutine<> sent(int number) override {
        co_await arrive();
        take_off(number);
        after(*this);
        co_await stage3::sleep(10ms);
    }

  private:
    Coroutine<> arrive() {
        if (++calls_ > most_calls)
            throw std::runtime_error("so many calls are not needed");
        co_await stage3::sleep(10ms);
        if (before)
            before(*this);
    }

    static constexpr int most_calls = 2000;
    int calls_ = 0;
};

/// Some servers, and what the test does to them while the reader's functions wait.
class Scene : public LoopTest {
  public:
    explicit Scene(int count = 2) {
        for (int i = 0; i < count; ++i)
            models.push_back(std::make_unique<Model>(static_cast<char>('A' + i)));
        for (const auto& model : models)
            all.push_back(model.get());
    }

    Model& at(std::size_t i) { return *models[i]; }
    int unfinished() const {
        int sum = 0;
        for (const auto& model : models)
            sum += model->unfinished;
        return sum;
    }

    /// Asks once. The answer must be true.
    bool ask() {
        asked_.clear();
        bool over = false;
        try {
            over = run(is_over(all));
        } catch (const std::runtime_error& error) {
            FAIL("is_over never answers. If something is left, or it can't tell, it "
                 "should answer false: "
                 << error.what());
        }
        return over;
    }

    /// Lets the test watch, and act, whenever counts are asked for.
    void at_each_question(std::function<void(Model&)> act) {
        for (const auto& model : models)
            model->before = [this, act](Model& asked) {
                act(asked);
                asked_.push_back(asked.name);
                overlap_ |= questions_under_way() > 1;
                events.push_back(fmt::format("{} is asked: {} unfinished, {} created",
                                             asked.name, asked.unfinished,
                                             asked.created));
            };
    }

    /// A page of `from` is done, and its only link, which leads to `to`, is carried
    /// there.
    void hop(Model& from, Model& to) {
        const std::string url = from.to_do.front();
        from.to_do.pop_front();
        const Link link{++number_, url};
        from.send(link);
        --from.unfinished; // the page
        to.take_in(link);
        from.take_off(link.number);
        events.push_back(fmt::format("{} has a page done, its link is put in at {}",
                                     from.name, to.name));
    }
    /// A page is done, with links to these.
    void finish_page(Model& from, const std::vector<Model*>& to) {
        const std::string url = from.to_do.front();
        from.to_do.pop_front();
        for (Model* const target : to) {
            if (target == &from)
                from.add(url + "'");
            else
                send(from, *target, {++number_, url + "'"});
        }
        --from.unfinished;
        events.push_back(
            fmt::format("{} has a page done, with {} links", from.name, to.size()));
    }
    void send(Model& from, Model& to, const Link& link) {
        from.send(link);
        letters_.push_back({link, &from, &to});
    }
    /// Half of a link's way: it's put in or, if it is in already, taken off the outbox.
    void move_a_link() {
        if (letters_.empty())
            return;
        Letter& first = letters_.front();
        if (!first.is_in) {
            first.to->take_in(first.link);
            first.is_in = true;
            events.push_back(fmt::format("a link comes in at {}", first.to->name));
        } else {
            first.from->take_off(first.link.number);
            events.push_back(fmt::format("it leaves the outbox of {}", first.from->name));
            letters_.pop_front();
        }
    }

    /// A hint, from what the questions have in common.
    std::string advice() const {
        if (overlap_)
            return "All servers were asked at the same time. But that doesn't show what "
                   "each server had at one moment: the answers are from different "
                   "moments.";
        if (asked_.size() <= models.size())
            return "Each server was asked once, one after the other, and in the meantime "
                   "the crawl continued.";
        for (std::size_t i = 0; i + 1 < asked_.size(); ++i)
            if (asked_[i] == asked_[i + 1])
                return fmt::format(
                    "{0} was asked twice, and then never again. While you asked the "
                    "others, it had plenty of time to get something.",
                    asked_[i]);
        return "All servers were asked twice, and had nothing both times. Each server "
               "had nothing at two moments. And in between?";
    }
    std::string history() const {
        const std::size_t most = 12;
        const auto begin = events.size() > most ? events.end() - static_cast<long>(most)
                                                : events.begin();
        return fmt::format("\nWhat happened:\n  {}",
                           fmt::join(begin, events.end(), "\n  "));
    }
    std::string left() const {
        std::string text;
        for (const auto& model : models)
            if (model->unfinished > 0)
                text +=
                    fmt::format("{} has {} unfinished. ", model->name, model->unfinished);
        return text;
    }

    std::vector<std::unique_ptr<Model>> models;
    std::vector<Server*> all;
    std::vector<std::string> events;

  private:
    int questions_under_way() const {
        int sum = 0;
        for (const auto& model : models)
            sum += model->under_way;
        return sum;
    }

    struct Letter {
        Link link;
        Model *from = nullptr, *to = nullptr;
        bool is_in = false;
    };

    std::string asked_;    // which servers, in this order
    bool overlap_ = false; // a question began before the one before it was answered
    std::deque<Letter> letters_;
    int number_ = 0;
};

/// Ends a carrier when this many calls have taken effect.
Coroutine<> carry_until(int effects, Scene& scene) {
    auto task = stage3::create_task(carry(scene.at(0), scene.at(1)));
    int count = 0;
    for (const auto& model : scene.models)
        model->after = [&](Model&) {
            if (++count == effects)
                task.cancel();
        };
    std::vector<Task<>> one{task};
    co_await stage3::wait(one);
    for (const auto& model : scene.models)
        model->after = [](Model&) {};
}

Coroutine<> carry_twice_at_once(Scene& scene) {
    std::vector<Task<>> two;
    two.push_back(stage3::create_task(carry(scene.at(0), scene.at(1))));
    two.push_back(stage3::create_task(carry(scene.at(0), scene.at(1))));
    co_await stage3::wait(two);
    for (const Task<>& one : two)
        co_await one;
}

} // namespace

TEST_SUITE("is it over?") {
    TEST_CASE("is_over is true when nothing is left") {
        Scene scene;
        scene.at(0).created = 3;
        scene.at(1).created = 5;
        CHECK_MESSAGE(scene.ask(), "nothing is unfinished anywhere, and nothing happens, "
                                   "but is_over returns false.");
    }

    TEST_CASE("is_over is false while something is left") {
        for (const std::size_t i : {0U, 1U}) {
            Scene scene;
            scene.at(i).add("/");
            CHECK_MESSAGE(!scene.ask(), scene.left());
        }
    }

    TEST_CASE("is_over does not miss a link that is always elsewhere") {
        Scene scene;
        int hops = 20;
        scene.at(0).add("/");
        scene.at_each_question([&](Model& asked) {
            Model& other = &asked == &scene.at(0) ? scene.at(1) : scene.at(0);
            if (asked.to_do.empty())
                return;
            if (hops-- > 0) {
                scene.hop(asked, other);
            } else {
                asked.to_do.pop_front();
                --asked.unfinished;
            }
        });
        for (int i = 0; i < 30; ++i) {
            const bool over = scene.ask();
            if (over && scene.unfinished() > 0)
                FAIL("is_over says that all is over. " << scene.left() << scene.advice()
                                                       << scene.history());
            if (over)
                return;
        }
        FAIL("nothing is left any more, but is_over has never said so."
             << scene.history());
    }

    TEST_CASE("is_over is right in a thousand random crawls") {
        std::mt19937 random(192);
        for (int crawl = 0; crawl < 1000; ++crawl) {
            Scene scene(2 + crawl % 2);
            unsigned pages = 12; // which may still be found
            scene.at(random() % scene.models.size()).add("/");
            scene.at_each_question([&](Model&) {
                for (auto steps = random() % 5; steps > 0; --steps) {
                    Model& one = scene.at(random() % scene.models.size());
                    if (random() % 2 == 0 || one.to_do.empty()) {
                        scene.move_a_link();
                        continue;
                    }
                    std::vector<Model*> to;
                    for (auto links = random() % 3; links > 0 && pages > 0;
                         --links, --pages)
                        to.push_back(&scene.at(random() % scene.models.size()));
                    scene.finish_page(one, to);
                }
            });
            bool over = false;
            for (int i = 0; i < 200 && !over; ++i)
                over = scene.ask();
            if (over && scene.unfinished() > 0)
                FAIL("is_over says that all is over. "
                     << scene.left()
                     << "What must have been true of each server, from its first answer "
                        "to its last? And is there a moment at which it was true of all?"
                     << scene.history());
            REQUIRE_MESSAGE(over,
                            "nothing is left any more, but is_over has never said so.");
        }
    }
}

TEST_SUITE("carrying") {
    TEST_CASE_FIXTURE(Scene, "carry brings all links over") {
        for (const int i : {1, 2, 3})
            at(0).send({i, fmt::format("/{}", i)});
        try {
            run(carry(at(0), at(1)));
        } catch (const std::runtime_error&) {
            FAIL("it carries the same link forever. What takes it off the outbox?");
        }
        CHECK_MESSAGE(at(1).to_do.size() == 3, "three links were in the outbox, but "
                                                   << at(1).to_do.size()
                                                   << " have come in.");
        CHECK_MESSAGE(at(0).outbox.empty(),
                      at(0).outbox.size()
                          << " are in the outbox forever, and so unfinished forever.");
    }

    TEST_CASE_FIXTURE(Scene, "a link that is carried is always unfinished somewhere") {
        at(0).send({1, "/far"});
        for (const auto& model : models)
            model->after = [this](Model& called) {
                CHECK_MESSAGE((at(0).has("/far") || at(1).has("/far")),
                              "after a call to "
                                  << called.name
                                  << ", the link is in no outbox, and on no server: for "
                                     "a moment, nothing is unfinished anywhere. A worker "
                                     "that asks at that moment goes home.");
            };
        run(carry(at(0), at(1)));
    }

    TEST_CASE("carry can be interrupted anywhere and run again") {
        for (int effects = 1; effects <= 6; ++effects) {
            Scene scene;
            for (const int i : {1, 2, 3})
                scene.at(0).send({i, fmt::format("/{}", i)});
            scene.run(carry_until(effects, scene));
            scene.run(carry(scene.at(0), scene.at(1)));
            CHECK_MESSAGE(scene.at(1).to_do.size() == 3,
                          "one carrier was ended on its way, and the next one continued. "
                          "Of three links, these have come in: "
                              << scene.at(1).to_do.size());
            CHECK(scene.at(0).unfinished == 0);
            scene.loop.close();
        }
    }

    TEST_CASE_FIXTURE(Scene, "two carriers at once bring each link over once") {
        for (const int i : {1, 2, 3})
            at(0).send({i, fmt::format("/{}", i)});
        run(carry_twice_at_once(*this));
        CHECK(at(1).to_do.size() == 3);
        CHECK(at(0).unfinished == 0);
    }
}
