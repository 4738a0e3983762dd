// lifetime_traps: plays the traps of page 20 of the book, one at a time.
//
//     lifetime_traps 6           the sixth: the address sanitizer ends the program
//     lifetime_traps 6 mended    the same without the fault
//     lifetime_traps at-once     looks like the first trap, but isn't one
//     lifetime_traps by-index    looks like the seventh, but isn't one
#include "stage3_queue_crawler/runtime/task/run.h"
#include "stage3_queue_crawler/runtime/task/wait.h"
#include "tests/stage3/lifetime_traps/traps.h"

#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool is_watched = true;
#elif defined(__has_feature)
constexpr bool is_watched = __has_feature(address_sanitizer);
#else
constexpr bool is_watched = false;
#endif

int misuse(const std::string& what) {
    fmt::print(stderr, "lifetime_traps: {}\n", what);
    return 2;
}

/// The same situation as in the seventh trap.
stage3::Coroutine<> by_index() {
    std::vector<std::string> urls{"/a", "/b"};
    const auto task = stage3::create_task(wrong::visit_by_index(urls));
    co_await stage3::next_turn();
    urls.emplace_back("/new");
    co_await task;
}

int play(std::string_view which, bool is_mended) {
    if (which == "at-once") {
        stage3::run(mended::awaited_at_once());
        stage3::run(mended::awaited_as_a_task());
        return 0;
    }
    if (which == "by-index") {
        stage3::run(by_index());
        return 0;
    }
    if (which.size() != 1 || which[0] < '1' || which[0] >= '1' + int{traps::count})
        return misuse("which one? 1 to 8, at-once, or by-index");
    if (!is_mended && !is_watched)
        return misuse("this program was built without the address sanitizer: it might do "
                      "anything. Is the sanitizer's library there, such as libasan?");
    const auto& plays = is_mended ? mended::plays : wrong::plays;
    stage3::run(plays.at(static_cast<std::size_t>(which[0] - '1'))());
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    try {
        if (argc < 2 || argc > 3 || (argc == 3 && argv[2] != std::string_view("mended")))
            return misuse("type lifetime_traps N, or lifetime_traps N mended");
        return play(argv[1], argc == 3);
    } catch (const std::exception& error) {
        return misuse(error.what());
    }
}
