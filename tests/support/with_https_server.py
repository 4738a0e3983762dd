#!/usr/bin/env python3
"""Runs a command beside a server that answers "secret" over https, and exits as the command does.

In the command's environment, HTTPS_URL says where the server is (127.0.0.1, any free port), and CERTIFICATE names
the file with its certificate. The certificate is self-signed, so only clients that are told to trust it do. It is valid
for 127.0.0.1 until the year 2126, and fit only for tests, because its key is no secret.
"""
import http.server
import os
import pathlib
import ssl
import subprocess
import sys
import threading

TLS = pathlib.Path(__file__).resolve().parent / "tls"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # connections are kept

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "6")
        self.send_header("Connections", str(self.server.connections))
        self.end_headers()
        self.wfile.write(b"secret")

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    connections = 0

    def process_request(self, request, address):
        self.connections += 1
        super().process_request(request, address)

    def handle_error(self, request, address):
        pass  # a client that does not believe us goes away


def main():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(TLS / "certificate.pem", TLS / "key.pem")
    server = Server(("127.0.0.1", 0), Handler)
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    environment = {**os.environ, "HTTPS_URL": f"https://127.0.0.1:{server.server_port}/",
                   "CERTIFICATE": str(TLS / "certificate.pem")}
    sys.exit(subprocess.run(sys.argv[1:], env=environment).returncode)


if __name__ == "__main__":
    main()
