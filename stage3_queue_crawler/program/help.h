// What `--help-verdicts` and `--help-frontier` print.
#pragma once

#include <string_view>

namespace stage3 {

constexpr std::string_view help_on_verdicts =
    R"(What stage 3 says of a URL. (The numbers are sections of RFC 9110 and 9112.)

  alive
    page        2xx, and read for links (9110: 15.3)
    file        2xx, of a type that holds no links; and 204, which has no body
  neither
    redirect    301, 302, 303, 307, 308 (9110: 15.4). It's followed if its
                target is in scope. Not out of it, nor to what another program
                opens, such as mailto:
    disallowed  robots.txt forbids it (RFC 9309)
  dead
    error       There is an answer, and it leads nowhere:
                - any other status; 304, too, since nobody asked whether the
                  page has changed (9110: 15.4.5)
                - a redirect without a target, to what is no URL, or to where no
                  browser follows: about:, blob:, data:, file:, ftp:, gopher:,
                  javascript:, view-source:, ws:, or a host without "http:"
    failed      There is no whole answer:
                - no name, no connection, no TLS; it broke; time was over
                - the body was cut off: it is shorter than its Content-Length,
                  has no last chunk, or its compression has no end (9112: 8)
                - it's no HTTP; its chunks or its compression are broken, or of
                  a kind that is unknown (9110: 8.4); it has two different
                  Content-Lengths or Locations, or a length that is no number
                - headers larger than 64 KiB; a body larger than --max-body
                - with --no-private: all its addresses are this machine's, a
                  private network's, or otherwise not the internet's (RFC 6890)
                Or no way leads to one:
                - "redirect loop": the hop that closes a circle, also to itself
                - "redirect limit reached": see --max-redirects

What may pass is tried again (--max-tries): no connection, a broken one, a body
that was cut off, a time limit; and 429, 502, 503, 504. If such an answer tells
when to come back (Retry-After, 9110: 10.2.3), that is when, up to 60 s; who is
told to wait longer doesn't come back.

What may have no end isn't asked for at all; nor is what stands behind a page's
first 10,000 links in scope, or is longer than 8 KiB. The report says which
links were left out, and the exit status is 3. (With --frontier, each process
tells it of those that it has left out itself.) These options change limits:
  --max-depth N       links away from a root (10000)
  --max-path-depth N  parts of a URL's path (20)
  --max-repeats N     of one of these parts, in one path (3)
  --max-queries N     URLs that differ only behind their path, or in parts of it
                      that look like ids, such as 3f9a77c0b1d24e65 (10000)
And this one keeps a crawl from being led to machines inside:
  --no-private        connect to no address that isn't the internet's
)";

constexpr std::string_view help_on_sharing =
    R"(A crawl that several processes share, on as many machines as you like. Each
URL is fetched by one of them; together they are as polite as one alone; if one
dies, others take over what it had; and one of them writes the one report.

  --frontier URL  where they meet: a Redis, 6.2 or later, as unix:/path or
                  redis://user:password@host:port/db. (A password may also be in
                  the variable REDISCLI_AUTH.) Give it more than once, and the
                  hosts are spread over several servers
  --crawl NAME    which crawl this is. Who comes first makes it
  --lease S       a process that is silent for so long is dead (30)
  --report        only write the report, as far as the crawl has come
  --forget        only remove the crawl from Redis, and all that it has found

All of them give the same URLs, and the same options where these say what the
crawl is; workers, time limits and formats may differ. Whoever has ended, or has
died, may be started again with the same command. So that Redis keeps the crawl
when it ends itself, start it with: redis-server --appendonly yes
(with several servers, also: --appendfsync always). If it was killed, first run
redis-check-aof --fix on the manifest in its appendonlydir, and only then start
it: later, that cuts off what was written since.

Examples:
  stage3 --frontier redis://localhost --crawl docs https://example.org/
  stage3 --frontier redis://localhost --crawl docs --report --format jsonl
)";

} // namespace stage3
