// What URLs of folders on this machine are called, and back.
#include "stage3_queue_crawler/crawler/url_name.h"
#include "tests/support/prelude.h"
#include "tests/support/url.h"

#include <tuple>

using tests::url_of;

TEST_CASE("a page in a folder is called by its path, any other by its URL") {
    for (const auto& [href, name, server] :
         {std::tuple("https://_folder/", "/", "folder"),
          {"https://_folder/a/b?c", "/a/b?c", "folder"},
          {"https://_folder//a", "//a", "folder"},
          {"https://_folder.docs-1/a", "docs-1/a", "docs-1"},
          {"https://_folder:444/a", "https://_folder:444/a", "_folder:444"},
          {"http://_folder/a", "http://_folder/a", "_folder"},
          {"https://_folders/a", "https://_folders/a", "_folders"},
          {"https://h:8/_folder/", "https://h:8/_folder/", "h:8"}}) {
        const common::Url url = url_of(href);
        CHECK(stage3::name_of(url) == name);
        CHECK(std::string(stage3::c_name_of(url)) == name);
        CHECK(stage3::name_of_server(url) == server);
        CHECK(stage3::href_named(stage3::name_of(url)) == href);
    }
}

TEST_CASE("a host is called by its name, or that of its folder") {
    for (const auto& [host, name] : {std::pair("_folder:443", "folder"),
                                     {"_folder.docs-1:443", "docs-1"},
                                     {"_folders:443", "_folders:443"},
                                     {"example.org:80", "example.org:80"},
                                     {"_folder", "_folder"}})
        CHECK(stage3::name_of_host(host) == name);
}

TEST_CASE("a name that is no folder's stays as it is") {
    for (const char* const name : {"http://h/a", "h.example/a", "docs", "A/b", "a b/c",
                                   "", "?/", "http:/a", "#x/"})
        CHECK(stage3::href_named(name) == name);
}
