"""One sitting: serves a site, lets all contestants crawl it, and gathers what that took.

What comes out is plain figures, as they go into a JSON file; report.py and chart.py show them.
"""
from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import measure
from contestants import LIBCURL, TIMED, Rival, line_up
from exactness import Manifest, verdict
from measure import Contestant, Failed, Run, Trouble
from nginx import Nginx, find_nginx, write_files
from servers import PracticeSite, Server, Site


@dataclass
class Plan:
    """How all parts of a sitting are measured."""
    kind: str  # "cost", "latency" or "memory"
    build: Path
    rounds: int
    server: str = ""  # "nginx", "practice_site", or whichever is there
    limit: float = 600
    rivals: list[Rival] = field(default_factory=list)
    only: list[str] = field(default_factory=list)


@contextmanager
def workshop(bytes_needed: int) -> Iterator[Path]:
    """A folder for files, in memory if there is room; it's gone afterwards, whatever happens."""
    for parent in (Path("/dev/shm"), Path(tempfile.gettempdir())):
        if os.access(parent, os.W_OK) and shutil.disk_usage(parent).free > bytes_needed:
            with tempfile.TemporaryDirectory(prefix="crawl_bench.", dir=parent) as folder:
                yield Path(folder)
            return
    raise Trouble(f"there is no room for {bytes_needed / 1e6:,.0f} MB of files; fewer --pages need less")


class Ground:
    """A site that is known, and can be served as often as wanted, always at the same URLs."""

    def __init__(self, plan: Plan, site: Site, folder: Path):
        self.plan, self.site, self.folder = plan, site, folder
        self.nginx = find_nginx() if plan.server != "practice_site" and not site.latency else None
        quick = Site(site.pages, site.links, site.size)  # its pages are the same, and don't wait
        with PracticeSite(plan.build, quick, manifest=True) as server:
            self.port, self.url, self.manifest = server.port, server.url, server.manifest
            if self.nginx:
                measure.tell_on_terminal("writing the site's pages, for nginx")
                self.redirects = write_files(server, folder)
        self.urls = folder / "urls"
        self.urls.write_text("".join(f"{url}\n" for url in self.manifest.urls()), encoding="utf-8")

    def serve(self, core: int | None, log: bool = False) -> Server:
        file = self.folder / "asked" if log else None
        if self.nginx:
            return Nginx(self.folder, self.redirects, self.port, file, core)
        return PracticeSite(self.plan.build, self.site, self.port, file, core)

    def run(self, one: Contestant, core: int | None) -> Run:
        own = self.folder / "own"
        own.mkdir()
        try:
            return measure.run(self.plan.build / TIMED, one.with_urls(self.url, self.urls, own),
                               Path(os.devnull) if one.finds else self.urls, core, self.plan.limit)
        finally:
            shutil.rmtree(own)


def check_all(ground: Ground, contestants: list[Contestant], core: int | None, server_core: int | None) -> dict[
        str, dict]:
    """The verdict on a crawl that the server has logged: exact or not, and why."""
    verdicts = {}
    with ground.serve(server_core, log=True) as server:
        for one in contestants:
            measure.tell_on_terminal(f"what does it ask for: {one.name}")
            server.forget()
            try:
                ground.run(one, core)
            except Failed as failure:
                verdicts[one.name] = failed_with(str(failure))
                continue
            verdicts[one.name] = verdict(ground.manifest, server.asked())
    return verdicts


def failed_with(why: str) -> dict:
    return {"exact": False, "found": False, "faults": [why], "failed": True}


def row(one: Contestant, judged: dict, runs: list[Run], most_at_once: list[int]) -> dict:
    """The figures of one contestant."""
    figures = {"name": one.name, "ours": one.ours, "finds": one.finds, **judged}
    if runs:
        for name in ("wall", "cpu", "peak"):
            figures[name] = measure.summary([getattr(run, name) for run in runs])
    if most_at_once:
        figures["most_at_once"] = measure.summary(most_at_once)
    return figures


def measure_part(plan: Plan, site: Site, at_once: int, pinned: bool) -> dict:
    """Serves the site, and lets all crawl it: once to see whether they do it right, then for the time."""
    server_core, core = measure.two_cores() if pinned else (None, None)
    contestants = line_up(plan.kind, plan.build, at_once, plan.rivals, plan.only, free=not pinned)
    # nginx's files, each in whole blocks, and what wget writes; but nginx doesn't wait, and wget is alone.
    files = 0 if site.latency else 2 * site.pages * (site.size + 4096)
    with workshop(20_000_000 + files) as folder:
        ground = Ground(plan, site, folder)
        verdicts = check_all(ground, contestants, core, server_core)
        able = [one for one in contestants if not verdicts[one.name].get("failed")]
        with ground.serve(server_core) as server:
            # The first crawl has the server look for all its pages: that one doesn't count.
            warm_up = Contestant("", [str(plan.build / LIBCURL), "100"], finds=False)
            ground.run(warm_up, None)
            most: dict[str, list[int]] = {one.name: [] for one in able}

            def run_one(one: Contestant) -> Run:
                counting = site.latency and isinstance(server, PracticeSite)
                if counting:
                    server.most_at_once()
                done = ground.run(one, core)
                if counting:
                    most[one.name].append(server.most_at_once())
                return done
            runs, failed = measure.in_turns(able, plan.rounds, run_one, measure.tell_on_terminal)
            about = server.about()
        measure.tell_on_terminal("")
        for name, why in failed.items():
            verdicts[name] = failed_with(why)
        return {
            "placement": "pinned" if pinned else "free", "at_once": at_once, "server": about,
            "site": dict(vars(site)), **counts_of(ground.manifest),
            "rows": [row(one, verdicts[one.name], runs.get(one.name, []), most.get(one.name, []))
                     for one in contestants],
        }


def counts_of(manifest: Manifest) -> dict:
    return {"pages": len(manifest.pages), "urls": len(manifest.urls()), "dead": len(manifest.dead),
            "redirects": len(manifest.redirects)}
