#!/usr/bin/env python3
"""Whose certificates stage 3 trusts, and how it describes those that it doesn't.

STAGE3 in the environment names the program. The certificates are in tests/support/tls.
"""
import contextlib
import http.server
import json
import os
import pathlib
import ssl
import sys
import tempfile
import threading
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import web_server  # noqa: E402
from run_stage3 import run_stage3  # noqa: E402

TLS = pathlib.Path(__file__).resolve().parents[2] / "support" / "tls"
CA, CLIENT = TLS / "ca.pem", TLS / "client.pem"
NAME_OF_CA = "ee3f9545.0"  # its file in a folder of CAs, as `openssl rehash` names it
SELF_SIGNED = (TLS / "certificate.pem", TLS / "key.pem")

UNKNOWN_ISSUER = "its certificate's issuer is unknown here: see --cacert"


class Handler(http.server.BaseHTTPRequestHandler):
    """A page whose charset is the name in the client's certificate."""
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        shown = (self.connection.getpeercert() or {}).get("subject", [])
        name = dict(pair for part in shown for pair in part).get("commonName", "none")
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=" + name)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    """Unlike asyncio, and so unlike web_server.py, it tells a client why it refuses a certificate."""

    def handle_error(self, request, address):
        pass  # a client that doesn't trust us leaves


@contextlib.contextmanager
def site(certificate, key=None, asks_for=None):
    """A server, and the URL of its only page. `asks_for`: the CA of a certificate that clients must show."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    if asks_for:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(asks_for)
        # Its refusal is part of the handshake; in 1.3, it comes after the client's first request, and may be lost.
        context.maximum_version = ssl.TLSVersion.TLSv1_2 if asks_for == CA else ssl.TLSVersion.TLSv1_3
    server = Server(("127.0.0.1", 0), Handler)
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"https://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextlib.contextmanager
def redirect_to(target):
    with web_server.Site({"*": web_server.status(302, "Location: " + target)}) as served:
        yield served.origin + "/"


CHOSEN_BY_USER = ("curl_ca_bundle", "ssl_cert_file", "ssl_cert_dir", "http_proxy", "https_proxy", "all_proxy", "no_proxy")


def stage3(*arguments, **variables):
    environment = {name: value for name, value in os.environ.items() if name.lower() not in CHOSEN_BY_USER}
    return run_stage3("--no-robots", "--max-tries", "1", *arguments,
                      env=environment | {name: str(value) for name, value in variables.items()})


class Certificates(unittest.TestCase):
    def crawl(self, url, *arguments, **variables):
        """The exit status, and the record of the only URL."""
        done = stage3("--format", "jsonl", *arguments, url, **variables)
        self.assertEqual(len(done.stdout.splitlines()), 1, done.stderr)
        return done.returncode, json.loads(done.stdout)

    def assertTrusted(self, url, *arguments, **variables):
        status, record = self.crawl(url, *arguments, **variables)
        self.assertEqual((status, record["outcome"], record["error"]), (0, "page", None))
        return record

    def assertRefused(self, error, url, *arguments, **variables):
        status, record = self.crawl(url, *arguments, **variables)
        self.assertEqual((status, record["outcome"], record["error"]), (1, "failed", error))

    def test_what_is_wrong_with_a_certificate_is_said_and_what_helps(self):
        self_signed = "its certificate is self-signed: see --cacert"
        for certificate, trusted, error, helps in (
                ((TLS / "site.pem",), [], UNKNOWN_ISSUER, ["--cacert", CA]),
                (SELF_SIGNED, [], self_signed, ["--cacert", SELF_SIGNED[0]]),
                (SELF_SIGNED, ["--cacert", CA], self_signed, ["--insecure"]),
                ((TLS / "expired.pem",), ["--cacert", CA], "its certificate has expired: see --insecure", ["--insecure"]),
                ((TLS / "other_host.pem",), ["--cacert", CA], "its certificate is for another host: see --insecure",
                 ["--insecure"])):
            with self.subTest(error, trusted=trusted), site(*certificate) as url:
                self.assertRefused(error, url, *trusted)
                self.assertTrusted(url, *helps)

    def test_the_variables_of_curl_and_openssl_name_what_to_trust(self):
        with site(TLS / "site.pem") as url, tempfile.TemporaryDirectory() as folder:
            for name in ("SSL_CERT_FILE", "CURL_CA_BUNDLE"):
                with self.subTest(name):
                    self.assertTrusted(url, **{name: CA})
            with self.subTest("CURL_CA_BUNDLE comes first"):
                self.assertRefused(UNKNOWN_ISSUER, url, CURL_CA_BUNDLE=SELF_SIGNED[0], SSL_CERT_FILE=CA)
            with self.subTest("an option comes before variables"):
                self.assertTrusted(url, "--cacert", CA, SSL_CERT_FILE=SELF_SIGNED[0])
            with self.subTest("SSL_CERT_DIR"):
                (pathlib.Path(folder) / NAME_OF_CA).symlink_to(CA)
                self.assertTrusted(url, SSL_CERT_DIR=folder)

    def test_a_server_that_wants_our_certificate_gets_it(self):
        with site(TLS / "site.pem", asks_for=CA) as url:
            record = self.assertTrusted(url, "--cacert", CA, "--cert", CLIENT)
            self.assertEqual(record["charset"], "client")

    def test_a_server_that_wants_our_certificate_and_does_not_get_it_is_dead(self):
        with site(TLS / "site.pem", asks_for=SELF_SIGNED[0]) as url:
            for arguments in ([], ["--cert", CLIENT]):
                status, record = self.crawl(url, "--cacert", CA, *arguments)
                self.assertEqual((status, record["outcome"]), (1, "failed"))
                self.assertRegex(record["error"], ".*: see --cert$")  # its reason, or the connection just broke

    def test_our_certificate_is_shown_to_the_roots_origins_only(self):
        with site(TLS / "site.pem", asks_for=CA) as inner, redirect_to(inner) as outer:
            done = stage3("--format", "jsonl", "--cacert", CA, "--cert", CLIENT, outer)
        records = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([record["outcome"] for record in records], ["redirect", "failed"])
        self.assertRegex(records[1]["error"], "see --cert$|handshake")

    def test_files_that_cannot_be_used_end_the_crawl_and_are_not_the_sites_fault(self):
        with (site(TLS / "site.pem", asks_for=CA) as url, tempfile.NamedTemporaryFile("w", suffix=".pem") as file,
              tempfile.NamedTemporaryFile("w", suffix=".pem") as no_key):
            no_key.write("-----BEGIN PRIVATE KEY-----\nnonsense\n-----END PRIVATE KEY-----\n")
            no_key.flush()
            file.write("-----BEGIN CERTIFICATE-----\nnonsense\n-----END CERTIFICATE-----\n" + (TLS / "key.pem").read_text())
            file.flush()
            for words, arguments, variables in (
                    ("stage3: the CA certificates in /nowhere can't be used", [], {"SSL_CERT_FILE": "/nowhere"}),
                    ("stage3: the client certificate or its key can't be used", ["--cacert", CA, "--cert", file.name], {}),
                    ("stage3: the client certificate or its key can't be used",
                     ["--cacert", CA, "--cert", CLIENT, "--key", TLS / "key.pem"], {}),
                    ("stage3: the client certificate or its key can't be used",
                     ["--cacert", CA, "--cert", CLIENT, "--key", no_key.name], {})):
                done = stage3(*arguments, url, **variables)
                self.assertEqual(done.returncode, 3, done.stdout)
                self.assertIn(words, done.stderr)

    def test_what_was_not_checked_is_said_first_and_counted_last(self):
        with site(TLS / "site.pem") as url:
            done = stage3("--insecure", url)
            self.assertRegex(done.stderr, "^stage3: --insecure: certificates are not checked")
            self.assertIn("not checked (--insecure): 1\n", done.stdout)
            self.assertNotIn("not checked", stage3("--cacert", CA, url).stdout)


class Usage(unittest.TestCase):
    def assertUsage(self, words, *arguments, **variables):
        done = stage3(*arguments, "https://127.0.0.1:1/", **variables)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn(words, done.stderr)

    def test_a_file_that_cannot_be_used_is_named_before_anything_is_fetched(self):
        self.assertUsage("--cacert: /nowhere: No such file", "--cacert", "/nowhere")
        self.assertUsage(f"--cacert: {TLS} is a folder", "--cacert", TLS)
        self.assertUsage("--cacert: " + str(TLS / "key.pem") + " has no '-----BEGIN CERTIFICATE-----'",
                         "--cacert", TLS / "key.pem")
        self.assertUsage("--cert: " + str(CA) + " has no '-----BEGIN PRIVATE KEY-----'", "--cert", CA)
        self.assertUsage("--key is for a certificate", "--key", TLS / "key.pem")
        self.assertUsage("give one of these", "--insecure", "--cacert", CA)
        self.assertUsage("give one of these", "--http1.1", "--http2")

    def test_a_key_with_a_password_is_refused_since_a_crawl_can_not_ask_for_one(self):
        with tempfile.NamedTemporaryFile("w", suffix=".pem") as file:
            file.write(CA.read_text() + "-----BEGIN ENCRYPTED PRIVATE KEY-----\n-----END ENCRYPTED PRIVATE KEY-----\n")
            file.flush()
            self.assertUsage("openssl pkey", "--cert", file.name)


if __name__ == "__main__":
    unittest.main()
