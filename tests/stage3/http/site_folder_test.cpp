// Which file a path on a site is, and that none is outside of the site's folder.
#include "stage3_queue_crawler/http/site_folder.h"
#include "tests/stage3/program/folder.h"
#include "tests/support/prelude.h"

#include <system_error>

#include <sys/stat.h>
#include <unistd.h>

using stage3::SiteFile;
using stage3::SiteFolder;
using tests::Folder;
namespace fs = std::filesystem;

namespace {

class Site : public Folder {
  public:
    Site() {
        for (const char* const file :
             {"index.html", "about.html", "guide/index.html", "guide/a b.html", "old.htm",
              "old/index.htm", "both.html", "both/index.html", "LICENSE", "50%.html"})
            Folder::write("site/" + std::string(file), file);
        Folder::write("secret.txt", "secret");
        fs::create_directory("site/empty");
    }

    /// "200 guide/index.html", "301", "404", "404 404.html" or "403 why".
    static std::string found(const std::string& target) {
        const SiteFile file = SiteFolder("site").find(target);
        std::string text(file.size, '\0');
        if (file.descriptor)
            text.resize(static_cast<std::size_t>(
                ::read(file.descriptor.fd(), text.data(), text.size())));
        switch (file.kind) {
        case SiteFile::Kind::file: return "200 " + text;
        case SiteFile::Kind::folder: return "301";
        case SiteFile::Kind::refused: return "403 " + file.why;
        case SiteFile::Kind::busy: return "503";
        case SiteFile::Kind::missing: break;
        }
        return file.descriptor ? "404 " + text : "404";
    }
};

} // namespace

TEST_CASE_FIXTURE(Site, "a path is a file, a folder's index, or a page without .html") {
    for (const auto& [target, file] : {std::pair("/", "index.html"),
                                       {"/?q", "index.html"},
                                       {"", "index.html"},
                                       {"/index.html", "index.html"},
                                       {"/about", "about.html"},
                                       {"/about.html?a/b", "about.html"},
                                       {"/guide/", "guide/index.html"},
                                       {"/guide/a%20b.html", "guide/a b.html"},
                                       {"/guide/a%20b", "guide/a b.html"},
                                       {"//guide///a%20b", "guide/a b.html"},
                                       {"/old/", "old/index.htm"},
                                       {"/both", "both.html"},
                                       {"/both/", "both/index.html"},
                                       {"/LICENSE", "LICENSE"},
                                       {"/50%25", "50%.html"},
                                       {"/50%", "50%.html"}})
        CHECK_MESSAGE(found(target) == "200 " + std::string(file), target);
    CHECK(found("/guide") == "301");
    CHECK(found("/empty") == "301");
    for (const char* const target : {"/empty/", "/gone", "/about/", "/LICENSE/",
                                     "/guide/x/", "/LICENSE/x", "/About", "/old/x%3Fy"})
        CHECK_MESSAGE(found(target) == "404", target);
    CHECK(found('/' + std::string(5000, 'x')) == "404");
}

TEST_CASE_FIXTURE(Site, "what isn't there is 404.html, if that is there") {
    Folder::write("site/404.html", "lost");
    CHECK(found("/gone") == "404 lost");
    CHECK(found("/%00") == "404 lost");
    CHECK(found("/404.html") == "200 lost");
    fs::remove("site/404.html");
    fs::create_symlink("../secret.txt", "site/404.html");
    CHECK(found("/gone") == "404");
}

TEST_CASE_FIXTURE(Site, "no path leads out of the folder") {
    for (const char* const target :
         {"/../secret.txt", "/%2e%2e/secret.txt", "/.%2E/secret.txt",
          "/guide/../../secret.txt", "/guide/..%2f..%2fsecret.txt", "/..%2fsecret.txt",
          "/%2fetc/passwd", "/..%00/secret.txt", "/index.html%00.txt", "/./index.html",
          "/guide/..", "/..\\secret.txt", "/..%5csecret.txt", "../secret.txt", "/.."})
        CHECK_MESSAGE(found(target) == "404", target);
    CHECK(found("//etc/passwd") == "404"); // it's below the folder
}

TEST_CASE_FIXTURE(Site, "a symbolic link may lead anywhere in the folder, but not out") {
    fs::create_symlink("../about.html", "site/guide/in.html");
    fs::create_directory_symlink("guide", "site/manual");
    fs::create_symlink("../secret.txt", "site/out.txt");
    fs::create_symlink(fs::absolute("secret.txt"), "site/absolute.html");
    fs::create_directory_symlink("..", "site/up");
    fs::create_symlink("round", "site/round");
    fs::create_symlink("nowhere", "site/dangling");
    CHECK(found("/guide/in") == "200 about.html");
    CHECK(found("/manual/a%20b") == "200 guide/a b.html");
    const std::string refusal = "403 a symbolic link leads out of the folder";
    for (const char* const target :
         {"/out.txt", "/absolute", "/absolute.html", "/up", "/up/", "/up/secret.txt",
          "/up/site/index.html/../../../x"})
        CHECK_MESSAGE((found(target) == refusal || found(target) == "404"), target);
    CHECK(found("/out.txt") == refusal);
    CHECK(found("/absolute") == refusal);
    CHECK(found("/up") == refusal);
    CHECK(found("/up/secret.txt") == refusal);
    CHECK(found("/up/site/index.html") == "200 index.html"); // it has come back
    CHECK(found("/round").starts_with("403 Too many levels"));
    CHECK(found("/dangling") == "404");
    // The folder itself may be one.
    fs::create_directory_symlink("site", "link");
    CHECK(SiteFolder("link").find("/about").kind == SiteFile::Kind::file);
    // A folder whose name begins alike is another one.
    Folder::write("site2/x.html", "");
    fs::create_symlink("../site2/x.html", "site/x.html");
    CHECK(found("/x") == refusal);
}

TEST_CASE_FIXTURE(Site,
                  "what is no file, or can't be read, is refused, and nothing waits") {
    REQUIRE(::mkfifo("site/pipe", 0600) == 0);
    CHECK(found("/pipe") == "403 it's no regular file");
    if (::geteuid() == 0)
        return; // may read everything
    fs::permissions("site/LICENSE", fs::perms::none);
    fs::permissions("site/guide", fs::perms::none);
    CHECK(found("/LICENSE") == "403 Permission denied");
    CHECK(found("/guide/") == "403 Permission denied");
    CHECK(found("/guide/a%20b") == "403 Permission denied");
    fs::permissions("site/guide", fs::perms::owner_all);
}

TEST_CASE_FIXTURE(Site, "a folder that isn't there, or is none, can't be a site") {
    CHECK_THROWS_AS(SiteFolder("none"), std::system_error);
    CHECK_THROWS_AS(SiteFolder("secret.txt"), std::system_error);
}

TEST_CASE_FIXTURE(Site, "a file's version changes with the file") {
    const auto version = [] { return SiteFolder("site").find("/about").version; };
    const std::string before = version();
    CHECK(before == version());
    Folder::write("site/about.html", "longer than it was");
    const std::string after = version();
    CHECK(before != after);
    fs::last_write_time("site/about.html",
                        fs::file_time_type::clock::now() - std::chrono::hours(1));
    CHECK(after != version());
}

TEST_CASE("a file's type follows from its name") {
    for (const auto& [name, type] : {std::pair("a.html", "text/html"),
                                     {"a.HTM", "text/html"},
                                     {"a.css", "text/css"},
                                     {"a.tar.gz", "application/gzip"},
                                     {"sitemap.xml", "application/xml"},
                                     {"a.svg", "image/svg+xml"},
                                     {"a.zip", "application/zip"},
                                     {"a.atom", "application/atom+xml"},
                                     {"LICENSE", "application/octet-stream"},
                                     {".html", "application/octet-stream"},
                                     {"a.", "application/octet-stream"},
                                     {"a.unknown", "application/octet-stream"}})
        CHECK_MESSAGE(stage3::type_of_file(name) == type, name);
}
