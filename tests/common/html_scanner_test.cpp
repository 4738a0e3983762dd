#include "common/web/html_scanner.h"
#include "tests/support/prelude.h"

#include <array>
#include <random>
#include <string>
#include <string_view>
#include <vector>

using common::HtmlScanner;
using common::LinkTag;
using common::LookFor;

namespace {

/// All that a scanner says about a page. Of each value, also where in the page it is.
std::string said_of(std::string_view page, LookFor look_for) {
    std::string said;
    HtmlScanner scanner(page, look_for);
    LinkTag tag;
    while (scanner.next(tag)) {
        said += std::to_string(static_cast<int>(tag.element));
        for (const std::string_view value :
             {tag.href, tag.src, tag.id, tag.name, tag.style, tag.background, tag.action,
              tag.content, tag.text, tag.written})
            said += common::is_there(value)
                        ? " " + std::to_string(value.data() - page.data()) + "+"
                              + std::to_string(value.size())
                        : " -";
        said += "; " + std::to_string(scanner.rest().size()) + '\n';
    }
    return said;
}

} // namespace

TEST_CASE("the short way over plain tags leads to the same tags as the long way") {
    constexpr std::array<std::string_view, 46> pieces{
        "<p>",        "</p>",       "<li>",        "</li>",      "<b>",
        "<a href=x>", "</a>",       "<a>",         "<svg>",      "</svg>",
        "<math>",     "</math>",    "<title>",     "</title>",   "<script>",
        "</script>",  "<style>",    "</style>",    "<template>", "</template>",
        "<textarea>", "</textarea", "<blockquote", "<xmp>",      "</xmp>",
        "<!--",       "-->",        "<!",          "<?",         "<",
        "</",         ">",          "<form>",      "<button>",   "<p id=i>",
        "<p title='", "'",          "\"",          "<img src=y", "<h1>",
        "<H1>",       "<p/>",       "</p >",       " ",          "text, and text",
        "\xc3\xa4"};
    std::mt19937 random(1); // NOLINT(cert-msc*): the same in each run
    std::size_t found = 0;
    for (int i = 0; i < 20'000; ++i) {
        std::string page;
        for (auto left = random() % 20; left > 0; --left)
            page += pieces.at(random() % pieces.size());
        for (const unsigned how : {0U, 1U, 2U, 7U}) {
            LookFor look_for{.assets = (how & 1U) != 0,
                             .ids = (how & 2U) != 0,
                             .places = (how & 4U) != 0};
            const std::string quickly = said_of(page, look_for);
            look_for.slowly = true;
            INFO(page);
            REQUIRE(quickly == said_of(page, look_for));
            found += quickly.empty() ? 0 : 1;
        }
    }
    CHECK(found > 10'000);
}
