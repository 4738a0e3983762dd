// Finds the true answers in run.trace. You may read it, but the viewer shows more.
#include "common/trace/trace.h"
#include "questions.h"
#include "tests/support/recorded_trace.h"

#include <doctest/doctest.h>

#include <map>
#include <string>

Answers read_trace() {
    std::map<std::string, int> made_at; // a future's line, by its id
    std::map<std::string, tests::RecordedEvent> last_suspend; // by the task's id
    Answers found;
    for (const auto& event : tests::recorded_trace()) {
        const std::string id = event.text("id");
        if (event.is("future", "new"))
            made_at[id] = event.line("at");
        if (event.is("task", "suspend"))
            last_suspend.insert_or_assign(id, event);
        if (event.is("future", "resolve") && made_at.contains(id)
            && event.number("waiters") == 0) {
            found.lost = made_at.at(id);
            found.turn = event.number("turn");
        }
        if (event.is("task", "done") && event.text("outcome") == "destroyed") {
            const auto& waits = last_suspend.at(id);
            found.stands = waits.line("at");
            found.since = waits.number("turn");
            found.awaited = made_at.at(waits.text("awaiting"));
        }
    }
    return found;
}

// Not a test: record.py runs it to record run.trace.
TEST_CASE("record" * doctest::skip()) {
    common::Tracer tracer("run.trace", "exercise 10.2");
    play(tracer);
}
