// first_crawl: crawls a site with the smallest parts that work, and prints its URLs.
//
//     first_crawl http://127.0.0.1:8000/
#include "common/first/crawl.h"
#include "common/first/event_loop.h"
#include "common/first/program.h"
#include "common/web/url.h"
#include "stage1_callbacks/first/fetch.h"

#include <memory>
#include <set>
#include <string>

namespace {

// [crawl]
std::set<common::Url> crawl(const common::Url& root) {
    first::EventLoop loop;
    first::Crawl crawl(loop, [&](const common::Url& url) {
        const auto done = [&crawl, url](const std::string& response) {
            crawl.finished(url, response);
        };
        std::make_shared<first::Fetch>(loop, url, done)->start();
    });
    return crawl.run(root);
}
// [/crawl]

} // namespace

int main(int argc, char** argv) { return first::run_program(argc, argv, crawl); }
