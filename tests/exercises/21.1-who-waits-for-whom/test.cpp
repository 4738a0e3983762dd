#include "exercise.h"
#include "stage3_queue_crawler/runtime/task/describe_tasks.h"
#include "tests/stage3/runtime/loop_test.h"

using stage3::Coroutine;
using stage3::Task;
using tests::LoopTest;

namespace {

using Paths = std::vector<std::string>;

/// Folders in folders: each contains this many, down to a depth, and one file.
struct Tree {
    std::size_t wide = 2;
    std::size_t deep = 2;
    std::string forbidden = "(none)";
    int listing = 0;
    int most_at_once = 0;

    List list() {
        return [this](std::string path) { return list_one(*this, std::move(path)); };
    }
    static Coroutine<Folder> list_one(Tree& tree, std::string path) {
        tree.most_at_once = std::max(tree.most_at_once, ++tree.listing);
        for (int i = 0; i < 3; ++i)
            co_await stage3::next_turn();
        --tree.listing;
        if (path == tree.forbidden)
            throw std::runtime_error("you may not read this");
        const auto depth =
            static_cast<std::size_t>(std::count(path.begin(), path.end(), '/'));
        Folder folder{.files = Paths{"file"}, .folders = Paths()};
        for (std::size_t i = 0; depth < tree.deep && i < tree.wide; ++i)
            folder.folders.push_back(std::to_string(i));
        co_return folder;
    }
    /// How many folders there are.
    std::size_t size() const {
        std::size_t all = 1;
        for (std::size_t depth = 0, level = 1; depth < deep; ++depth)
            all += level *= wide;
        return all;
    }
};

/// Lets it search. If it doesn't come to an end, the test says where each task is.
Found search(LoopTest& test, Tree& tree, const std::string& when) {
    const Task<Found> task =
        create_task(test.loop, find_files(tree.list()), "find_files");
    for (int turn = 0; turn < 100'000 && !task.done(); ++turn)
        test.turns(1);
    if (!task.done())
        FAIL("find_files hangs " << when << ". Where each task is:\n"
                                 << describe_tasks(test.loop));
    try {
        static_cast<void>(task.result());
    } catch (const std::exception& error) {
        FAIL("find_files has thrown: " << std::string(error.what()));
    }
    CHECK_MESSAGE(stage3::all_tasks(test.loop).empty(),
                  "find_files has ended, and has left tasks behind:\n\n"
                      << describe_tasks(test.loop));
    return task.result();
}

void check(const Tree& tree, const Found& found, std::size_t number) {
    const auto files = found.files.size();
    const auto missing = number - std::min(number, files);
    CHECK_MESSAGE(missing == 0,
                  missing << " files of " << number
                          << " are missing. It ended before everything was done: an item "
                             "is unfinished as long as it may bring others.");
    CHECK_MESSAGE(files <= number,
                  "there are " << number << " files, and it has found " << files << ".");
    CHECK_MESSAGE(
        tree.most_at_once == 4,
        "if there are four folders or more, four should be listed at the same time. "
        "The most were "
            << tree.most_at_once << ".");
}

} // namespace

TEST_CASE_FIXTURE(LoopTest, "a small tree is searched to its end") {
    Tree tree;
    const Found found = search(*this, tree, "in a tree of seven folders");
    check(tree, found, tree.size());
    CHECK(std::ranges::count(found.files, "/1/0/file") == 1);
    CHECK(found.unreadable.empty());
}

TEST_CASE_FIXTURE(LoopTest, "a folder that may not be read does not stop the search") {
    Tree tree{.deep = 3, .forbidden = "/0/1"};
    const Found found = search(*this, tree, "when a folder may not be read");
    check(tree, found, 12); // of 15; that folder contains two more
    CHECK(found.unreadable == Paths{"/0/1"});
}

TEST_CASE_FIXTURE(LoopTest, "a tree of many folders is searched to its end") {
    Tree tree{.wide = 12};
    const Found found = search(*this, tree, "when there are many folders");
    check(tree, found, tree.size());
}

TEST_CASE_FIXTURE(LoopTest, "a tree of many more folders is searched to its end") {
    Tree tree{.wide = 100};
    const Found found = search(
        *this, tree, "again, when there are many more: a larger queue is full later");
    check(tree, found, tree.size());
}
