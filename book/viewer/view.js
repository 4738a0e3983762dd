// The page's state: which trace, which step, and how to get from one to another.
//
// All else on the page is drawn from `Page.model` (the whole run, which never changes) and
// `Page.state` (how the program stands after step number `Page.step`). Steps are counted
// from 0 in here, and from 1 where a reader sees them.
"use strict";

const Page = (() => {
  const page = { meta: {}, model: null, stage: 0, steps: [], state: null, step: -1, worth: [],
    stops: [], fold: null, isEvery: false, chosen: null, x: null, times: { steps: 0, sum: 0, most: 0 } };
  let draw = () => {};

  /// `model` is what Model.build makes of a trace.
  function show(model, meta) {
    page.model = model;
    page.stage = model.stage;
    page.steps = model.steps;
    page.meta = meta;
    page.state = null;
    page.step = -1;
    page.chosen = null;
    const moments = (meta.moments || []).map(({ step, caption }) =>
      ({ step: step - 1, text: caption, kind: "moment" }));
    page.worth = [...moments, ...model.findings];
    page.stops = Stops.of(model, page.worth.map(thing => thing.step));
    page.fold = Stops.fold(model);
    walkEvery(page.stops.length === page.steps.length);
  }

  // ---- The walk: from stop to stop, or every step ----

  /// Where each step stands in the picture: as the model says, or, from stop to stop, with what is
  /// between two stops squeezed into the gap.
  function placesOfSteps() {
    const { model, stops } = page;
    if (page.isEvery)
      return model.x;
    const x = new Float64Array(model.steps.length + 1);
    let at = 0;
    stops.forEach((stop, i) => {
      const next = stops[i + 1] ?? model.steps.length;
      const gap = model.steps[stop].asleep ? 3.2 : 1;
      for (let n = stop; n < next; n++)
        x[n] = at + (n > stop ? gap * (0.3 + 0.4 * (n - stop) / (next - stop)) : 0);
      at += gap;
    });
    for (let n = 0; n < stops[0]; n++)
      x[n] = n / stops[0] - 1.2;
    x[model.steps.length] = at;
    return x;
  }

  function walkEvery(isEvery) {
    page.isEvery = isEvery;
    page.x = placesOfSteps();
    if (page.step < 0)
      return;
    draw();
    leaveLink();
  }

  /// The index in `stops` of the first one from a step on.
  function stopFrom(number) {
    let low = 0, high = page.stops.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (page.stops[middle] >= number)
        high = middle;
      else
        low = middle + 1;
    }
    return low;
  }

  /// Is one of these steps drawn: a stop, or the present one?
  const isDrawn = (number, last = number) => page.isEvery || page.stops[stopFrom(number)] <= last
    || (page.step >= number && page.step <= last);

  const home = () => page.isEvery ? 0 : page.stops[0];

  /// The next step of the walk (or with -1, the one before), or null.
  function neighbour(by) {
    const { step, stops } = page;
    const next = page.isEvery ? step + by
      : by > 0 ? stops[stopFrom(step + 1)] : stops[stopFrom(step) - 1];
    return next >= 0 && next <= last() ? next : null;
  }

  /// `drawAll` draws everything anew after a move. If a button that had the focus was drawn anew, the new one
  /// has it; if there is none like it, the sentence on the step has.
  function onMove(drawAll) {
    draw = () => {
      const old = document.activeElement;
      const around = old.closest("[id]:not(button)")?.id, words = old.textContent;
      drawAll();
      if (old.isConnected)
        return;
      const same = [...document.querySelectorAll(`#${around} button`)].find(button => button.textContent === words);
      (same || document.getElementById("say")).focus();
    };
  }

  const last = () => page.steps.length - 1;
  const now = () => page.steps[page.step];

  function go(to, { quiet = false } = {}) {
    const step = Math.max(0, Math.min(last(), to));
    if (step === page.step)
      return draw(); // what shows the step may have been moved away
    const began = performance.now();
    page.state = Model.stateAt(page.model, step, page.state);
    page.step = step;
    draw();
    if (!quiet)
      leaveLink();
    count(performance.now() - began);
  }

  function goIfAny(step) {
    if (step !== null)
      go(step);
  }

  function count(took) {
    page.times.steps += 1;
    page.times.sum += took;
    page.times.most = Math.max(page.times.most, took);
  }

  /// The address tells where the reader stands, so that it can be sent to somebody. Not at
  /// once: browsers refuse when it changes too often. If the reader follows a link in the
  /// meantime, that one counts.
  let leaving = null;
  function leaveLink() {
    clearTimeout(leaving);
    const before = location.hash;
    leaving = setTimeout(() => {
      if (location.hash !== before)
        return;
      const link = new URLSearchParams(location.hash.slice(1));
      link.set("step", page.step + 1);
      if (page.isEvery && page.stops.length < page.steps.length)
        link.set("walk", "every");
      else
        link.delete("walk");
      history.replaceState(null, "", `#${link}`);
    }, 150);
  }

  // ---- From a step to others. Each answers with a step's number, or null. ----

  /// The first one from `from` on, in steps of `by`, for which `fits` says yes.
  function seek(from, by, fits) {
    for (let i = from; i >= 0 && i <= last(); i += by)
      if (fits(page.steps[i]))
        return i;
    return null;
  }

  function goTurn(by) {
    const kind = page.model.talks ? "ask" : "select";
    const found = seek(page.step + by, by, step => step.kind === kind);
    go(found ?? (by > 0 ? last() : 0));
  }

  /// Where goes on what stops in this step, or what this step sets going.
  function wakeOf(number) {
    const step = page.steps[number];
    const later = steps => steps.find(n => n > number) ?? null;
    switch (step.kind) {
    case "suspend":
      return step.wait.resumed ?? null;
    case "resolve":
    case "fail":
    case "drop":
      return later(step.future.waiters.map(wait => wait.resumed ?? -1));
    case "new":
      return later(step.task.steps);
    case "schedule":
      return step.task ? later(step.task.steps) : null;
    case "timer":
      return step.timer?.due ?? null;
    case "select":
      return step.asleep && number < last() ? number + 1 : null;
    case "watch":
      return later((step.watch?.calls || []).map(call => call.step));
    case "return":
      return later(callsAfter(step, number));
    default:
      return null;
    }
  }

  /// Stage 1: the next callback of the fetch whose callback has just returned.
  function callsAfter(step, number) {
    const watches = step.call.fetch?.watches || [];
    const calls = watches.flatMap(watch => (watch.calls || []).map(call => call.step));
    return calls.filter(n => n > number).sort((a, b) => a - b);
  }

  const causeOf = number => {
    const { cause } = page.steps[number];
    return cause === undefined || cause < 0 ? null : cause;
  };

  /// Whom a step is about: its task, or (stage 1) the fetch.
  function ownerOf(step) {
    const running = [...step.stack].reverse();
    if (page.stage === 1)
      return step.fetch || step.call?.fetch || running.find(x => x.call?.fetch)?.call.fetch || null;
    return step.task || step.in || running.find(x => x.task)?.task || null;
  }

  /// The next step (or with -1, the one before) that is about the same.
  function sameAs(number, by) {
    const owner = ownerOf(page.steps[number]);
    return owner && seek(number + by, by, step => ownerOf(step) === owner);
  }

  /// To a task, or in stage 1 a fetch: where it runs next, or else where it has run last.
  function goTo(owner) {
    const runs = Busy.runs(owner);
    const to = runs.find(n => n > page.step) ?? runs.findLast(n => n <= page.step);
    page.chosen = owner;
    if (to !== undefined && to !== page.step)
      go(to);
    else
      draw();
  }

  function chooseNone() {
    page.chosen = null;
    draw();
  }

  /// The next thing worth a look; after the last one, the first again.
  function goWorth() {
    const steps = page.worth.map(thing => thing.step).sort((a, b) => a - b);
    goIfAny(steps.find(step => step > page.step) ?? steps[0] ?? null);
  }

  /// The last step that had been made at a time.
  function stepAtTime(time) {
    const { steps } = page.model;
    let low = 0, high = last();
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (steps[middle].t <= time)
        low = middle;
      else
        high = middle - 1;
    }
    return low;
  }

  return Object.assign(page, {
    show, onMove, last, now, go, goTurn, home, neighbour, isDrawn, walkEvery, goTo, chooseNone, goWorth, wakeOf, causeOf, ownerOf, sameAs,
    stepAtTime,
    walk: by => goIfAny(neighbour(by)),
    goWake: () => goIfAny(wakeOf(page.step)),
    goCause: () => goIfAny(causeOf(page.step)),
    goSame: by => goIfAny(sameAs(page.step, by)),
  });
})();
