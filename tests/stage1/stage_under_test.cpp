#include "tests/crawl/stage_under_test.h"

#include "stage1_callbacks/fetcher.h"

#include <memory>

common::Summary tests::run_with_stage(common::Crawl& crawl) {
    return crawl.run([&crawl](const common::Url& url) {
        std::make_shared<stage1::Fetcher>(url, crawl)->fetch();
    });
}
