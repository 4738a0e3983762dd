// hint: a thread for each URL is what this exercise replaces
#include "exercise.h"

#include <exception>
#include <thread>

std::vector<std::string> fetch_all(const std::vector<std::string>& urls,
                                   std::size_t /*at_most*/, const Fetch& fetch) {
    std::vector<std::string> results(urls.size());
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < urls.size(); ++i)
        threads.emplace_back([&, i] {
            try {
                results[i] = fetch(urls[i]);
            } catch (const std::exception& error) {
                results[i] = std::string("failed: ") + error.what();
            }
        });
    for (std::thread& thread : threads)
        thread.join();
    return results;
}
