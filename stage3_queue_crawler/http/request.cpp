#include "stage3_queue_crawler/http/request.h"

#include "stage3_queue_crawler/http/easy_option.h"

#include <new>

namespace stage3 {

Easy make_easy(const SessionOptions& options) {
    Easy owner(curl_easy_init());
    if (!owner)
        throw std::bad_alloc();
    CURL* const easy = owner.get();
    set(easy, CURLOPT_NOSIGNAL, 1L); // safe with threads; saves two system calls per step
    set(easy, CURLOPT_PROTOCOLS_STR, "http,https"); // otherwise, it can read local files
    set(easy, CURLOPT_FOLLOWLOCATION, 0L);
    set(easy, CURLOPT_HTTP_CONTENT_DECODING, 0L); // we do that ourselves
    if (options.uses_proxy && !options.proxy.empty())
        set(easy, CURLOPT_PROXY, options.proxy.c_str());
    set(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L); // a proxy's answer isn't the site's
    set(easy, CURLOPT_BUFFERSIZE, 32L * 1024);       // most pages arrive in one piece
    set(easy, CURLOPT_LOW_SPEED_LIMIT, 1L);          // bytes per second
    set(easy, CURLOPT_LOW_SPEED_TIME, static_cast<long>(options.stall_timeout.count()));
    return owner;
}

RequestLists set_options(CURL* easy, const GetOptions& options,
                         const std::string& addresses, curl_slist* headers) {
    RequestLists lists;
    if (!addresses.empty())
        append(lists.addresses, addresses.c_str());
    set(easy, CURLOPT_RESOLVE, lists.addresses.get());
    set(easy, CURLOPT_NOBODY, options.only_head ? 1L : 0L);
    if (const auto& more = options.more_headers; !more.empty()) {
        for (; headers != nullptr; headers = headers->next)
            append(lists.headers, headers->data);
        for (const std::string& header : more)
            append(lists.headers, header.c_str());
        headers = lists.headers.get();
    }
    set(easy, CURLOPT_HTTPHEADER, headers);
    if (const auto& login = options.login) {
        set(easy, CURLOPT_USERNAME, login->user.c_str());
        set(easy, CURLOPT_PASSWORD, login->password.c_str());
    }
    return lists;
}

} // namespace stage3
