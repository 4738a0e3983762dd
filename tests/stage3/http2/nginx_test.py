#!/usr/bin/env python3
"""Stage 3 and nginx, over HTTP/2: what the crawler reports is what nginx has logged, request by request.

    STAGE3=build/stage3_queue_crawler/stage3 tests/stage3/http2/nginx_test.py [-v]

Without nginx, all is skipped (exit code 77).
"""
import collections
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
from program import CERTIFICATE, KEY, SKIPPED, crawl, is_trusted, records_in  # noqa: E402
import nginx_server  # noqa: E402  (`program` has put its folder on the path)

PAGES = 5000

CONFIGURATION = """
    types {{ text/html html; }}
    default_type text/html;
    log_format facts '$server_protocol $connection $status $request_uri';
    access_log {folder}/log facts;
    keepalive_requests {requests};
    server {{
        listen 127.0.0.1:{port} ssl http2;
        ssl_certificate {certificate};
        ssl_certificate_key {key};
        root {folder}/site;
    }}
"""

Request = collections.namedtuple("Request", "version connection status path")


class Crawls(unittest.TestCase):
    def crawl(self, requests_per_connection, *options):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            site = folder / "site"
            site.mkdir()
            paths = [f"/{number}.html" for number in range(PAGES)]
            (site / "robots.txt").touch()
            (site / "index.html").write_text("".join(f"<a href='{path}'>" for path in paths))
            for path in paths:
                (site / path[1:]).write_text(f"<p>This is {path}. <a href='/'>Home</a>")
            port = nginx_server.free_port()
            url = f"https://127.0.0.1:{port}/"
            configuration = CONFIGURATION.format(folder=folder, port=port, requests=requests_per_connection,
                                                 certificate=CERTIFICATE, key=KEY)
            with nginx_server.nginx(folder, configuration, port):
                done = crawl(url, *options, timeout=100)
            requests = [Request(*line.split()) for line in (folder / "log").read_text().splitlines()]
        records = records_in(done.stdout)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual({(one["outcome"], one["status"], one["tries"]) for one in records}, {("page", 200, 1)})
        crawled = sorted(record["url"].removeprefix(url[:-1]) for record in records)
        self.assertEqual(crawled, sorted(["/", *paths]))
        self.assertEqual({request.status for request in requests}, {"200"})
        self.assertEqual(sorted(request.path for request in requests), sorted(["/robots.txt", *crawled]))
        self.assertEqual(len({request.version for request in requests}), 1)
        per_connection = collections.Counter(request.connection for request in requests)
        return requests[0].version, sorted(per_connection.values(), reverse=True)

    def test_one_connection_has_all_requests(self):
        self.assertEqual(self.crawl(100_000, "--http2"), ("HTTP/2.0", [PAGES + 2]))

    def test_a_goaway_after_each_1000_requests_loses_nothing(self):
        version, requests = self.crawl(1000, "--http2")
        self.assertEqual(version, "HTTP/2.0")
        self.assertEqual(requests[:4], [1000] * 4)
        if is_trusted():
            self.assertEqual(requests[4:], [1000, 2])


if __name__ == "__main__":
    if not nginx_server.PROGRAM:
        print("nginx_test.py: skipped, because there is no nginx", file=sys.stderr)
        sys.exit(SKIPPED)
    unittest.main()
