#include "questions.h"
#include "stage3_queue_crawler/crawler/robots.h"

#include <string_view>

namespace {

constexpr std::string_view file = R"(
User-agent: *
Disallow: /cart
Crawl-delay: 20

User-agent: Egret
User-agent: Heron
Disallow: /stock
Disallow: /shop/
Allow: /shop/books
Disallow: /blog/draft
Allow: /blog/
Crawl-delay: 3

Disallow: /forum
Disallow: /offer
Disallow: /Private/
Disallow: /*.pdf$
Disallow: /*.gif
Allow: /pics/
Disallow: /~joe/
Disallow: /band/AC/DC

User-agent: Tern
Disallow:

User-agent: GULL
Disallow: /

User-agent: Heron
Disallow: /old/
Crawl-delay: 7
)";

int may_fetch(std::string_view crawler, std::string_view target) {
    return stage3::Robots::parse(file, crawler).allows(target) ? yes : no;
}

int delay_of(std::string_view crawler) {
    const auto delay = stage3::Robots::parse(file, crawler).crawl_delay();
    return static_cast<int>(delay.value().count());
}

} // namespace

Answers run_program() {
    return {
        .contact = may_fetch("Heron", "/contact"),
        .cart = may_fetch("Heron", "/cart"),
        .stock = may_fetch("Heron", "/stock"),
        .forum = may_fetch("Heron", "/forum"),
        .old = may_fetch("Heron", "/old/1"),
        .egret_stock = may_fetch("Egret", "/stock"),
        .tern_home = may_fetch("Tern", "/"),
        .tern_cart = may_fetch("Tern", "/cart"),
        .gull_home = may_fetch("Gull", "/"),
        .gull_robots = may_fetch("Gull", "/robots.txt"),
        .heron_delay = delay_of("Heron"),
        .offers = may_fetch("Heron", "/offers.html"),
        .lower_case = may_fetch("Heron", "/private/1"),
        .pdf = may_fetch("Heron", "/menu.pdf"),
        .pdf_page = may_fetch("Heron", "/menu.pdf?page=2"),
        .tilde = may_fetch("Heron", "/%7Ejoe/"),
        .slash = may_fetch("Heron", "/band/AC%2FDC"),
        .book = may_fetch("Heron", "/shop/books/7"),
        .draft = may_fetch("Heron", "/blog/draft/3"),
        .picture = may_fetch("Heron", "/pics/cat.gif"),
    };
}
