#include "common/web/links.h"
#include "questions.h"

#include <string>
#include <string_view>

namespace {

constexpr std::string_view places = R"(
    <h1 id="Intro">Introduction</h1>
    <a name="old">From before there were ids</a>
    <img name="logo" src="logo.png">
    <p id="a b">
    <p id="50%25">
    <script> document.write('<p id="later">') </script>
    A word in the text.
)";

/// Is the place there that a link points to, which comes before the page's last element?
int look_for(std::string_view fragment) {
    common::LinkLimits limits;
    limits.ids = true;
    const std::string page = std::string(places) + "<a href='" + std::string(fragment)
                             + "'>there</a> <p id=z>";
    const auto links =
        common::find_links(page, "text/html", *common::parse_url("http://h/"), limits);
    return links.fragments.empty() ? found : missing;
}

} // namespace

Answers run_program() {
    return {.letters = look_for("#intro"),
            .top = look_for("#Top"),
            .old = look_for("#old"),
            .logo = look_for("#logo"),
            .blank = look_for("#a%20b"),
            .percent = look_for("#50%25"),
            .script = look_for("#later"),
            .text = look_for("#:~:text=word"),
            .end = look_for("#z")};
}
