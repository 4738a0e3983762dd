// A crawl that a reader can change, as a program for this machine: what comes of it.
#include "common/text/join.h"
#include "tests/live/crawl.h"
#include "tests/support/in_bulk.h"
#include "tests/support/prelude.h"

#include <regex>

namespace tests::live {
namespace {

/// Nobody reads its trace.
Outcome outcome_of(std::string_view settings) {
    return crawl(read_settings(settings), "/dev/null");
}

std::vector<std::string> lines_of(std::string_view text) {
    std::vector<std::string> lines;
    while (!text.empty()) {
        lines.emplace_back(text.substr(0, text.find('\n')));
        text.remove_prefix(std::min(lines.back().size() + 1, text.size()));
    }
    return lines;
}

std::size_t count(std::string_view text, std::string_view part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string_view::npos;
         at = text.find(part, at + part.size()))
        ++found;
    return found;
}

/// Asks one worker at each moment of the run in turn, and counts the runs.
struct EveryMoment {
    std::size_t moments = 0, lose = 0, hang = 0;
};
EveryMoment at_every_moment(std::string_view queue, int worker) {
    Settings settings = read_settings(fmt::format("queue={}", queue));
    EveryMoment result;
    result.moments = crawl(settings, "/dev/null").steps;
    settings.ask = worker;
    for (std::size_t at = 3; at <= result.moments; ++at) { // there is a loop then
        settings.at = static_cast<int>(at);
        const Outcome outcome = crawl(settings, "/dev/null");
        result.lose += outcome.lost > 0 ? 1 : 0;
        result.hang += outcome.hangs ? 1 : 0;
    }
    return result;
}

TEST_CASE("more workers take less time, until the site's depth is the limit") {
    const auto time = [](int workers) {
        const Outcome outcome = outcome_of(fmt::format("workers={}", workers));
        CHECK(outcome.found == 12);
        CHECK(outcome.fetched == 12);
        CHECK(!outcome.hangs);
        return outcome.milliseconds;
    };
    // 12 answers of 50 ms, and links on two levels below page 0, so that three follow
    // each other.
    CHECK(time(1) == 600);
    CHECK(time(3) == 250);
    CHECK(time(20) == 150);
}

TEST_CASE("a run is written down line by line, and ends with its outcome in the first") {
    const std::string result = run("pages=4 workers=2");
    const Outcome outcome = outcome_of("pages=4 workers=2");
    CHECK(lines_of(result).front() == describe(outcome));
    CHECK(lines_of(result).size() == outcome.steps + 1);
    CHECK(count(result, R"("event":"fetch","phase":"end")") == 4);
    CHECK(result.ends_with("\"event\":\"end\",\"whole\":true}\n"));
}

TEST_CASE("the same settings make the same run") {
    for (const std::string_view settings :
         {"", "answers=by_chance links=2 workers=7 pages=40", "queue=losing ask=2 at=150",
          "room=1 workers=2"})
        CHECK(run(settings) == run(settings));
    CHECK(run("answers=by_chance") != run("answers=one_slow"));
}

TEST_CASE("with room for one, a crawl hangs with one to three workers, not with four") {
    for (int workers = 1; workers <= 20; ++workers) {
        const Outcome outcome = outcome_of(fmt::format("room=1 workers={}", workers));
        CAPTURE(workers);
        CHECK(outcome.hangs == (workers <= 3));
        CHECK(outcome.lost == 0);
    }
}

TEST_CASE("the trace of a crawl that hangs ends with the loop's last sleep") {
    const std::string result = run("room=1 workers=2");
    const std::vector<std::string> lines = lines_of(result);
    CHECK(count(lines.at(lines.size() - 2), R"("event":"select","timeout_ms":null)")
          == 1);
    CHECK(count(lines.back(), R"("event":"end")") == 1);
    CHECK(lines.size() == outcome_of("room=1 workers=2").steps + 1);
    CHECK(count(result, R"("phase":"done")") == 0);
}

// Who is asked, in this order: sanitizers need no more than the first.
const std::vector<int> all_workers{2, 3, 1};
std::vector<int> some_workers() {
    return {all_workers.begin(), all_workers.begin() + in_bulk(3)};
}

TEST_CASE("whenever a worker is asked to end, the book's queue loses nothing") {
    for (const int worker : some_workers()) {
        const EveryMoment result = at_every_moment("book", worker);
        CAPTURE(worker);
        CHECK(result.moments == 372);
        CHECK(result.lose == 0);
        CHECK(result.hang == 0);
    }
}

TEST_CASE("a queue in which an item doesn't come back loses one at some moments") {
    for (const int worker : some_workers()) {
        const EveryMoment result = at_every_moment("losing", worker);
        CAPTURE(worker);
        // The first worker never waits in `get` while another brings an item.
        CHECK(result.lose == (worker == 1 ? 0 : 6));
        CHECK(result.hang == result.lose); // `join` waits for what is lost
    }
}

TEST_CASE("the only worker that is asked to end leaves a crawl that hangs") {
    const Outcome outcome = outcome_of("workers=1 ask=1 at=100");
    CHECK(outcome.hangs);
    CHECK(outcome.lost == 0);
    CHECK(outcome.fetched < outcome.found);
}

TEST_CASE("a request is a letter: it wakes a loop that sleeps") {
    const std::vector<std::string> usual = lines_of(run(""));
    const auto sleeps = std::ranges::find_if(usual, [](const std::string& line) {
        return line.find(R"("event":"select","timeout_ms":50)") != std::string::npos;
    });
    REQUIRE(sleeps != usual.end());
    // The first line is the outcome: so this is its number in the trace, from 1.
    const auto number = static_cast<std::size_t>(sleeps - usual.begin());
    const std::vector<std::string> asked =
        lines_of(run(fmt::format("ask=2 at={}", number)));
    CHECK(asked[number] == usual[number]);
    CHECK(asked[number + 1].find(R"("event":"awake","ready":1)") != std::string::npos);
    CHECK(usual[number + 1].find(R"("event":"awake","ready":0)") != std::string::npos);
}

TEST_CASE("a request is heard from the line after the loop's first until its last turn") {
    const auto is_heard = [](std::size_t at) {
        return run(fmt::format("ask=2 at={}", at)).find("\"request\"")
               != std::string::npos;
    };
    const std::vector<std::string> usual = lines_of(run(""));
    std::size_t last_turn = usual.size();
    while (last_turn > 0
           && usual[last_turn - 1].find(R"("event":"select")") == std::string::npos)
        --last_turn;
    REQUIRE(last_turn > 0);
    --last_turn;
    CHECK(is_heard(3));
    CHECK(run("ask=2") == run("ask=2 at=3"));
    CHECK(is_heard(last_turn));
    CHECK(!is_heard(last_turn + 1));
    CHECK(run("ask=2 at=1000000") == run(""));
}

TEST_CASE("a wrong setting is named, with what it may be") {
    const std::map<std::string_view, std::string_view> messages{
        {"worker=3", "there is no setting 'worker': there are workers, latency, pages, "
                     "links, room, answers, queue, ask, at"},
        {"workers", "'workers' is no setting, such as workers=3"},
        {"workers=0", "workers: '0' is no number from 1 to 20"},
        {"workers=21", "workers: '21' is no number from 1 to 20"},
        {"workers=3x", "workers: '3x' is no number from 1 to 20"},
        {"workers=", "workers: '' is no number from 1 to 20"},
        {"latency=99999999999", "latency: '99999999999' is no number from 1 to 10000"},
        {"answers=fast", "answers: 'fast' is none of alike, by_chance, one_slow"},
        {"queue=1", "queue: '1' is none of book, losing"},
        {"room=1  room=1", "room is given twice"},
        {"ask=1 at=2", "at: '2' is no number from 3 to 1000000"},
        {"workers=2 ask=3", "ask: there is no worker 3 of 2"},
    };
    for (const auto& [settings, message] : messages)
        CHECK(run(settings) == fmt::format("{{\"error\":\"{}\"}}\n", message));
}

/// Only `ask` depends on another: with that, all values in its limits are accepted.
bool is_accepted(std::string_view name, std::string_view value) {
    try {
        static_cast<void>(read_settings(
            fmt::format("{}{}={}", name == "ask" ? "workers=20 " : "", name, value)));
        return true;
    } catch (const std::invalid_argument&) {
        return false;
    }
}

TEST_CASE("a question mark asks for all settings, and what is said of them is true") {
    const std::string said = run("?");
    const std::regex one(R"re(\{"name":"(\w+)",(?:"least":(\d+),"most":(\d+)|)re"
                         R"re("words":\["([^\]]+)"\]),"usual":"?(\w+)"?\})re");
    std::vector<std::string> objects;
    for (std::sregex_iterator at(said.begin(), said.end(), one), end; at != end; ++at) {
        const std::smatch& found = *at;
        const std::string name = found[1];
        CAPTURE(name);
        objects.push_back(found.str());
        CHECK(read_settings(fmt::format("{}={}", name, found.str(5))) == Settings());
        if (found[4].matched) {
            const std::string words =
                std::regex_replace(found.str(4), std::regex("\",\""), "\n");
            for (const std::string& word : lines_of(words))
                CHECK(is_accepted(name, word));
            CHECK(!is_accepted(name, "another"));
        } else {
            const int least = std::stoi(found[2]);
            const int most = std::stoi(found[3]);
            CHECK(is_accepted(name, std::to_string(least)));
            CHECK(is_accepted(name, std::to_string(most)));
            CHECK(!is_accepted(name, std::to_string(least - 1)));
            CHECK(!is_accepted(name, std::to_string(most + 1)));
        }
    }
    CHECK(objects.size() == 9);
    CHECK(said == fmt::format("{{\"settings\":[{}]}}\n", common::join(objects, ",")));
}

TEST_CASE("each setting has its effect") {
    const Outcome usual = outcome_of("");
    CHECK(outcome_of("latency=100").milliseconds > usual.milliseconds);
    CHECK(outcome_of("pages=13").found == 13);
    CHECK(outcome_of("links=1").milliseconds > usual.milliseconds);
    CHECK(outcome_of("answers=by_chance").milliseconds != usual.milliseconds);
    CHECK(outcome_of("answers=one_slow").milliseconds > usual.milliseconds);
    CHECK(outcome_of("room=3").steps != usual.steps);
    CHECK(outcome_of("ask=1").fetched == usual.fetched); // nobody is there yet
    CHECK(outcome_of("ask=1 at=100").fetched < usual.fetched);
}

} // namespace
} // namespace tests::live
