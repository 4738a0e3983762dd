#!/usr/bin/env python3
"""frontier/2_hosts.lua keeps a host's pace by the rules of crawler/pace.h: the same events lead to the same numbers.

    PACE_NUMBERS=build/tests/stage3/shared_frontier/pace_numbers tests/stage3/shared_frontier/pace_test.py [SEED...]
"""
import math
import os
import random
import subprocess
import sys

import redis_server
from invariants import host_as
from script import Script, done, park

PROGRAM = os.environ["PACE_NUMBERS"]
HOST, PAGES, EVENTS = "h:80", 150, 250
LIKELY = {  # how a host answers
    "mostly well": ["answered"] * 12 + ["refused"],
    "as one with a low limit": ["answered", "answered", "refused", "busy"],
    "as one with a limit for bursts": ["answered"] * 3 + ["refused"] * 3,
    "as a broken one": ["busy"] * 5 + ["refused"],
}


class Events:
    """What happens at a host, and what Redis has about it after each event."""

    def __init__(self, client, seed):
        self.chance = random.Random(seed)
        client.call("FLUSHALL")
        self.script = Script(client, lease=10**6, refused_timeout=10**6)
        self.session = self.script.open(*(f"http://{HOST}/{number}" for number in range(PAGES)))
        self.held, self.events, self.numbers, self.is_running = [], [], [], True

    def clock(self):
        return int(self.script.client.call("HGET", self.script.key("meta"), "clock"))

    def run(self):
        how = LIKELY[self.chance.choice(list(LIKELY))]
        while len(self.events) < EVENTS and self.is_running:
            self.script.pass_time(self.chance.choice([0, 0.0002, 0.001, 0.02, 0.3, 2]))
            if self.held and self.chance.random() < 0.5:
                self.react(self.held.pop(self.chance.randrange(len(self.held))), self.chance.choice(how))
            else:
                self.begin()

    def begin(self):
        reply = self.session.step(self.chance.choice([1, 1, 10]))
        self.is_running = reply.state == "running"
        if not reply.items and self.chance.random() < 0.3:  # else another event comes before it's time
            self.script.pass_time(max(reply.wait, 0) / 1000)
        for item in reply.items:
            if item.flag == "b":
                self.session.step(0, ["began", item.url])
            self.held.append(item)
            self.note("begin")

    def react(self, item, how):
        if how == "answered":
            others = self.script.client.call("LLEN", self.script.key(f"queue:{HOST}"))
            self.session.step(0, done(item.url))
            self.note(f"answered {int(others > 0)}")
        else:
            self.session.step(0, [how, HOST, item.url, 0], park(item.url, 0, refusals=1))
            self.note(f"{how} {item.epoch}")

    def note(self, event):
        host, clock = host_as(self.script.client.call("HGET", self.script.key("hosts"), HOST)), self.clock()
        distance = math.ceil(1e6 / host.pace.rate) if host.pace and host.pace.rate else 0
        self.events.append(f"{clock} {event}\n")
        self.numbers.append((host.pace.window if host.pace else 0, distance, host.pace.epoch if host.pace else 0,
                             clock - host.pace.refused_since if host.pace and host.pace.refused_since else 0))


def main():
    redis_server.skip_if_there_is_none()
    with redis_server.RedisServer() as redis, redis.client() as client:
        for seed in map(int, sys.argv[1:] or range(12)):
            there = Events(client, seed)
            there.run()
            text = subprocess.run([PROGRAM], input="".join(there.events), capture_output=True, text=True, check=True).stdout
            here = [tuple(map(int, line.split())) for line in text.splitlines()]
            assert len(here) == len(there.events)
            for number, (event, ours, theirs) in enumerate(zip(there.events, here, there.numbers)):
                rounded = abs(ours[1] - theirs[1]) <= 1
                if not rounded or ours[:1] + ours[2:] != theirs[:1] + theirs[2:]:
                    sys.exit(f"seed {seed}, event {number}, {event.strip()!r}: window, distance, epoch and time of refusals are {ours} "
                             f"in pace.h, and {theirs} in 2_hosts.lua")
            paces = {ours[:3] for ours in here}
            print(f"seed {seed}: {len(here)} events, {len(paces)} paces")


if __name__ == "__main__":
    main()
