#include "tests/practice_site/files.h"
#include "tests/support/prelude.h"

#include <filesystem>
#include <fstream>

#include <sys/stat.h>

using namespace practice_site;
namespace fs = std::filesystem;

namespace {

/// A folder "site" with a few files in it, and things beside it that must stay hidden.
class Fixture {
  public:
    Fixture() {
        std::string name = (fs::temp_directory_path() / "practice_site.XXXXXX").string();
        REQUIRE(::mkdtemp(name.data()) != nullptr);
        top_ = fs::canonical(name);
        fs::create_directories(top_ / "site/docs/deep");
        fs::create_directories(top_ / "site/plain");
        fs::create_directories(top_ / "site-2");
        write("secret.txt", "SECRET");
        write("site-2/secret.txt", "SECRET");
        write("site/index.html", "the first page");
        write("site/docs/index.html", "the docs");
        write("site/docs/deep/a b&c.txt", "blanks");
        write("site/plain/50%.txt", "half");
        write("site/plain/empty", "");
        write("site/%2e%2e", "two dots, encoded");
    }
    ~Fixture() { fs::remove_all(top_); }
    Fixture(const Fixture&) = delete;
    Fixture& operator=(const Fixture&) = delete;

    void write(const fs::path& file, std::string_view text) const {
        std::ofstream(top_ / file) << text;
    }
    fs::path site() const { return top_ / "site"; }

    Answer ask(std::string_view target) const {
        return Folder(site()).answer({target, "http://127.0.0.1:8080"});
    }

  private:
    fs::path top_;
};

} // namespace

TEST_CASE_FIXTURE(Fixture, "files: whatever is in the folder is served") {
    CHECK(ask("/").body == "the first page");
    CHECK(ask("/index.html").body == "the first page");
    CHECK(ask("/index.html").type == "text/html");
    CHECK(ask("/index.html?query").body == "the first page");
    CHECK(ask("/docs/").body == "the docs");
    CHECK(ask("/docs/deep/a%20b%26c.txt").body == "blanks");
    CHECK(ask("/%64ocs/%69ndex.html").body == "the docs");
    CHECK(ask("/docs/./index.html").body == "the docs");
    CHECK(ask("/plain/50%25.txt").body == "half");
    CHECK(ask("/plain/empty").status == 200);
    CHECK(ask("/plain/empty").type == "application/octet-stream");
    CHECK(ask("/nothing").status == 404);
    CHECK(ask("/index.html/").status == 404);
    CHECK(ask("/index.html/x").status == 404);
}

TEST_CASE_FIXTURE(Fixture, "files: no path leads out of the folder") {
    fs::create_symlink("../secret.txt", site() / "link.txt");
    fs::create_symlink("..", site() / "up");
    fs::create_symlink("/", site() / "slash");
    fs::create_symlink("../site-2", site() / "neighbour");
    fs::create_symlink("docs/index.html", site() / "inside.html");
    fs::create_symlink("loop", site() / "loop");
    fs::create_symlink("../../secret.txt", site() / "plain/index.html");
    const std::string absolute = (site().parent_path() / "secret.txt").string();

    const std::vector<std::string> targets{
        "/../secret.txt",
        "/docs/../../secret.txt",
        "/..",
        "/docs/../index.html", // refused although it ends inside
        "/../",
        "/%2e%2e/secret.txt",
        "/%2E%2e/secret.txt",
        "/.%2e/secret.txt",
        "/..%2fsecret.txt",
        "/%2e%2e%2fsecret.txt",
        "/docs/%2e%2e/%2e%2e/secret.txt",
        "/%252e%252e/secret.txt",
        "/..%5csecret.txt",
        "/..%c0%afsecret.txt",
        "/../site-2/secret.txt",
        "/index.html%00.txt",
        "/%00",
        "/docs%00/index.html",
        "/link.txt",
        "/up/secret.txt",
        "/up/",
        "/up",
        "/up/site/index.html/../../../secret.txt",
        "/slash/etc/passwd",
        "/neighbour/secret.txt",
        "/neighbour/",
        "/loop",
        "etc/passwd",
        "*",
        "",
        absolute,
        "/" + absolute,
        "//" + absolute,
        "/%2f" + absolute};
    for (const std::string& target : targets) {
        CAPTURE(target);
        const Answer answer = ask(target);
        CHECK(answer.status == 404);
        CHECK(answer.body.find("SECRET") == std::string::npos);
        CHECK(answer.location.empty());
    }
    CHECK(ask("/inside.html").body == "the docs");
    CHECK(ask("/%252e%252e").body == "two dots, encoded"); // decoded once
    // An index.html that leads out is ignored, and links that lead out are not listed.
    CHECK(ask("/plain/").status == 200);
    CHECK(ask("/plain/").body.find("SECRET") == std::string::npos);
    CHECK(ask("/plain/").body.find("index.html") == std::string::npos);
    // A link back into the folder that goes through the outside is inside.
    CHECK(ask("/up/site/index.html").body == "the first page");
}

TEST_CASE_FIXTURE(Fixture, "files: a malformed percent-encoding is a bad request") {
    for (const std::string_view target : {"/%", "/%2", "/%zz", "/a%2", "/%%32e"}) {
        CAPTURE(target);
        CHECK(ask(target).status == 400);
    }
}

TEST_CASE_FIXTURE(Fixture, "files: a folder's URL without its slash redirects") {
    CHECK(ask("/docs").status == 301);
    CHECK(ask("/docs").location == "http://127.0.0.1:8080/docs/");
    CHECK(ask("/docs?a=b").location == "http://127.0.0.1:8080/docs/?a=b");
    // Alone, "//docs/" would be the host "docs".
    CHECK(ask("//docs").location == "http://127.0.0.1:8080//docs/");
}

TEST_CASE_FIXTURE(Fixture, "files: a folder without index.html is listed") {
    write("site/docs/deep/<b>.html", "angles");
    write("site/docs/deep/a:b", "not a scheme");
    fs::create_directory(site() / "docs/deep/sub");
    const std::string list = ask("/docs/deep/").body;
    CHECK(list.find("<li><a href=\"../\">../</a></li>") != std::string::npos);
    CHECK(list.find("<li><a href=\"./a%20b%26c.txt\">a b&amp;c.txt</a></li>")
          != std::string::npos);
    CHECK(list.find("<li><a href=\"./%3Cb%3E.html\">&lt;b&gt;.html</a></li>")
          != std::string::npos);
    CHECK(list.find("href=\"./a%3Ab\"") != std::string::npos);
    CHECK(list.find("<li><a href=\"./sub/\">sub/</a></li>") != std::string::npos);
    fs::remove(site() / "index.html");
    CHECK(ask("/").body.find("../") == std::string::npos);
}

TEST_CASE_FIXTURE(Fixture, "files: a named pipe is not waited for") {
    REQUIRE(::mkfifo((site() / "pipe").c_str(), 0600) == 0);
    CHECK(ask("/pipe").status == 404);
}

TEST_CASE("files: content types follow from names") {
    CHECK(content_type("a.html") == "text/html");
    CHECK(content_type("a.HTM") == "text/html");
    CHECK(content_type("a.css") == "text/css");
    CHECK(content_type("a.png") == "image/png");
    CHECK(content_type("a.tar.woff2") == "font/woff2");
    CHECK(content_type("html") == "application/octet-stream");
    CHECK(content_type(".html") == "application/octet-stream");
}

TEST_CASE("files: a folder that does not exist is an error") {
    CHECK_THROWS_AS(Folder("/no/such/folder"), fs::filesystem_error);
}
