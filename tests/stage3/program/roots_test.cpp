// What a user may give a crawl to begin with, and what is refused.
#include "common/command_line/usage_error.h"
#include "stage3_queue_crawler/program/roots.h"
#include "tests/stage3/program/folder.h"
#include "tests/support/prelude.h"

#include <fstream>
#include <tuple>

using tests::Folder;

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

std::string root(const std::string& text) { return outcome_of(stage3::add_root, text); }
std::string list(const std::string& path) {
    return outcome_of(stage3::add_roots_from, path);
}

std::string advice(const std::string& path, const std::string& folder,
                   const std::string& file = "") {
    return fmt::format("'{}' is a path on this machine, and only servers can be crawled: "
                       "start one with python3 -m http.server --directory {} 8000, then "
                       "crawl localhost:8000{}",
                       path, folder, file);
}

} // namespace

TEST_CASE_FIXTURE(
    Folder, "a folder or file as a root is refused with the command that serves it") {
    Folder::write("public/index.html", "");
    Folder::write("a page.html", "");
    Folder::write("it's/x", "");
    Folder::write("notes.TXT", "");
    for (const auto& [path, folder, file] : {std::tuple("./public", "./public", ""),
                                             {".", ".", ""},
                                             {"./it's", "'./it'\\''s'", ""},
                                             {"FILE:public", "public", ""}})
        CHECK(root(path) == advice(path, folder, file));
    // These may be hosts as well.
    for (const auto& [path, folder, file] :
         {std::tuple("public", "public", ""),
          {"public/", "public/", ""},
          {"a page.html", ".", "/a page.html"},
          {"notes.TXT", ".", "/notes.TXT"},
          {"public/index.html", "public", "/index.html"}})
        CHECK(root(path) == advice(path, folder, file) + ", or write http://" + path);
}

TEST_CASE("a path as a root that leads nowhere is refused without a command") {
    for (const char* const path : {"/no/such", "./no", "file:///no/such"})
        CHECK(root(path)
              == fmt::format("'{}' is a path, but there is nothing there; and only "
                             "servers can be crawled",
                             path));
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
        CHECK(refusal(path)
              == fmt::format("'{}' is a path, and only servers can be crawled", path));
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
    stage3::add_root("http://h/a#x%20y", options);
    stage3::add_root("http://h/b", options);
    stage3::add_root("http://h/c#top", options);
    Folder::write("list", "http://h/d#z # a comment\n");
    stage3::add_roots_from("list", options);
    const common::LinkFragments& named = options.crawl.frontier.of_roots;
    REQUIRE(named.places.size() == 2);
    CHECK(named.fragment(named.places[0]).text == "x%20y");
    CHECK(named.pages.at(named.places[0].page).href() == "http://h/a");
    CHECK(named.fragment(named.places[1]).text == "z");
    CHECK(named.pages.at(named.places[1].page).href() == "http://h/d");
}
