#!/usr/bin/env python3
"""Sends a text to a server, exactly as given, and prints what comes back.

    say.py http://127.0.0.1:8000/ 'GET / HTTP/1.1\\r\\nHost: me\\r\\n\\r\\n'

\\r and \\n in the text mean what they mean in C++. After the text, our direction of the connection
is closed, so this also shows what a server makes of half a request. Of the answer, it prints the
first line. Page G of the book.
"""
import socket
import sys
from urllib.parse import urlsplit


def main() -> int:
    if len(sys.argv) != 3:
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    server = urlsplit(sys.argv[1])
    text = sys.argv[2].replace("\\r", "\r").replace("\\n", "\n")
    with socket.create_connection((server.hostname, server.port), timeout=10) as connection:
        connection.sendall(text.encode())
        connection.shutdown(socket.SHUT_WR)
        answer = connection.makefile("rb").readline().decode("latin-1").rstrip()
    print(answer or "(nothing)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
