// What a user may give a crawl to begin with, and what is refused.
#include "common/command_line/usage_error.h"
#include "stage3_queue_crawler/program/roots.h"
#include "tests/support/prelude.h"

#include <filesystem>
#include <fstream>

#include <unistd.h>

namespace fs = std::filesystem;

namespace {

/// A folder that is the current one until the test ends.
class Folder {
  public:
    Folder() {
        fs::create_directories(path_);
        fs::current_path(path_);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() {
        fs::current_path(before_);
        fs::remove_all(path_);
    }

    static void write(const std::string& name, const std::string& text) {
        if (const fs::path folder = fs::path(name).parent_path(); !folder.empty())
            fs::create_directories(folder);
        std::ofstream(name) << text;
    }

  private:
    const fs::path before_ = fs::current_path();
    const fs::path path_ =
        fs::temp_directory_path() / fmt::format("stage3_roots_{}", ::getpid());
};

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

TEST_CASE("a folder or file as a root is refused with the command that serves it") {
    const Folder folder;
    Folder::write("public/index.html", "");
    Folder::write("a page.html", "");
    Folder::write("it's/x", "");
    CHECK(root("./public") == advice("./public", "./public"));
    CHECK(root("public") == advice("public", "public") + ", or write http://public");
    CHECK(root("public/") == advice("public/", "public/") + ", or write http://public/");
    CHECK(root(".") == advice(".", "."));
    CHECK(root("./it's") == advice("./it's", "'./it'\\''s'"));
    CHECK(root("a page.html")
          == advice("a page.html", ".", "/a page.html")
                 + ", or write http://a page.html");
    CHECK(root("public/index.html")
          == advice("public/index.html", "public", "/index.html")
                 + ", or write http://public/index.html");
    CHECK(root("FILE:public") == advice("FILE:public", "public"));
}

TEST_CASE("a path as a root that leads nowhere is refused without a command") {
    for (const char* const path : {"/no/such", "./no", "file:///no/such"}) {
        CAPTURE(path);
        CHECK(
            root(path)
            == fmt::format("'{}' is a path, but there is nothing there; and only servers "
                           "can be crawled",
                           path));
    }
}

TEST_CASE("two different logins for one origin are refused without their passwords") {
    const Folder folder;
    Folder::write("two", "http://a:secret@h/1\nhttp://a:secret@h/2\nhttp://b:other@h/\n");
    CHECK(list("two")
          == "--urls-from: two, line 3: two different logins for http://h: give one");
    Folder::write("one", "http://a:secret@h/1\nhttp://a:secret@h/2\nhttp://b:c@i/\n");
    CHECK(list("one") == "http://h/1 http://h/2 http://i/");
}

TEST_CASE(
    "a host is crawled even if a file has its name, unless that looks like a page") {
    const Folder folder;
    Folder::write("example.com", "");
    Folder::write("notes.TXT", "");
    CHECK(root("example.com") == "http://example.com/");
    CHECK(root("notes.TXT")
          == advice("notes.TXT", ".", "/notes.TXT") + ", or write http://notes.TXT");
    CHECK(root("none.txt") == "http://none.txt/");
}

TEST_CASE("a host is crawled even if a folder has its name") {
    const Folder folder;
    Folder::write("example.org/index.html", "");
    Folder::write("localhost/x", "");
    Folder::write("wiki/x", "");
    CHECK(root("example.org") == "http://example.org/");
    CHECK(root("example.org/index.html") == "http://example.org/index.html");
    CHECK(root("localhost") == "http://localhost/");
    CHECK(root("http://wiki/") == "http://wiki/");
    CHECK(root("nowhere/docs") == "http://nowhere/docs");
}

TEST_CASE("a list of URLs may have empty lines, comments and the line ends of Windows") {
    const Folder folder;
    Folder::write("list", "\xef\xbb\xbfhttp://a/\r\n\r\n  # comment\r\n b/x#y \n\n::1");
    CHECK(list("list") == "http://a/ http://b/x http://[::1]/");
    Folder::write("empty", "");
    CHECK(list("empty").empty());
}

TEST_CASE("a list is understood without a look at the disk") {
    const Folder folder;
    Folder::write("wiki/x", "");
    Folder::write("list", "wiki\n");
    CHECK(list("list") == "http://wiki/");
    Folder::write("paths", "a\n./wiki\n");
    CHECK(list("paths")
          == "--urls-from: paths, line 2: './wiki' is a path, and only servers can be "
             "crawled");
}

TEST_CASE("a line of a list may end in a comment, but has only one URL") {
    const Folder folder;
    Folder::write("list", "a/#b # my page\nc/\t#\n");
    CHECK(list("list") == "http://a/ http://c/");
    const auto refusal = [](const std::string& line) {
        Folder::write("list", "ok\n" + line + '\n');
        return list("list");
    };
    const auto expected = [](const std::string& shown) {
        return fmt::format("--urls-from: list, line 2: '{}' has a space or a control "
                           "character in it: give one URL per line",
                           shown);
    };
    CHECK(refusal("a b") == expected("a b"));
    CHECK(refusal("a\tb") == expected("a\\x09b"));
    CHECK(refusal("a\rb") == expected("a\\x0db"));
    CHECK(refusal(std::string("a\0", 2) + 'b') == expected("a\\x00b"));
    CHECK(refusal("http://a:secret@b/ http://c/") == expected("...@b/ http://c/"));
}

TEST_CASE("a list in UTF-16 is refused by that name") {
    const Folder folder;
    Folder::write("list", std::string("\xff\xfe"
                                      "a\0\n\0",
                                      6));
    CHECK(list("list") == "--urls-from: list looks like UTF-16: save it as UTF-8");
}

TEST_CASE("a line of a list that is no URL is refused by file and line") {
    const Folder folder;
    Folder::write("list", "http://a/\n\nftp://b/\n");
    CHECK(list("list")
          == "--urls-from: list, line 3: 'ftp://b/' is not a URL to crawl: give one like "
             "https://example.org/");
    Folder::write("paths", "/srv\n");
    CHECK(list("paths")
          == "--urls-from: paths, line 1: '/srv' is a path, and only servers can be "
             "crawled");
    Folder::write("binary", std::string(5000, ' ' - 1));
    CHECK(list("binary").size() < 300);
    CHECK(list("none") == "--urls-from: can't read 'none': No such file or directory");
    CHECK(list("/tmp") == "--urls-from: can't read '/tmp': Is a directory");
}

TEST_CASE("a password in a list goes to its origin and isn't shown") {
    const Folder folder;
    Folder::write("list", "http://me:secret@h/\n");
    stage3::Options options;
    stage3::add_roots_from("list", options);
    CHECK(options.roots.at(0).href() == "http://h/");
    CHECK(options.crawl.logins.at("http://h").password == "secret");
    Folder::write("bad", "http://me:secret@h:99999/\n");
    CHECK(list("bad").find("secret") == std::string::npos);
}
