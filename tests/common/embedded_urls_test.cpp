#include "common/web/embedded_urls.h"
#include "tests/support/prelude.h"

namespace {

/// What is found in a style sheet, each in brackets; an import begins with '@'.
std::string urls_in(std::string_view css) {
    std::string result;
    common::find_css_urls(css, [&](std::string_view url, bool is_import) {
        result.append(is_import ? "[@" : "[").append(url).append("]");
    });
    return result;
}

std::string images_in(std::string_view srcset) {
    std::string result;
    common::find_srcset_urls(srcset, [&](std::string_view url) {
        result.append("[").append(url).append("]");
    });
    return result;
}

} // namespace

TEST_CASE("a style sheet's url() may be quoted or not, with blanks around it") {
    CHECK(urls_in("a{b:url(1.png)}c{d:url( '2.png' )} e{f:URL(\n\"3.png\"\n)}")
          == "[1.png][2.png][3.png]");
    CHECK(urls_in("a{b:url(1) no-repeat,url(2)}") == "[1][2]");
    CHECK(urls_in("background:url(x)") == "[x]"); // a style attribute
    CHECK(urls_in("a{b:url(x") == "[x]");         // the end closes it
    CHECK(urls_in("a{b:url()}") == "");
}

TEST_CASE("in comments, strings and other functions, url( is text") {
    CHECK(urls_in("/* url(1) */ a{content:'url(2)';b:\"url(3)\"} /* url(4)") == "");
    CHECK(urls_in("a{b:my-url(1);c:url-prefix(2);d:curl(3);e:url (4)}") == "");
    CHECK(urls_in("/**/a{b:url(5)}/*/ url(6) */") == "[5]");
}

TEST_CASE("escapes can write any letter of a style sheet") {
    CHECK(urls_in("a{b:\\75 rl(1)}") == "[1]");
    CHECK(urls_in("a{b:\\000075rl(1)}") == "[1]");
    CHECK(urls_in("a{b:url(a\\)b)}") == "[a)b]");
    CHECK(urls_in("a{b:url('a\\'b\\e9 c\\\nd')}")
          == "[a'b\xc3\xa9"
             "cd]");
    CHECK(urls_in("a{b:url(\\110000 \\0 )}") == "[\xef\xbf\xbd\xef\xbf\xbd]");
    CHECK(urls_in("\\") == "");
    CHECK(urls_in("a{b:url('x\\") == "[x]");
}

TEST_CASE("a broken url() or string is none, and what follows it counts") {
    CHECK(urls_in("a{b:url(x y)} c{d:url(z)}") == "[z]");
    CHECK(urls_in("a{b:url(x'y)} c{d:url(z)}") == "[z]");
    CHECK(urls_in("a{b:'x\n} c{d:url(z)}") == "[z]");
    CHECK(urls_in("a{b:url('x\n)} c{d:url(z)}") == "[z]");
}

TEST_CASE("an import is another style sheet, and a namespace is only a name") {
    CHECK(urls_in("@import 'a.css'; @IMPORT url(b.css) screen; @import url(\"c.css\");")
          == "[@a.css][@b.css][@c.css]");
    CHECK(urls_in("@import 'a.css' supports(display: 'b'); c{d:url(e)}")
          == "[@a.css][e]");
    CHECK(urls_in("@namespace svg url(http://www.w3.org/2000/svg); a{b:url(c)}")
          == "[c]");
    CHECK(urls_in("@font-face{src:url(f.woff2) format('woff2')}") == "[f.woff2]");
    CHECK(urls_in("a{mask:url(#m)}") == ""); // in this document
    CHECK(urls_in("@charset 'utf-8';@media print{a{b:url(c)}}") == "[c]");
}

TEST_CASE("a string in an image-set is a URL, and elsewhere it's text") {
    CHECK(urls_in("a{b:image-set(\"c.png\" 1x, url(d.png) 2x)}") == "[c.png][d.png]");
    CHECK(urls_in("a{b:-WebKit-Image-Set( 'c.png' 1x)}") == "[c.png]");
    CHECK(urls_in("a{b:image-set('c.avif' type('image/avif'),'d.png' type(\"x\") 2x)}")
          == "[c.avif][d.png]");
    CHECK(urls_in("a{b:image-set(linear-gradient(red,blue) 1x,'c.png' 2x) 'd'}")
          == "[c.png]");
    CHECK(urls_in("a{b:cross-fade(image-set('c'),'d');e:my-image-set('f')}") == "[c]");
    CHECK(urls_in("a{b:image-set('c' 1x} d{e:'f'}") == "[c]"); // the block ends it
    CHECK(urls_in("a{b:image-set('' 1x,'#c' 2x);d:image-set ('e')}") == "");
    CHECK(urls_in("/*image-set('a')*/b{c:\\69mage-set('d' 1x)}") == "[d]");
    CHECK(urls_in("a{b:)image-set('c')'d';e:(image-set('f'))'g'}") == "[c][f]");
}

TEST_CASE("a srcset's URLs end at blanks, and commas may be part of them") {
    CHECK(images_in("a.png") == "[a.png]");
    CHECK(images_in("a.png 1x, b.png 2x") == "[a.png][b.png]");
    CHECK(images_in(" , a.png ,b.png 100w 50h,c.png") == "[a.png][b.png][c.png]");
    CHECK(images_in("a.png, b.png") == "[a.png][b.png]");
    CHECK(images_in("a,b.png 1x") == "[a,b.png]");
    CHECK(images_in("data:image/png;base64,AA,BB 1x,c.png")
          == "[data:image/png;base64,AA,BB][c.png]");
    CHECK(images_in("a.png (x, y) 1x, b.png") == "[a.png][b.png]");
    CHECK(images_in("") == "");
    CHECK(images_in(" ,, ") == "");
}
