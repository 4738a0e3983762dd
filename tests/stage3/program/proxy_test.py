#!/usr/bin/env python3
"""A proxy is used where the user wants it, and what fails there isn't blamed on the site.

STAGE3 in the environment names the program.
"""
import asyncio
import json
import socket
import unittest

from tls_test import TLS, CA, site, stage3, web_server


class Relay(asyncio.Protocol):
    """One end of a tunnel: what arrives is passed on."""

    def __init__(self, other):
        self.other = other

    def data_received(self, data):
        self.other.write(data)

    def connection_lost(self, _):
        self.other.close()


class Proxies(unittest.TestCase):
    def setUp(self):
        """A proxy that answers itself for all hosts, and whose tunnels all lead to `port`."""
        self.proxy = self.enterContext(web_server.Site({"*": lambda request: self.answer(request)}))
        self.url = self.proxy.origin
        self.answer, self.port = lambda request: self.tunnel if request.method == "CONNECT" else web_server.page(), None
        bound = self.enterContext(socket.socket())  # which doesn't listen, and which no other program gets
        bound.bind(("127.0.0.1", 0))
        self.closed_port = bound.getsockname()[1]

    def tunnel(self, client):
        async def connect():
            site, _ = await web_server.LOOP.create_connection(lambda: Relay(client), "127.0.0.1", self.port)
            client.set_protocol(Relay(site))
            client.write(b"HTTP/1.1 200 Connected\r\n\r\n")
        self.connecting = web_server.LOOP.create_task(connect())

    def asked(self):
        return [request.path for request in self.proxy.requests]

    def crawl(self, *arguments, **variables):
        done = stage3("--format", "jsonl", *arguments, **variables)
        self.assertEqual(len(done.stdout.splitlines()), 1, done.stderr)
        return json.loads(done.stdout)

    def test_http_goes_through_the_proxy_of_the_option_and_of_the_variable(self):
        for arguments, variables in ((["--proxy", self.url], {}), ([], {"http_proxy": self.url}),
                                     ([], {"all_proxy": self.url})):
            self.proxy.forget()
            record = self.crawl("http://no-such-host.invalid/a?b", *arguments, **variables)
            self.assertEqual(record["outcome"], "page")
            self.assertEqual(self.asked(), ["http://no-such-host.invalid/a?b"])

    def test_https_goes_through_a_tunnel_and_a_bad_certificate_at_its_end_is_the_sites(self):
        self.port = int(self.enterContext(site(TLS / "site.pem")).split(":")[2].rstrip("/"))
        record = self.crawl("https://localhost:443/", "--cacert", CA, https_proxy=self.url)
        self.assertEqual((record["outcome"], record["error"]), ("page", None))
        self.assertEqual(self.asked(), ["localhost:443"])
        record = self.crawl("https://other.example/", "--cacert", CA, "--proxy", self.url)
        self.assertEqual(record["error"], "its certificate is for another host: see --insecure")

    def test_a_bad_certificate_before_there_is_a_tunnel_is_the_proxys(self):
        with site(TLS / "expired.pem") as url:
            proxy = url.rstrip("/")
            for page in ("http://site.example/", "https://site.example/"):
                error = self.crawl(page, "--cacert", CA, "--proxy", proxy)["error"]
                self.assertEqual(error, f"the proxy {proxy}: its certificate has expired: see --insecure")

    def test_no_proxy_exempts_hosts(self):
        port = self.enterContext(web_server.Site({"*": web_server.page()})).port
        record = self.crawl(f"http://127.0.0.1:{port}/", http_proxy=self.url, no_proxy="127.0.0.1")
        self.assertEqual((record["outcome"], self.asked()), ("page", []))

    def test_a_proxy_that_fails_is_named(self):
        refused = "it refuses, with status {}".format
        for url, reply, why in (("https://site.example/", web_server.status(403), refused(403)),
                                ("https://site.example/", web_server.status(407), refused(407)),
                                ("http://site.example/", web_server.status(407), refused(407)),
                                ("https://site.example/", b"", "no answer, or none in HTTP"),
                                ("https://site.example/", b"nonsense\r\n\r\n", "no answer, or none in HTTP")):
            with self.subTest(url=url, reply=reply):
                self.answer = lambda _, reply=reply: reply
                record = self.crawl(url, "--proxy", self.url)
                self.assertEqual((record["outcome"], record["error"]), ("failed", f"the proxy {self.url}: {why}"))

    def test_a_dead_proxy_is_named_without_its_password(self):
        for url, proxy, why in (
                ("http://site.example/", f"127.0.0.1:{self.closed_port}", "connection refused"),
                ("https://site.example/", f"127.0.0.1:{self.closed_port}", "connection refused"),
                ("http://site.example/", "nowhere.invalid:3128", "cannot resolve its name")):
            record = self.crawl(url, "--proxy", f"http://user:secret@{proxy}")
            self.assertEqual(record["error"], f"the proxy http://{proxy}: {why}")

    def test_a_dead_site_that_is_exempt_is_not_blamed_on_the_proxy(self):
        record = self.crawl(f"http://127.0.0.1:{self.closed_port}/", http_proxy=self.url, no_proxy="127.0.0.1")
        self.assertEqual(record["error"], "connection refused")

    def test_what_is_no_proxy_is_a_usage_error_that_hides_the_password(self):
        for arguments, variables, source in ((["--proxy", "ftp://user:secret@host"], {}, "--proxy"),
                                             (["--proxy", "socks9://user:secret@host"], {}, "--proxy"),
                                             (["--proxy", "user:secret@host:0"], {}, "--proxy"),
                                             ([], {"http_proxy": "http://user:secret@ho st"}, "http_proxy")):
            done = stage3(*arguments, "http://127.0.0.1:1/", **variables)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(f"stage3: {source}: not a usable proxy", done.stderr)
            self.assertNotIn("secret", done.stderr)


if __name__ == "__main__":
    unittest.main()
