// The graph that people look at. That Graphviz can read it is in formats_test.py.
#include "stage3_queue_crawler/program/formats/formats.h"
#include "tests/support/prelude.h"
#include "tests/support/url.h"

using namespace stage3;
using tests::url_of;

namespace {

bool draws(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

struct Graph {
    KnownUrls urls = {};
    std::unique_ptr<Format> format = make_dot({});
    std::string text = format->begin();

    void add(const std::string& url, Outcome outcome, const std::string& parent = "",
             const std::string& next = "") {
        Record record(url_of(url));
        record.outcome = outcome;
        record.next_url = next;
        record.depth = parent.empty() ? 0 : 1;
        if (!parent.empty())
            record.parent = url_of(parent);
        text += format->record(record, Standing::counts);
    }
    void link(const std::string& page, const std::string& url) {
        const auto number = urls.number_of(url_of(page));
        const auto target = urls.number_of(url_of(url));
        if (urls[target].is_new())
            urls[target].parent = number;
        urls.meet(target, number);
        text += format->links(url_of(page), {url_of(url)});
    }
    std::string end() {
        return text + format->end({.urls = urls, .left_out = {}, .time = 1s}, {});
    }
};

} // namespace

TEST_CASE("in a graph, labels lack the host that the first URL has") {
    Graph graph;
    graph.add("http://h/", Outcome::page);
    graph.add("http://h/a?b\\c", Outcome::page, "http://h/");
    graph.add("http://i/a", Outcome::page, "http://h/");
    const std::string text = graph.end();
    CHECK(draws(text, "\"http://h/\" [color=black, penwidth=3, "));
    CHECK(draws(text, ", label=\"http://h/\", tooltip=\"http://h/\"];\n"));
    CHECK(draws(text, "\"http://h/a?b\\\\c\" [color=black, label=\"/a?b\\\\\\\\c\", "));
    CHECK(draws(text, "\"http://i/a\" [color=black];\n"));
}

TEST_CASE("in a graph, arrows through which pages were found decide where these stand") {
    Graph graph;
    graph.link("http://h/", "http://h/a");
    graph.add("http://h/", Outcome::page);
    graph.add("http://h/a", Outcome::redirect, "http://h/", "http://h/b");
    graph.add("http://h/b", Outcome::page, "http://h/a");
    const std::string text = graph.end();
    CHECK(text.starts_with("strict digraph crawl {\n"));
    CHECK(draws(text, "constraint=false];\n  \"http://h/\" -> \"http://h/a\";\n"));
    CHECK(draws(text, "\"http://h/\" -> \"http://h/a\" [color=gray40, constraint=true]"));
    CHECK(draws(text, "\"http://h/a\" -> \"http://h/b\" [style=dashed, color=blue, "));
    CHECK_FALSE(draws(text, "\"http://h/a\" -> \"http://h/b\" [color=gray40"));
}

TEST_CASE(
    "in a graph, all arrows to what is dead are red, and what wasn't fetched is gray") {
    Graph graph;
    graph.link("http://h/", "http://h/dead");
    graph.add("http://h/", Outcome::page);
    graph.add("http://h/dead", Outcome::error, "http://h/");
    graph.link("http://h/", "http://h/later");
    graph.link("http://h/p", "http://h/dead");
    const std::string text = graph.end();
    CHECK(draws(text, "\"http://h/dead\" [color=red, style=filled, "));
    CHECK(draws(text, "\"http://h/\" -> \"http://h/dead\" [color=red];\n"));
    CHECK(draws(text, "\"http://h/p\" -> \"http://h/dead\" [color=red];\n"));
    CHECK(
        draws(text, "\"http://h/later\" [color=gray80, style=dotted, label=\"/later\""));
    CHECK(draws(text, "\"http://h/\" -> \"http://h/later\" [color=gray80, constraint"));
    CHECK_FALSE(draws(text, "\"http://h/dead\" [color=gray80"));
}
