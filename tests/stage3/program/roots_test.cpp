// What a user may give a crawl to begin with, and what is refused.
#include "common/command_line/usage_error.h"
#include "stage3_queue_crawler/program/roots.h"
#include "tests/stage3/program/folder.h"
#include "tests/support/prelude.h"

#include <filesystem>
#include <fstream>
#include <tuple>

using tests::Folder;
namespace fs = std::filesystem;

namespace {

/// The roots of these words, or the error.
template <class Add>
std::string outcome_of(Add add, const std::string& text) {
    stage3::Options options;
    try {
        add(text, options);
    } catch (const common::UsageError& error) {
        return error.what();
    }
    std::string roots;
    for (const common::Url& root : options.roots)
        roots += (roots.empty() ? "" : " ") + std::string(root.href());
    return roots;
}

std::string root(const std::string& text) {
    return outcome_of([](const std::string& one,
                         stage3::Options& options) { stage3::add_roots({one}, options); },
                      text);
}
std::string list(const std::string& path) {
    return outcome_of(stage3::add_roots_from, path);
}

/// "https://_folder/ = public": what is served from where.
std::string folders_of(const std::vector<std::string>& texts) {
    stage3::Options options;
    stage3::add_roots(texts, options);
    std::string served;
    for (const stage3::Remap& remap : options.remaps)
        served += fmt::format("{} = {}; ", remap.from.href(), remap.folder);
    return served;
}

} // namespace

TEST_CASE_FIXTURE(Folder, "a folder or a file on this machine is a root") {
    Folder::write("public/index.html", "");
    Folder::write("a page%.html", "");
    Folder::write("it's/index.htm", "");
    Folder::write("notes.TXT", "");
    Folder::write("index.html", "");
    for (const auto& [path, url, folder] :
         {std::tuple("./public", "https://_folder/", "./public"),
          {"public", "https://_folder/", "public"},
          {"public/", "https://_folder/", "public/"},
          {".", "https://_folder/", "."},
          {"./it's", "https://_folder/", "./it's"},
          {"FILE:public", "https://_folder/", "public"},
          {"a page%.html", "https://_folder/a%20page%25.html", "."},
          {"notes.TXT", "https://_folder/notes.TXT", "."},
          {"public/index.html", "https://_folder/index.html", "public"}}) {
        CHECK(root(path) == url);
        CHECK(folders_of({path}) == fmt::format("https://_folder/ = {}; ", folder));
    }
}

TEST_CASE_FIXTURE(Folder, "a root's fragment may stand behind a path") {
    Folder::write("site/index.html", "");
    Folder::write("site/a#b.html", "");
    stage3::Options options;
    stage3::add_roots({"./site/index.html#part", "./site#top", "./site/a#b.html"},
                      options);
    CHECK(options.roots[0].href() == "https://_folder/index.html");
    CHECK(options.roots[1].href() == "https://_folder/");
    CHECK(options.roots[2].href() == "https://_folder/a%23b.html");
    const common::LinkFragments& named = options.crawl.frontier.of_roots;
    REQUIRE(named.places.size() == 1);
    CHECK(named.fragment(named.places[0]).text == "part");
    CHECK(named.pages.at(named.places[0].page) == options.roots[0]);
}

TEST_CASE_FIXTURE(Folder, "several folders have their names in their URLs") {
    for (const char* const file : {"a/Docs 1/index.html", "b/docs-1/index.html",
                                   "site/index.html", "\u00e9/index.html"})
        Folder::write(file, "");
    CHECK(folders_of({"a/Docs 1", "b/docs-1", "http://h/", "site", "./a/../site"})
          == "https://_folder.docs-1/ = a/Docs 1; https://_folder.docs-1-2/ = b/docs-1; "
             "https://_folder.site/ = site; ");
    Folder::write("2024/index.html", "");
    CHECK(folders_of({"site", "2024"})
          == "https://_folder.site/ = site; https://_folder.folder-2024/ = 2024; ");
    CHECK(folders_of({"site", "site/index.html"}) == "https://_folder/ = site; ");
    CHECK(folders_of({"site", "./\u00e9"})
          == "https://_folder.site/ = site; https://_folder.folder/ = ./\u00e9; ");
}

TEST_CASE_FIXTURE(Folder, "a path as a root at which there is no page is refused") {
    for (const char* const path : {"/no/such", "./no", "file:///no/such"})
        CHECK(root(path)
              == fmt::format("'{}' is a path, but there is nothing there", path));
    CHECK(root("/dev/null") == "'/dev/null' is a path, but not that of a folder or file");
    Folder::write("it's/b.html", "");
    Folder::write("it's/a.htm", "");
    CHECK(
        root("./it's")
        == "the folder './it's' has no index.html: give the page to begin with, such as "
           "'./it'\\''s/a.htm'");
    fs::create_directory("empty");
    CHECK(root("empty").ends_with("such as empty/page.html"));
}

TEST_CASE_FIXTURE(Folder,
                  "two logins for one origin are refused, and no password is shown") {
    Folder::write("two", "http://a:secret@h/1\nhttp://a:secret@h/2\nhttp://b:other@h/\n");
    CHECK(list("two")
          == "--urls-from: two, line 3: two different logins for http://h: give one");
    Folder::write("bad", "http://me:secret@h:99999/\n");
    CHECK(list("bad").find("secret") == std::string::npos);
    Folder::write("one", "http://a:secret@h/1\nhttp://a:secret@h/2\nhttp://b:c@i/\n");
    CHECK(list("one") == "http://h/1 http://h/2 http://i/");
    stage3::Options options;
    stage3::add_roots_from("one", options);
    CHECK(options.crawl.logins.at("http://h").password == "secret");
    CHECK(options.crawl.logins.at("http://i").password == "c");
}

TEST_CASE_FIXTURE(Folder, "a host is crawled even if a file or a folder has its name") {
    Folder::write("example.com", "");
    Folder::write("example.org/index.html", "");
    Folder::write("localhost/x", "");
    Folder::write("wiki/x", "");
    for (const std::string host :
         {"example.com/", "none.txt/", "example.org/", "example.org/index.html",
          "localhost/", "nowhere/docs"}) {
        const bool is_whole = host.ends_with('/');
        CHECK(root(is_whole ? host.substr(0, host.size() - 1) : host)
              == "http://" + host);
    }
    CHECK(root("http://wiki/") == "http://wiki/");
    Folder::write("list", "wiki\n"); // which is understood without a look at the disk
    CHECK(list("list") == "http://wiki/");
}

TEST_CASE_FIXTURE(
    Folder,
    "a list of URLs may have empty lines, comments and the line ends of Windows") {
    Folder::write("list", "\xef\xbb\xbfhttp://a/\r\n\r\n  # comment\r\n b/x#y \n\n::1");
    CHECK(list("list") == "http://a/ http://b/x http://[::1]/");
    Folder::write("list", "a/#b # my page\nc/\t#\n");
    CHECK(list("list") == "http://a/ http://c/");
    Folder::write("empty", "");
    CHECK(list("empty").empty());
}

TEST_CASE_FIXTURE(Folder, "a line of a list that is no URL is refused by file and line") {
    const auto refusal = [](const std::string& line) {
        Folder::write("list", "ok\n\n" + line + '\n');
        const std::string error = list("list");
        const std::string begin = "--urls-from: list, line 3: ";
        return error.starts_with(begin) ? error.substr(begin.size()) : error;
    };
    for (const auto& [line, shown] :
         {std::pair<std::string, std::string>("a b", "a b"),
          {"a\tb", "a\\x09b"},
          {"a\rb", "a\\x0db"},
          {std::string("a\0", 2) + 'b', "a\\x00b"},
          {"http://a:secret@b/ http://c/", "...@b/ http://c/"}})
        CHECK(refusal(line)
              == fmt::format("'{}' has a space or a control character in it: give one "
                             "URL per line",
                             shown));
    CHECK(refusal("ftp://b/")
          == "'ftp://b/' is not a URL to crawl: give one like https://example.org/");
    for (const char* const path : {"/srv", "./wiki"})
        CHECK(
            refusal(path)
            == fmt::format("'{}' is a path: give folders and files as arguments", path));
    Folder::write("binary", std::string(5000, ' ' - 1));
    CHECK(list("binary").size() < 300);
    Folder::write("utf-16", std::string("\xff\xfe"
                                        "a\0\n\0",
                                        6));
    CHECK(list("utf-16") == "--urls-from: utf-16 looks like UTF-16: save it as UTF-8");
    CHECK(list("none") == "--urls-from: can't read 'none': No such file or directory");
    CHECK(list("/tmp") == "--urls-from: can't read '/tmp': Is a directory");
}

TEST_CASE_FIXTURE(Folder, "a root's fragment is kept, for --fragments") {
    stage3::Options options;
    stage3::add_roots({"http://h/a#x%20y", "http://h/b", "http://h/c#top"}, options);
    Folder::write("list", "http://h/d#z # a comment\n");
    stage3::add_roots_from("list", options);
    const common::LinkFragments& named = options.crawl.frontier.of_roots;
    REQUIRE(named.places.size() == 2);
    CHECK(named.fragment(named.places[0]).text == "x%20y");
    CHECK(named.pages.at(named.places[0].page).href() == "http://h/a");
    CHECK(named.fragment(named.places[1]).text == "z");
    CHECK(named.pages.at(named.places[1].page).href() == "http://h/d");
}
