#include "stage3_queue_crawler/program/help.h"

#include "stage3_queue_crawler/program/formats/formats.h"
#include "stage3_queue_crawler/program/version.h"

#include <fmt/core.h>

#include <string_view>

namespace stage3 {
namespace {

constexpr std::string_view help_on_verdicts =
    R"(The verdicts. The numbers in brackets are sections of RFC 9110 and 9112.

  alive
    page        2xx, and searched for links (9110: 15.3)
    file        2xx, but of a type without links; or 204, which has no body; or
                only checked. Its head is enough, whatever comes of its body
  neither
    redirect    301, 302, 303, 307, 308 (9110: 15.4). It's followed if its
                target is in scope, and isn't opened by another program, as
                mailto: would be
    disallowed  robots.txt forbids it (RFC 9309)
    unclear     A server outside the scope (--external) won't say:
                - 401, 403, 407, 429, 451, 999, or 5xx: it may be alive for
                  others. In the scope, these are errors, except 429
                - its robots.txt forbids it, its certificate's issuer isn't
                  trusted here, its address is private, or it redirects forever
                - its scheme is unknown, and one letter away from http or https
                - its page is alive, but no element has the id that a link's
                  fragment names (--fragments): a script may make it. Such a
                  record has a fragment. "#L10-L20" (lines of a file) and
                  "#page=3" (values) aren't looked for
                Such URLs are listed; the exit status is 1 only with --strict.
                In the scope: a server has refused us too often, or for too long
                (below), or a wall has answered that keeps programs out (as its
                headers say: cf-mitigated and the like); without such a URL, the
                crawl is not complete
  dead
    error       There is an answer, but it leads nowhere:
                - any other status, including 304 (9110: 15.4.5), unless we have
                  asked whether a page has changed (--state)
                - the page is alive, but no element has the id that a link's
                  fragment names (--fragments): such a record has a fragment.
                  "#top", "#:~:text=", "#/..." and "#!..." need no element
                - a redirect that has no target, or whose target isn't a URL, or
                  is one that browsers don't follow: about:, blob:, data:,
                  file:, ftp:, gopher:, javascript:, view-source:, ws:, or a
                  host without "http:"
    failed      There is no complete answer:
                - the link isn't a URL, so no one can be asked: "http://a b/",
                  "http://host:99999/", "http://"
                - the name wasn't found, the connection or TLS failed or broke,
                  or a time limit was reached
                - it isn't HTTP; it has two different Content-Lengths or
                  Locations, or a length that isn't a number; its headers are
                  larger than 64 KiB
                - a page's body was cut off: it is shorter than its
                  Content-Length, its last chunk is missing, or its compressed
                  data has no end (9112: 8)
                - a page's chunks or its compressed data are broken, or of an
                  unknown kind (9110: 8.4), or it is larger than --max-body
                - with --no-private, none of its addresses is on the public
                  internet (RFC 6890)
                Or redirects never lead to an answer:
                - "redirect loop": this hop closes a circle, perhaps to itself,
                  and no cookie opens it (below)
                - "redirect limit reached": see --max-redirects

Links are followed. Checked, but not read, are images, scripts, media, objects,
link elements, forms with GET, the url() of style sheets, and what SVG uses of
other files; and if you want that, links that leave the scope. A check is a
HEAD; if that fails in any way, a GET, whose body isn't needed. With --external
and --fragments, a URL outside the scope gets a GET at once if a link to it has
a fragment (or after the HEAD, if that link is met late). Then its page is
searched for ids, and for nothing else. If it's too large, or doesn't come
whole, it's alive all the same, and no fragment is missing.

A server outside the scope gets one request at a time, with pauses, and no
passwords or headers of yours. Its robots.txt is obeyed; if no answer comes,
it's asked once more, 10 s later. The pause after an answer is a second at
first, and each answer makes it a fifth shorter, down to 0.1 s, but never
shorter than the answer took (at most a second). Once such a server answers with
a status that is unclear (above), or breaks a connection, its pause is a second
for good; and if the pause had been shorter, what it refused is asked once more.
  --no-assets         only links (else --assets)
  --external          also links that leave the scope
  --external-max N    hosts outside the scope at once, for each process (10)
  --external-delay S  seconds from one request to one of them to the next, fixed
                      (without this option: the pauses above)
  --accept LIST       statuses that count as alive besides 2xx: 403,500..599
  --strict            exit with 1 also for what is unclear

Failures that may pass are tried again (--max-tries): no connection, or a broken
one, a body that was cut off, a time limit, and the statuses 502, 503, 504.
After 408, 421 or 425, a request is repeated once on a new connection, which
isn't a try.

429, and 503 with a Retry-After (9110: 10.2.3), say nothing about a page: its
server refuses us because we are too fast, or it is too busy. So a refusal isn't
a try. The server is left alone for as long as it says; then it gets one request
at a time, and more again as it answers. A page that is refused 20 times is
unclear with 429, and dead with 503. A server that asks for a longer wait than
--max-retry-after, or that has done nothing but refuse for --refused-timeout, is
asked nothing more: its other URLs are unclear, too, and left out (see below).
  --max-retry-after S seconds (60)
  --refused-timeout S seconds (300)

Cookies are kept while a crawl lasts, and returned as browsers do (RFC 6265bis):
to the host that has set one, or to the domain that it names, but never to
another site; without libpsl, only to the host. At most 50 of a site and 3000 in
all are kept, and 8 KiB go with a request. They are in this process's memory
only: in no report, no --state file and no Redis. If you send a --header
'Cookie: ...', the roots' origins get that one, and none of these. If redirects
go in a circle, it's followed again with the cookies that were set on the way,
for at most 20 requests. (If processes share a crawl, each has its own cookies.
So a circle of which each has seen only a part counts as a redirect loop, even
if a cookie would open it.)
  --no-cookies        keep none, and return none

URLs that may never end are left out, as are all but the first 10,000 URLs on a
page, and URLs longer than 8 KiB. The report names what was left out and where,
and the exit status is 3, unless something is dead, which goes before: then it
is 1. (With --frontier, each process reports its own.) In reports for programs,
a line or a test of its own says why a crawl isn't complete; with jsonl it is
{"incomplete": "left out", "why": ...}, or "cut short", or "nothing checked".
These options change the limits:
  --max-depth N       links away from a root (10000)
  --max-redirects N   redirects in a row (20)
  --max-path-depth N  segments of a URL's path (20)
  --max-repeats N     repetitions of a segment in one path (3)
  --max-queries N     URLs that differ only after their path, or in segments
                      that look like ids, such as 3f9a77c0b1d24e65 (10000)
  --max-links N       different URLs on a page (10000)
  --max-fragments N   with --fragments: places that a page's links point to
                      (200000)

With --scope prefix, a root without a slash at its end is a folder if its server
redirects from it to a URL below it; else its folder is the one that it's in.

Nothing was checked, and the exit status is 3, if no URL has led to a page, or
to something dead: if each leads out of the scope, is forbidden or excluded, or
isn't searched for links. In a list (--urls-from), any live URL is a success.

And this option keeps a crawl away from machines on your own network:
  --no-private        connect only to addresses on the public internet
)";

constexpr std::string_view help_on_connections =
    R"(A site that isn't published yet: a root may be a folder, such as public/, or a
file in one. The crawl serves the folder to itself, on loopback. /guide/ is
guide/index.html, and /about may be about.html; what isn't there is 404, and no
path or symbolic link leads out of the folder. Reports, baselines, ignore files
and patterns name paths in the folder: /guide/a.html. With several folders, the
name of each comes first: public/guide/a.html. Annotations (github, sarif) name
files. Pages that no link leads to are counted at the end (--sitemap).

  --remap FROM=TO
                 what is meant by URLs below FROM is at TO: a folder, or the URL
                 of a test server. Links, sitemaps and redirects lead there, and
                 records have URLs below FROM. FROM by http or https, or with
                 www., redirects to FROM. If no root is given, the crawl begins
                 at the first FROM. A mapping that is never used is reported at
                 the end. A host that is mapped only in part keeps its own
                 robots.txt. Repeatable; by default, nothing is mapped

  --connect-timeout S  seconds for looking up a host, connecting, and TLS (10)

TLS, HTTP/2 and proxies. Certificates and keys are PEM files.

  --cacert FILE  trust the CAs in FILE, instead of the system's. Without this
                 option, the variables CURL_CA_BUNDLE, SSL_CERT_FILE and
                 SSL_CERT_DIR count, as they do for curl
  --insecure     don't check certificates at all: anything on the way can then
                 read and change what is fetched
  --cert FILE    a certificate to show to servers that ask for one; only the
                 roots' origins get it. FILE may also contain its key
  --key FILE     the certificate's key, without a password

  --http1.1      don't speak HTTP/2
  --http2        speak HTTP/2 with servers whose TLS offers it: all fetches
                 from a host then share one connection. This is the default
                 with libcurl 8.14 or later. Older ones have faults; some take
                 a response that was cut off for a whole one

  --proxy URL    fetch through a proxy, such as http://proxy:3128 (or https,
                 socks4, socks4a, socks5, socks5h). Without this option, the
                 variables http_proxy, https_proxy and all_proxy count; other
                 users can't see those, so that's the place for a password:
                 http://user:password@proxy:3128. Hosts in the variable
                 no_proxy are always reached directly

Examples:
  stage3 --remap https://example.org=public
  stage3 --cacert our-ca.pem https://staging.example/
  stage3 --proxy socks5h://localhost:1080 https://example.org/
)";

/// What comes before the table of formats, and after it.
constexpr std::string_view help_on_reports =
    R"(Reports, and which dead URLs count.

)";
constexpr std::string_view more_on_reports =
    R"(
  --format FORMAT      what the results look like; they go to standard output,
                       or to --output
  --also FORMAT=FILE   also write a report in this format; repeatable
  --html FILE          the same as --also html=FILE
  --show WHAT          what a text report lists. urls: what is wrong, each URL
                       with its pages; pages: the same, each page with its
                       links; all: all URLs, then what is wrong. auto (the
                       default) is urls on a terminal, with colours unless
                       NO_COLOR is set; in a pipe or a file, it's all
  --places             say where on its page each link is written: the line, the
                       column (in characters, of the URL), the words that a
                       reader clicks on, and the URL as it's written. A crawl
                       needs more memory then: about 100 bytes for each link to
                       a URL until that is known to be alive
  --source URL=FOLDER  with github and sarif: the pages below URL are files in
                       FOLDER, as in https://example.org/=public, and what is
                       wrong is shown in these files; repeatable
  --redirects          with text and jsonl: also list permanent redirects, and
                       chains of redirects, with their pages (html always does)
  --redirects=error    the same, and each counts as dead, in all formats: for
                       the exit status, and in baselines and ignore files, too
  --top N              with text: list the N most frequent links (10)
  --why-slow           at the end, say on standard error what limited the crawl,
                       host by host, the one that took longest first, and which
                       option would help (html always does); not with
                       --frontier. By default, it isn't said
  --sitemap            also start at the URLs in each root's sitemaps: those
                       its robots.txt names, or else /sitemap.xml
  --sitemap=URL        the same for this one; repeatable

In each format, bytes is how much of the body has come, decompressed. Of what
isn't searched for links, that may be just the beginning.

Reports name the pages that have to be mended: if a redirect leads to a dead
URL, the pages that link to the redirect. All pages of a dead URL are known,
unless there are more than two million such links; then each URL has at least
ten. (A shared crawl always keeps ten.) The line of a record, with jsonl and
csv, has the first place; with jsonl and --places, further lines at the end have
all of them: {"mentions_of": URL, "fragment": ..., "mentions": [...]}.

A missing fragment is one that no element of its page has as its id. They are
counted apart from dead URLs. On a page of another site, such a fragment is
unclear, and counted as that: its record's outcome is "unclear", its status 200,
and "fragment" isn't empty. If more than 50 of one page are missing, text for
people and markdown have one line for them: scripts may have made these links.
Fragments are spelled in letters of all scripts, where a link has "#caf%C3%A9";
baselines, ignore files and patterns may have either spelling.

Sitemaps are read before the crawl, as politely as pages; they may be XML, text
or indexes, compressed or not, but not RSS. URLs outside the scope aren't
fetched.
Text, html and jsonl also list orphans: URLs of a sitemap that are alive, but
that no other page links to; two that link only to each other aren't found. If a
sitemap can't be read to its end, or exceeds the protocol's limits (50,000 URLs,
50 MB), the exit status is 3.

Old sites have dead links, and a test that always fails is soon ignored. Write
those links into a baseline once, and only new ones count: for the exit status,
and under "Dead" in reports.
  --write-baseline FILE
                       write the dead URLs, sorted, one per line, unless the
                       crawl is cut short or its root is dead
  --baseline FILE      dead URLs listed in FILE are known; live ones are
                       mentioned, so that you can delete their lines;
                       repeatable, like the next option
  --ignore-file FILE   each line is a URL if it begins with http:// or https://,
                       or else an extended regular expression to find in a URL,
                       as with --exclude. Matches are still checked, but never
                       count as dead or unclear

In both files, a line that begins with # is a comment. With --frontier, give
these options to the process that has --report.

With a state file, repeating the command continues a crawl that was killed, and
the next crawl asks servers only for what has changed.
  --state FILE         keep servers' answers in FILE (an SQLite database); one
                       crawl at a time can use it. Options that affect answers
                       must be the same: URLs, scope, what is checked, headers
                       and so on. --max-pages ends a crawl, --timeout
                       interrupts it. Delete the file to start over
  --max-age AGE        don't even ask about a URL that was alive less than AGE
                       ago (3600, 90m, 12h or 7d), even if robots.txt now
                       forbids it

Options and URLs can go in a file, one per line, without dashes:
  # every link of ours
  url = https://example.org/
  external
  exclude = /archive/
The command line takes precedence; repeatable options add up.
  --config FILE        read FILE. Without this option, .await-the-web.ini is
                       read if the current folder has one
  --no-config          don't

Examples:
  stage3 --html report.html --baseline known-dead.txt https://example.org/
  stage3 --format github --also markdown=summary.md https://example.org/
)";

constexpr std::string_view help_on_sharing =
    R"(Several processes, on as many machines as you like, can share a crawl. Each URL
is fetched by one of them, together they are as polite as a single one, and when
a process dies, the others take over its work. One of them writes the report.

  --frontier URL  the Redis (6.2 or later) where they meet, as unix:/path or
                  redis://user:password@host:port/db; the password can also be
                  in the variable REDISCLI_AUTH. Repeat this option to spread
                  the hosts over several servers
  --crawl NAME    the name of the crawl; the first process creates it
  --lease S       a process that is silent for S seconds counts as dead (30)
  --wait-for-frontier S
                  wait at the start, at most S seconds, for a Redis that isn't
                  ready (30)
  --report        only write the report, as far as the crawl has come
  --forget        only remove the crawl and all its results from Redis
  --retry-given-up
                  before taking part, make URLs that were given up work again

A URL is given up after several processes died while fetching it, the last ones
while fetching nothing else. It counts as failed, so it's dead, and what only it
links to is missing.

Hosts outside the scope get one request a second, or what --external-delay says,
even where they wouldn't mind more; and their pages aren't searched for the
places that links name (--fragments).

Give every process the same URLs and the same options that define the crawl;
workers, time limits and formats may differ. A process that has ended or died
can be started again with the same command.

To keep the crawl across a restart of Redis, start it with: redis-server
--appendonly yes (with several servers, also --appendfsync always). If Redis was
killed, run redis-check-aof --fix on the manifest in its appendonlydir before
you start it again; after that, the command would cut off what is new.

Examples:
  stage3 --frontier redis://localhost --crawl docs https://example.org/
  stage3 --frontier redis://localhost --crawl docs --report --format jsonl
)";

/// For the man page: what a script could notice, and how to get the old behaviour.
constexpr std::string_view changes =
    R"(What has changed, and in brackets how to get the old behaviour.

The exit status
- is 1 if a URL is dead, also if the crawl isn't complete or a page was given
  up, which was 3 (the report says what is incomplete);
- is 3 instead of 0 if nothing was checked (put roots that are no pages into a
  list: --urls-from);
- after Ctrl-C, SIGTERM or SIGHUP is that of a program that died by the signal:
  a shell shows 130, 143 and 129, where all were 130. A second signal kills at
  once;
- is the same after Ctrl-C or SIGTERM before the crawl begins if this is process
  1 of a container, where these signals had no effect then;
- is 3 instead of 1 with newer versions of libcurl, too, if --cert can't be
  used.

Reports
- of a crawl that isn't complete say so in every format: with jsonl in last
  lines that have no "url" but "incomplete"; with csv in rows with this outcome;
  with JUnit in further tests, of which one fails if nothing was checked, and
  one is an error if the crawl was cut short;
- as text have "Left out:" where they had "Links that were left out", and name
  pages;
- with --redirects=error, which is new, name redirects to mend among what is
  dead; SARIF always lists a rule for these, "redirect-to-mend";
- as text on a terminal list only what is wrong, and the sum last (--show all);
  in pipes and files they are as they were;
- name the pages that link to a redirect instead of the redirect that leads to a
  dead URL: "on http://h/p, through http://h/old". JUnit, the HTML page, SARIF
  and the "linked_on" of jsonl have more than ten pages of a URL;
- count missing fragments apart: "1 dead, 2 missing fragments", where it was "3
  dead". As Markdown, they have a table of their own;
- spell fragments in one way: letters of all scripts as they are, and the rest
  as %20 or %FF. Two spellings of one fragment are one record. Old baselines and
  ignore files mean the same as before;
- as csv have more columns at the end, and jsonl more fields;
- as github have at most ten annotations of a kind; the others are lines of the
  log. With SARIF, locations are files (--source) or the site, never URLs, which
  GitHub rejects; pages are in the message and in logicalLocations;
- in files are named on standard error at the end (--quiet);
- as html have a table at the end of what limited the crawl, host by host (not
  in a shared crawl);
- as html list missing fragments apart from dead URLs, and all pages that refer
  to these; they show the options that were typed, with "***" for what may be
  secret. The data in the page has another form (for programs: jsonl);
- as dot are made to be looked at. Nodes are still named by their URLs, but have
  labels without the host, and more attributes behind their color. The graph is
  "strict", since some arrows come twice; others are new, and show where
  pictures and so on were found (grep -v -e '-> .* \[color=' leaves what there
  was). Pages that were not fetched are gray.

What is fetched and checked
- A folder as a root is crawled, which was refused with status 2 and the advice
  to start a server (start one).
- The limit for links on a page counts different URLs, and no longer fragments,
  which have a limit of their own (--max-fragments 10000).
- With --scope prefix, a root without a slash at its end is asked for before the
  crawl, since it may be a folder (name the folder that it's in, too).
- Up to 20 redirects are followed, not 10 (--max-redirects 10).
- Pages are asked for with "Accept: text/html,*/*;q=0.8", since some servers
  answer 404 or 406 otherwise (--header 'Accept: */*', for the roots).
- A file that isn't searched for links is alive if its head says so, even if
  it's larger than --max-body, slow, or cut off; "bytes" says what arrived.
- A HEAD that isn't answered with 2xx is followed by a GET, as the next try.
- After 408, 421 or 425, a request is repeated once, on a new connection.
- Cookies are kept while a crawl lasts, and returned. So pages that need one are
  alive, which were dead with "redirect loop" (--no-cookies).
- A robots.txt is asked for again after a day. One that answers 429 forbids
  everything, as with 5xx.
- 429, and 503 with Retry-After, are no tries of a page any more, and make no
  page dead at once: see --help-verdicts. Before, a wait of more than 60 s made
  the page dead, and its server was asked on.
- With a Crawl-delay in robots.txt, a server gets one request at a time, and the
  delay counts from the end of a request (--max-per-host N, with a large N: from
  its start, and several may be under way).
- On a page in another encoding than UTF-8, the query of a link is encoded as
  the page is, as in browsers; it was in UTF-8. (Paths and URLs in CSS are so.)
- What a page refers to in SVG, in an iframe's srcdoc, in image-set(),
  background and formaction is found, too, and so are links in feeds (RSS and
  Atom) and in SVG files, which count as pages and are fetched whole. More URLs
  may be dead (--no-assets: only links, with those in feeds and SVG; --exclude
  REGEX).
- A link that isn't a URL, such as http://a b/ or http://host:99999/, is dead,
  and one with a scheme such as htpp: is unclear. Neither was reported before
  (--exclude REGEX; --ignore-file).
- What is in <template>, a <frame> without a frameset, and an iframe's src
  beside a srcdoc don't count any more. Their dead URLs are gone from reports.
- A page that hasn't changed since a --state file was written keeps the links
  that were found then (begin a new file to have all of them searched anew).
- A new kind is "use": what <use>, gradients and so on of SVG refer to.
- Patterns (--exclude, --include, --ignore-file) with \d, \x, (?...), or \w in
  brackets are refused: \d meant the letter d (write [0-9]).
- A baseline isn't written if a root's redirects end in a dead URL, or nothing
  was checked.
- What a wall against bots answers, such as 403 with "cf-mitigated", is unclear,
  which was dead in the scope (--accept 403: it's alive).
- With --fragments, those of roots are checked, too, also of roots in lists
  (leave them out). Not in a shared crawl.
- A sitemap from which nothing is taken is told.
- A --user-agent of blanks is refused with status 2 (name something).
- --exclude also finds its pattern in a URL with its fragment. Then that place
  isn't looked for (write patterns that end in a $ without the fragment).
- A fragment is there, too, if an element's id has "user-content-" before it.
- With --external and --fragments, places on pages outside the scope are looked
  for, too, with a GET. One that is missing is unclear, on a host of the crawl's
  own dead (two crawls, each with one of these options; --ignore-file).
- With --external, a host outside the scope is asked more often than once a
  second if it doesn't mind (--external-delay 1).

What --version and -v say
- --version names what libcurl uses for HTTP, and nothing it has besides: LDAP,
  SSH, RTMP (curl --version).
- Workers that ask other sites are "foreign worker 1" and so on, in the list of
  tasks, too; they were "worker 1 abroad" (pipe them through sed, as in
  sed 's/foreign \(worker [0-9]*\)/\1 abroad/').
)";

std::string report_help() {
    return fmt::format("{}{}{}", help_on_reports, help_on_formats(), more_on_reports);
}

} // namespace

std::string answer(const AskedHelp& asked, const common::OptionTable& table) {
    if (asked.version)
        return versions();
    if (asked.on_verdicts)
        return std::string(help_on_verdicts);
    if (asked.on_connections)
        return std::string(help_on_connections);
    if (asked.on_reports)
        return report_help();
    if (asked.on_sharing)
        return std::string(help_on_sharing);
    if (asked.to_generate == "man")
        return common::as_man_page(table, fmt::format("await-the-web {}", version()),
                                   {{"Verdicts", std::string(help_on_verdicts)},
                                    {"Connections", std::string(help_on_connections)},
                                    {"Reports", report_help()},
                                    {"Sharing a crawl", std::string(help_on_sharing)},
                                    {"Changes", std::string(changes)}});
    return asked.to_generate.empty() ? ""
                                     : common::as_completions(table, asked.to_generate);
}

} // namespace stage3
