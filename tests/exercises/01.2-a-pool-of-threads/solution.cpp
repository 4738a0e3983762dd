// A pool: each thread runs the same loop, "take the next number, fetch that URL".
#include "exercise.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>

namespace {

std::string fetch_or_say_why(const Fetch& fetch, const std::string& url) {
    // Caught here, inside the thread: an exception that leaves a thread's function ends
    // the program.
    try {
        return fetch(url);
    } catch (const std::exception& error) {
        return std::string("failed: ") + error.what();
    }
}

} // namespace

std::vector<std::string> fetch_all(const std::vector<std::string>& urls,
                                   std::size_t at_most, const Fetch& fetch) {
    // The vector gets its full size before the threads start. Each thread writes to its
    // own elements and none of them moves, so the results need no mutex.
    std::vector<std::string> results(urls.size());
    // Taking a number and counting up must be a single step. An atomic makes it one.
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
        for (std::size_t i = next++; i < urls.size(); i = next++)
            results[i] = fetch_or_say_why(fetch, urls[i]);
    };

    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < std::min(at_most, urls.size()); ++i)
        threads.emplace_back(work);
    for (std::thread& thread : threads)
        thread.join();
    return results;
}
