#include "stage3_queue_crawler/shared_frontier/chunks.h"
#include "tests/support/prelude.h"
#include "tests/support/url.h"

using common::Url;
using namespace stage3;
using tests::url_of;

namespace {

std::vector<Url> urls(const std::vector<std::string>& texts) {
    std::vector<Url> result;
    for (const std::string& text : texts)
        result.push_back(url_of(text));
    return result;
}

const stage3::LinkKind plain{.what = 'l', .depth = 3, .redirects_left = 10};

} // namespace

TEST_CASE("links are grouped by host, each group in its order") {
    const auto chunks = make_chunks(
        urls({"http://a/1", "https://b/1", "http://a/2", "http://a:81/"}), plain, 1);
    REQUIRE(chunks.size() == 1);
    CHECK(chunks[0].server == 0);
    CHECK(chunks[0].text()
          == "3 10 l fa\na:80 2 b:443 1 a:81 1\n"
             "http://a/1\nhttp://a/2\nhttps://b/1\nhttp://a:81/");
}

TEST_CASE("without links there is no chunk") { CHECK(make_chunks({}, plain, 3).empty()); }

TEST_CASE("a chunk holds a limited number of links, even if all have one host") {
    std::vector<std::string> many;
    for (int i = 0; i < 7; ++i)
        many.push_back("http://a/" + std::to_string(i));
    many.emplace_back("http://b/");
    const auto chunks = make_chunks(urls(many), plain, 1, 3);
    REQUIRE(chunks.size() == 3);
    CHECK(chunks[0].text() == "3 10 l fa\na:80 3\nhttp://a/0\nhttp://a/1\nhttp://a/2");
    CHECK(chunks[1].text() == "3 10 l fa\na:80 3\nhttp://a/3\nhttp://a/4\nhttp://a/5");
    CHECK(chunks[2].text() == "3 10 l fa\na:80 1 b:80 1\nhttp://a/6\nhttp://b/");
}

TEST_CASE("with several servers, each gets the links to its hosts") {
    std::vector<std::string> many;
    for (int i = 0; i < 60; ++i)
        many.push_back("http://host-" + std::to_string(i % 20) + "/" + std::to_string(i));
    const auto chunks = make_chunks(urls(many), plain, 3, 10);
    std::set<std::size_t> servers;
    std::size_t count = 0;
    for (const Chunk& chunk : chunks) {
        servers.insert(chunk.server);
        for (const std::string& url : chunk.urls) {
            const std::string host = url.substr(7, url.find('/', 7) - 7) + ":80";
            CHECK(server_of(host, 3) == chunk.server);
            ++count;
        }
    }
    CHECK(count == 60);
    CHECK(servers == std::set<std::size_t>{0, 1, 2});
}

TEST_CASE("hosts that differ only in their port are spread over the servers, too") {
    std::set<std::size_t> servers;
    for (int port = 17'800; port < 17'820; ++port)
        servers.insert(server_of("127.0.0.1:" + std::to_string(port), 4));
    CHECK(servers.size() == 4);
}

// All kinds of machines and versions of this program must agree, or a resumed crawl would
// look for its hosts on other servers.
TEST_CASE("a host always has the same server") {
    CHECK(server_of("example.org:443", 1) == 0);
    CHECK(server_of("example.org:443", 1000) == 897);
    CHECK(server_of("localhost:8080", 1000) == 63);
}
