// multi_bench: fetches a list of URLs with libcurl's multi interface and nothing else.
//
//     multi_bench 100 [--cacert FILE] [--http1.1 | --http2] < urls
//
// It fetches this many at once; with HTTP/2, over as few connections as it can. It knows
// the list beforehand, reads no page and keeps no record: what is left is libcurl. A
// crawler can hardly be faster, so this is what stage 3 is compared with.
#include <curl/curl.h>
#include <fmt/core.h>

#include <cstddef>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

namespace {

std::size_t discard(char* /*bytes*/, std::size_t size, std::size_t count,
                    void* /*nobody*/) {
    return size * count;
}

// What its command line says, apart from the number at once.
struct Options {
    const char* ca_file = nullptr; // none: the system's
    long version = CURL_HTTP_VERSION_NONE;
};

Options read_options(int argc, char** argv) {
    Options options;
    for (int place = 2; place < argc; ++place) {
        const std::string_view word = argv[place];
        if (word == "--cacert" && place + 1 < argc) {
            options.ca_file = argv[++place];
        } else if (word == "--http1.1") {
            options.version = CURL_HTTP_VERSION_1_1;
        } else if (word == "--http2") {
            options.version = CURL_HTTP_VERSION_2TLS;
        } else {
            fmt::print(stderr, "multi_bench: what is {}?\n", word);
            std::exit(2);
        }
    }
    return options;
}

// A handle keeps its options from one URL to the next.
CURL* handle(const Options& options) {
    CURL* const easy = curl_easy_init();
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &discard);
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, options.version);
    if (options.ca_file != nullptr)
        curl_easy_setopt(easy, CURLOPT_CAINFO, options.ca_file);
    // Rather wait for a connection that may be shared than open another.
    if (options.version == CURL_HTTP_VERSION_2TLS)
        curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 1L);
    return easy;
}

void start(CURLM* multi, CURL* easy, const std::string& url) {
    curl_easy_setopt(easy, CURLOPT_URL, url.c_str());
    curl_multi_add_handle(multi, easy);
}

} // namespace

int main(int argc, char** argv) {
    const std::size_t at_once =
        argc > 1 ? static_cast<std::size_t>(std::strtoul(argv[1], nullptr, 10)) : 10;
    const Options options = read_options(argc, argv);
    std::vector<std::string> urls;
    for (std::string line; std::getline(std::cin, line);)
        urls.push_back(line);
    CURLM* const multi = curl_multi_init();
    curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, static_cast<long>(at_once));
    std::size_t next = 0;
    std::size_t failed = 0;
    for (; next < urls.size() && next < at_once; ++next)
        start(multi, handle(options), urls[next]);
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
