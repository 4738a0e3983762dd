// multi_bench: fetches a list of URLs with libcurl's multi interface and nothing else.
//
//     multi_bench 100 < urls
//
// It fetches this many at once. It knows the list beforehand, reads no page and keeps
// no record: what is left is libcurl. A crawler can hardly be faster, so this is what
// stage 3 is compared with.
#include <curl/curl.h>
#include <fmt/core.h>

#include <cstddef>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

namespace {

std::size_t discard(char* /*bytes*/, std::size_t size, std::size_t count,
                    void* /*nobody*/) {
    return size * count;
}

void start(CURLM* multi, CURL* easy, const std::string& url) {
    curl_easy_setopt(easy, CURLOPT_URL, url.c_str());
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &discard);
    curl_multi_add_handle(multi, easy);
}

} // namespace

int main(int argc, char** argv) {
    const std::size_t at_once =
        argc > 1 ? static_cast<std::size_t>(std::strtoul(argv[1], nullptr, 10)) : 10;
    std::vector<std::string> urls;
    for (std::string line; std::getline(std::cin, line);)
        urls.push_back(line);
    CURLM* const multi = curl_multi_init();
    curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, static_cast<long>(at_once));
    std::size_t next = 0;
    std::size_t failed = 0;
    for (; next < urls.size() && next < at_once; ++next)
        start(multi, curl_easy_init(), urls[next]);
    // [turns]
    for (int running = 1; running > 0;) {
        curl_multi_perform(multi, &running);
        int left = 0;
        while (const CURLMsg* const message = curl_multi_info_read(multi, &left)) {
            CURL* const easy = message->easy_handle;
            failed += message->data.result == CURLE_OK ? 0 : 1;
            curl_multi_remove_handle(multi, easy);
            if (next < urls.size()) {
                start(multi, easy, urls[next++]);
                running = 1;
            } else {
                curl_easy_cleanup(easy);
            }
        }
        if (running > 0)
            curl_multi_poll(multi, nullptr, 0, 1000, nullptr);
    }
    // [/turns]
    curl_multi_cleanup(multi);
    fmt::print("{} fetched, {} failed\n", urls.size() - failed, failed);
    return failed == 0 ? 0 : 1;
}
