// One URL after the other. Make it a pool: `at_most` threads, each of which takes the
// next URL from the list until none is left. exercise.h says what the tests check.
#include "exercise.h"

std::vector<std::string> fetch_all(const std::vector<std::string>& urls,
                                   std::size_t /*at_most*/, const Fetch& fetch) {
    std::vector<std::string> results;
    for (const std::string& url : urls)
        results.push_back(fetch(url));
    return results;
}
