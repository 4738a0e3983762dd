// Two runs on one time axis: for each, how long it took, how much of that the loop was busy, and a
// lane for each fetch. A time is chosen for both, with a click or the slider; a link to each run's own
// page says what happens there then, and opens it at that step.
"use strict";

(() => {
  const { byId, el, span, one } = Dom;
  const MOST_LANES = 24, MOST_TICKS = 5;

  const percent = share => `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;

  function makeRun({ name, trace, page }) {
    const model = Model.read(trace);
    const begin = model.steps[0].t, took = Math.max(1, model.span - begin);
    const busy = Model.busyTimes(model);
    const fetches = [...model.fetches.values()].sort((a, b) => a.t0 - b.t0);
    return { name, page, model, begin, took, busy, fetches,
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

  function axis(longest) {
    const marks = Axis.ticks(0, longest * 0.97, MOST_TICKS).map(time =>
      el("span", { style: `left:${time / longest * 100}%` }, Axis.name(time, longest)));
    return lane("axis", "", marks, "");
  }

  function drawRun(run, longest) {
    const shown = run.fetches.slice(0, MOST_LANES);
    const hidden = run.fetches.length - shown.length;
    const busy = run.busy.map(([from, to]) => bar(run, from, to, longest));
    return el("section", { class: "run", "aria-label": run.name },
      el("h2", {}, run.name), tookLine(run), el("p", { class: "then" }),
      el("ol", { class: "lanes" },
        lane("busy", "loop busy", busy, percent(run.worked / run.took)),
        ...shown.map(fetch => fetchLane(run, fetch, longest)), axis(longest)),
      hidden > 0 && el("p", { class: "more" }, `… and ${Words.num(hidden)} more fetches.`));
  }

  // ---- The time that is chosen for both ----
  /// The last step that had been made at a time since the run began.
  function stepAt({ model, begin }, time) {
    const later = model.steps.findIndex(step => step.t - begin > time);
    return (later < 0 ? model.steps.length : Math.max(1, later)) - 1;
  }

  function chooseTime(time, longest) {
    one(".when input").value = time;
    one(".when output").textContent = Words.time(time);
    one(".when input").setAttribute("aria-valuetext", Words.time(time));
    document.querySelectorAll(".run").forEach((section, i) => {
      section.style.setProperty("--then", time / longest);
      const run = runs[i], step = stepAt(run, time), isOver = time > run.took;
      section.querySelector(".then").replaceChildren(
        el("a", { href: `${run.page}#step=${step + 1}` }, isOver ? "open its last step" : `open step ${step + 1}`),
        isOver ? ": it has ended by then." : `: ${Words.short(run.model, step)}.`);
    });
  }

  function timeLine(longest) {
    const slider = el("input", { id: "when", type: "range", min: 0, max: longest, step: Math.max(1, Math.round(longest / 1000)),
      oninput: event => chooseTime(Number(event.target.value), longest) });
    return el("p", { class: "when" }, el("label", { for: "when" }, "At this time"), slider, el("output", { for: "when" }));
  }

  function onClick(event, longest) {
    const track = event.target.closest(".lane .track, .busy .track");
    if (!track)
      return;
    const { left, width } = track.getBoundingClientRect();
    chooseTime(Math.max(0, (event.clientX - left) / width * longest), longest);
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
      + "finish. The top row is filled while the loop is busy, and empty while it sleeps. A click there chooses "
      + "a time; the links open each run at that time, step by step."),
    el("p", { class: "hint" }, verdict(...runs)), timeLine(longest),
    ...runs.map(run => drawRun(run, longest)));
  one("main").addEventListener("click", event => onClick(event, longest));
  chooseTime(runs[0].fetches[1]?.t0 - runs[0].begin || 0, longest);
  root.dataset.ready = "yes";
})();
