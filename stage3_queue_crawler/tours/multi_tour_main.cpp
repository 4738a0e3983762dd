// multi_tour: what libcurl's multi interface asks for while it fetches one URL.
//
//     multi_tour http://127.0.0.1:8000/
//
// There is no event loop here, only poll, so that you see each wish of libcurl's and
// what is done about it. Page 15 of the book.
#include <curl/curl.h>
#include <fmt/core.h>

#include <cstdio>
#include <string>

#include <poll.h>

namespace {

const char* in_words(int what) {
    switch (what) {
    case CURL_POLL_IN: return "reading";
    case CURL_POLL_OUT: return "writing";
    case CURL_POLL_INOUT: return "both";
    default: return "nothing any more";
    }
}

short for_poll(int what) {
    const bool reading = (what & CURL_POLL_IN) != 0;
    const bool writing = (what & CURL_POLL_OUT) != 0;
    return static_cast<short>((reading ? POLLIN : 0) | (writing ? POLLOUT : 0));
}

/// So why not do at once what libcurl wants to be done in 0 ms?
void try_at_once(CURLM* multi) {
    int running = 0;
    const CURLMcode code =
        curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running);
    fmt::print("           (called right here, it says: {})\n",
               curl_multi_strerror(code));
}

// [wishes]
/// What libcurl last asked for.
struct Wishes {
    pollfd socket{-1, 0, 0};
    int timeout_ms = -1; // none
};

int on_socket(CURL* /*easy*/, curl_socket_t fd, int what, void* wishes, void* /*known*/) {
    fmt::print("  libcurl: watch the socket for {}\n", in_words(what));
    const bool gone = what == CURL_POLL_REMOVE; // poll ignores a negative descriptor
    static_cast<Wishes*>(wishes)->socket = {gone ? -1 : fd, for_poll(what), 0};
    return 0;
}

int on_timer(CURLM* multi, long milliseconds, void* wishes) {
    fmt::print("  libcurl: call me in {} ms\n", milliseconds);
    static_cast<Wishes*>(wishes)->timeout_ms = static_cast<int>(milliseconds);
    if (milliseconds == 0)
        try_at_once(multi);
    return 0;
}
// [/wishes]

std::size_t on_body(char* /*bytes*/, std::size_t size, std::size_t count,
                    void* /*nobody*/) {
    fmt::print("  libcurl: here are {} bytes\n", size * count);
    return size * count;
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        static_cast<void>(std::fputs("multi_tour: give a URL to fetch\n", stderr));
        return 2;
    }
    Wishes wishes;
    CURLM* const multi = curl_multi_init();
    // [register]
    curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, &on_socket);
    curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, &wishes);
    curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, &on_timer);
    curl_multi_setopt(multi, CURLMOPT_TIMERDATA, &wishes);
    // [/register]
    CURL* const easy = curl_easy_init();
    curl_easy_setopt(easy, CURLOPT_URL, argv[1]);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &on_body);

    fmt::print("we:        add a transfer\n");
    curl_multi_add_handle(multi, easy);
    CURLcode result = CURLE_OK;
    // [turns]
    for (int running = 1; running > 0;) {
        const int ready = ::poll(&wishes.socket, 1, wishes.timeout_ms);
        if (ready > 0) {
            fmt::print("we:        the socket is ready\n");
            curl_multi_socket_action(multi, wishes.socket.fd,
                                     (wishes.socket.revents & POLLIN) != 0
                                         ? CURL_CSELECT_IN
                                         : CURL_CSELECT_OUT,
                                     &running);
        } else {
            fmt::print("we:        the time is over\n");
            wishes.timeout_ms = -1;
            curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running);
        }
    }
    // [/turns]
    int left = 0;
    while (const CURLMsg* const message = curl_multi_info_read(multi, &left))
        result = message->data.result;
    fmt::print("we:        it's done: {}\n", curl_easy_strerror(result));
    curl_multi_remove_handle(multi, easy);
    curl_easy_cleanup(easy);
    curl_multi_cleanup(multi);
    return result == CURLE_OK ? 0 : 1;
}
