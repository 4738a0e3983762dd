#!/usr/bin/env python3
"""Runs a command beside a server that answers "secret" over https, and exits as the command does.

In the command's environment, HTTPS_URL says where the server is (127.0.0.1, any free port), and CERTIFICATE names
the file with its certificate. The certificate is self-signed, so only clients that are told to trust it do. It is valid
for 127.0.0.1 until the year 2126, and fit only for tests, because its key is no secret.
"""
import os
import pathlib
import ssl
import subprocess
import sys

import web_server

TLS = pathlib.Path(__file__).resolve().parent / "tls"


def secret(request):
    return web_server.reply(request, 200, {"Connections": request.connection + 1}, b"secret")


def main():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(TLS / "certificate.pem", TLS / "key.pem")
    site = web_server.Site({"*": secret}, tls=context)
    environment = {**os.environ, "HTTPS_URL": site.origin + "/",
                   "CERTIFICATE": str(TLS / "certificate.pem")}
    sys.exit(subprocess.run(sys.argv[1:], env=environment).returncode)


if __name__ == "__main__":
    main()
