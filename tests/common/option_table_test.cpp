// What the help, the man page and the completions make of a table of options.
#include "common/command_line/option_table.h"
#include "tests/support/prelude.h"

using common::OptionTable;

namespace {

OptionTable table() {
    return {.program = "paint",
            .description = "Paints.",
            .arguments = {{"WALL", "what to paint"}},
            .options = {{"-c,--colour", "C", "red\nor [blue]", "Look", {"red", "blue"}},
                        {"--list", "FILE", "isn't shown", "Look", {}, true, true},
                        {"--header", "'N: V'", "a back\\slash", "Words", {}},
                        {"--made", "KIND", "", "Words", {}, false, true},
                        {"-l,--loud", "", "'sing'", "Words", {}}},
            .footer = ".45 litres"};
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("the help lists the options that aren't hidden under their headings") {
    CHECK(common::as_help(table()) == R"(Paints.
Usage: paint [OPTIONS]

Arguments:
  WALL                    what to paint

Look:
  -c,--colour C           red
                          or [blue]

Words:
  --header 'N: V'         a back\slash
  -l,--loud               'sing'

.45 litres
)");
}

TEST_CASE("a man page has no text that could be taken for a command") {
    const std::string page =
        common::as_man_page(table(), "paint 1.0", {{"More", "'x\n-y\n"}});
    CHECK(
        page.starts_with(".TH paint 1 \"\" \"paint 1.0\"\n.SH NAME\npaint \\- Paints."));
    CHECK(
        has(page, ".SS Look\n.TP\n\\fB\\-c\\fR, \\fB\\-\\-colour\\fR \\fIC\\fR\nred\n"));
    CHECK(has(page, "a back\\eslash\n"));
    CHECK(has(page, "\n\\(aqsing\\(aq\n"));
    CHECK(has(page, ".nf\n\\&.45 litres\n.fi\n"));
    CHECK(page.ends_with(".SH MORE\n.nf\n\\(aqx\n\\-y\n.fi\n"));
    CHECK(has(page, "\\-\\-list")); // hidden from the help only
    CHECK_FALSE(has(page, "made")); // of no use to people
}

TEST_CASE(
    "completions know an option's names, meaning and words, in each shell's quotes") {
    const std::string bash = common::as_completions(table(), "bash");
    CHECK(has(bash, "-c|--colour) words='red blue' ;;\n"));
    CHECK(has(bash, "    --list)\n"));
    CHECK(has(bash, "    --header) return ;;\n"));
    CHECK(has(bash, "words='-c --colour --list --header -l --loud'"));
    CHECK(bash.ends_with("\ncomplete -F _paint paint\n"));

    const std::string zsh = common::as_completions(table(), "zsh");
    CHECK(zsh.starts_with("#compdef paint\n"));
    CHECK(has(zsh, R"('(-c --colour)-c+[red or \[blue\]]:C:(red blue)')"));
    CHECK(has(zsh, R"('(-c --colour)--colour=[)"));
    CHECK(has(zsh, R"('*--list=[isn'\''t shown]:FILE:_files')"));
    CHECK(has(zsh, R"('(--header)--header=[a back\\slash]:'\''N\: V'\'': ')"));
    CHECK(has(zsh, R"('(-l --loud)--loud['\''sing'\'']')"));

    const std::string fish = common::as_completions(table(), "fish");
    CHECK(fish.starts_with("complete -c paint -f\n"));
    CHECK(has(fish, "-s c -l colour -x -a 'red blue' -d 'red or [blue]'\n"));
    CHECK(has(fish, R"(-l list -r -F -d 'isn\'t shown')"));
    CHECK(has(fish, R"(-l header -x -d 'a back\\slash')"));
    for (const std::string& script : {bash, zsh, fish})
        CHECK_FALSE(has(script, "made"));
}
