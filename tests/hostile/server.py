#!/usr/bin/env python3
"""A server of whatever bytes a case says. Run alone, it serves all cases that fit into one crawl:

    tests/hostile/server.py [--port N]

prints the URL of a page with a link to each case, and serves until Ctrl-C. Point stage3 at it, or anything else.

Each case has its own port, so what it does to connections, to robots.txt or to a host's place in the queue affects no
other. To a crawler they are still one host, since `--scope host` ignores ports.
"""
import argparse
import resource
import threading

import pieces

AFTER = pieces.page(text="<p>This is what comes after the case, and it's whole.\n" * 10)
AFTER_BYTES = len(AFTER[0]) - AFTER[0].index(b"\r\n\r\n") - 4


def _take_descriptors(enough=4096):
    """Many systems let a program open 1024 files unless it asks for more, and all cases in three crawls need 1300."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < enough:
        most = enough if hard == resource.RLIM_INFINITY else min(hard, enough)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


_take_descriptors()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=0, help="port of the page with the links (any free one)")
    options = parser.parse_args()
    import cases
    index = cases.Index(port=options.port)
    print(f"{len(index.served)} cases: {index.root}", flush=True)
    for served in index.served:
        print(f"{served.case.number:>4}  port {served.site.port}  {served.case.title}", flush=True)
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
