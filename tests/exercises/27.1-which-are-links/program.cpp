#include "common/web/links.h"
#include "questions.h"

#include <string_view>

namespace {

constexpr std::string_view slash = R"(<a/href="x">)";

constexpr std::string_view comment = R"(
    <!-- <a href="1"> --> <a href="2">
    <!--> <a href="3">
    <!-- -- > <a href="4"> -->
)";

constexpr std::string_view quotes = R"(
    <p title="<a href='1'>">
    <p title=<a href='2'>
    <a title=">" href="3">
)";

constexpr std::string_view text_area = R"(
    <title><a href="1"></title>
    <textarea><a href="2"></textarea>
    <pre><a href="3"></pre>
)";

constexpr std::string_view no_script = R"(<noscript><a href="1"></noscript>)";

constexpr std::string_view script = R"(
    <script> document.write('<a href="1">') </script>
    <script> <!-- <script></script> <a href="2"> --> </script>
    <a href="3">
)";

constexpr std::string_view cut_off = R"(<a href="1"> <a href="2)";

constexpr std::string_view twice = R"(<a href="1" href="2">)";

int links_in(std::string_view page) {
    const auto found =
        common::find_links(page, "text/html", *common::parse_url("http://h/"));
    return static_cast<int>(found.urls.size());
}

} // namespace

Answers run_program() {
    return {.slash = links_in(slash),
            .comment = links_in(comment),
            .quotes = links_in(quotes),
            .text_area = links_in(text_area),
            .no_script = links_in(no_script),
            .script = links_in(script),
            .cut_off = links_in(cut_off),
            .twice = links_in(twice)};
}
