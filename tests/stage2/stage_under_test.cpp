#include "tests/crawl/stage_under_test.h"

#include "stage2_coroutines/fetcher.h"
#include "stage2_coroutines/task.h"

common::Summary tests::run_with_stage(common::Crawl& crawl) {
    stage2::TaskList tasks(crawl.tracer());
    return crawl.run(
        [&](const common::Url& url) { tasks.start(stage2::fetch(url, crawl)); });
}
