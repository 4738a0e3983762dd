// small_crawl: crawls a site with the smallest parts that work, and prints its URLs.
//
//     small_crawl http://127.0.0.1:8000/
#include "common/small/crawl.h"
#include "common/small/event_loop.h"
#include "common/small/program.h"
#include "common/web/url.h"
#include "stage1_callbacks/small/fetch.h"

#include <memory>
#include <set>
#include <string>

namespace {

// [crawl]
std::set<common::Url> crawl(const common::Url& root) {
    small::EventLoop loop;
    small::Crawl crawl(loop, [&](const common::Url& url) {
        const auto done = [&crawl, url](const std::string& response) {
            crawl.finished(url, response);
        };
        std::make_shared<small::Fetch>(loop, url, done)->start();
    });
    return crawl.run(root);
}
// [/crawl]

} // namespace

int main(int argc, char** argv) { return small::run_program(argc, argv, crawl); }
