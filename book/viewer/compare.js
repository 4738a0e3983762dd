// Two runs on one time axis: for each, how long it took, how much of that the loop was busy, and a
// lane for each fetch.
"use strict";

(() => {
  const { byId, el, span, one } = Dom;
  const MOST_LANES = 24, MOST_TICKS = 5;

  const percent = share => `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;

  function makeRun({ name, trace }) {
    const model = Model.read(trace);
    const begin = model.steps[0].t, took = Math.max(1, model.span - begin);
    const busy = Model.busyTimes(model);
    const fetches = [...model.fetches.values()].sort((a, b) => a.t0 - b.t0);
    return { name, model, begin, took, busy, fetches,
      worked: busy.reduce((sum, [from, to]) => sum + to - from, 0) };
  }

  /// At most so many fetches were in flight at the same time.
  function mostAtOnce({ fetches, model }) {
    const inFlight = time => fetches.filter(({ t0, t1 }) => t0 <= time && time < (t1 ?? model.span));
    return Math.max(0, ...fetches.map(({ t0 }) => inFlight(t0).length));
  }

  // ---- The line that says how long it took ----
  function tookLine(run) {
    const fetches = Words.many(run.fetches.length, "fetch", "fetches");
    return el("p", { class: "took" }, "took ", el("b", {}, Words.time(run.took)),
      ", and the loop was busy for ", el("b", {}, Words.time(run.worked)),
      ` of it (${percent(run.worked / run.took)}). ${Words.capital(fetches)}, at most `
      + `${mostAtOnce(run)} at once.`);
  }

  // ---- What both show ----
  const NEARLY = 1.25; // runs differ by so much from one time to the next
  function verdict(...both) {
    const [quick, slow] = [...both].sort((a, b) => a.took - b.took);
    const ratio = slow.took / quick.took;
    return ratio < NEARLY ? "Both took about as long: nearly all the time goes to waiting for the "
      + "server, for several answers at once. This is one run of each; small differences are noise."
      : `${slow.name} took ${ratio.toFixed(1)} times as long.`;
  }

  // ---- Lanes ----
  function bar(run, from, to, longest, title) {
    const left = (from - run.begin) / longest * 100, width = (to - from) / longest * 100;
    return el("i", { style: `left:${left.toFixed(3)}%;width:${width.toFixed(3)}%`, title });
  }

  const lane = (kind, name, track, how) => el("li", { class: kind },
    el("span", { class: "name", title: name }, name), span("track", ...track), span("how", how));

  function fetchLane(run, fetch, longest) {
    const end = fetch.t1 ?? run.model.span, took = Words.time(end - fetch.t0);
    const isDead = fetch.status >= 400 || (fetch.end !== undefined && fetch.status === null);
    return lane(isDead && !fetch.robots ? "lane dead" : "lane", fetch.path,
      [bar(run, fetch.t0, end, longest, `${took}, status ${fetch.status ?? "none"}`)], took);
  }

  /// 1, 2 or 5 times a power of ten, so that there are few of them.
  function ticks(longest) {
    const least = longest / MOST_TICKS, power = 10 ** Math.floor(Math.log10(least));
    const step = [1, 2, 5, 10].map(n => n * power).find(size => size >= least);
    return Array.from({ length: Math.floor(longest / step) + 1 }, (_, i) => i * step);
  }

  /// "20 ms": all in the unit of the longest.
  function tickName(time, longest) {
    const [unit, name] = longest < 1000 ? [1, "µs"] : longest < 2e6 ? [1e3, "ms"] : [1e6, "s"];
    return time === 0 ? "0" : `${Number((time / unit).toPrecision(3))} ${name}`;
  }

  function axis(longest) {
    const marks = ticks(longest).filter(time => time < longest * 0.97).map(time =>
      el("span", { style: `left:${time / longest * 100}%` }, tickName(time, longest)));
    return lane("axis", "", marks, "");
  }

  function drawRun(run, longest) {
    const shown = run.fetches.slice(0, MOST_LANES);
    const hidden = run.fetches.length - shown.length;
    const busy = run.busy.map(([from, to]) => bar(run, from, to, longest));
    return el("section", { class: "run", "aria-label": run.name },
      el("h2", {}, run.name), tookLine(run),
      el("ol", { class: "lanes" },
        lane("busy", "loop busy", busy, percent(run.worked / run.took)),
        ...shown.map(fetch => fetchLane(run, fetch, longest)), axis(longest)),
      hidden > 0 && el("p", { class: "more" }, `… and ${Words.num(hidden)} more fetches.`));
  }

  // ---- The theme: by the system, by a link (#theme=dark), by the button or the key d ----
  const root = document.documentElement;
  const setTheme = isDark => { root.dataset.theme = isDark ? "dark" : "light"; };
  const turn = () => setTheme(root.dataset.theme !== "dark");

  function beginTheme() {
    const wanted = new URLSearchParams(location.hash.slice(1)).get("theme");
    setTheme(wanted ? wanted === "dark" : matchMedia("(prefers-color-scheme: dark)").matches);
    byId("theme").addEventListener("click", turn);
    document.addEventListener("keydown", ({ key, ctrlKey, metaKey, altKey }) =>
      key === "d" && !ctrlKey && !metaKey && !altKey && turn());
  }

  beginTheme();
  const runs = JSON.parse(byId("meta").textContent).runs.map(makeRun);
  const longest = Math.max(...runs.map(run => run.took));
  one("main").append(
    el("p", { class: "hint" }, "Both runs share one time axis. A bar is a fetch, from start to "
      + "finish. The top row is filled while the loop is busy, and empty while it sleeps."),
    el("p", { class: "hint" }, verdict(...runs)),
    ...runs.map(run => drawRun(run, longest)));
  root.dataset.ready = "yes";
})();
