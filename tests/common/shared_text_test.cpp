#include "common/web/shared_text.h"
#include "tests/support/prelude.h"

#include <thread>

using common::SharedText;

TEST_CASE("a shared text holds what it was made of and ends with a zero byte") {
    const SharedText text("a text", ", and more");
    CHECK(text.view() == "a text, and more");
    CHECK(std::string(text.c_str()) == "a text, and more");
    const std::string zeros("\0a\0", 3);
    CHECK(SharedText(zeros).view() == zeros);
}

TEST_CASE("an empty shared text can be read") {
    for (const SharedText& text : {SharedText(), SharedText(""), SharedText("", "")}) {
        CHECK(text.view().empty());
        CHECK(std::string(text.c_str()).empty());
    }
}

TEST_CASE("copies share one text that lives as long as any of them") {
    SharedText last;
    const char* place = nullptr;
    {
        const SharedText first("once");
        // NOLINTNEXTLINE(performance-unnecessary-copy-initialization)
        const SharedText second(first);
        CHECK(first.c_str() == second.c_str());
        place = first.c_str();
        last = second;
    }
    CHECK(last.c_str() == place);
    CHECK(last.view() == "once");
    const SharedText& same = last;
    last = same;
    CHECK(last.view() == "once");
    last = SharedText("twice");
    CHECK(last.view() == "twice");
}

TEST_CASE("a shared text that was moved from is empty") {
    SharedText first("text");
    const SharedText second(std::move(first));
    CHECK(second.view() == "text");
    // NOLINTNEXTLINE(bugprone-use-after-move,clang-analyzer-cplusplus.Move)
    CHECK(first.view().empty());
}

TEST_CASE("threads copy and drop one text, and the last of them frees it") {
    std::vector<std::thread> threads;
    {
        const SharedText text("theirs");
        for (int i = 0; i < 4; ++i)
            threads.emplace_back([text] {
                for (int round = 0; round < 10'000; ++round) {
                    // NOLINTNEXTLINE(performance-unnecessary-copy-initialization)
                    const SharedText copy(text);
                    if (copy.view() != "theirs")
                        std::abort();
                }
            });
    }
    for (std::thread& thread : threads)
        thread.join();
}
