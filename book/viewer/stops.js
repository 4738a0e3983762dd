// The coarse walk: of all steps, those where something begins, waits, wakes or ends.
//
//     Stops.of(model, more)    the numbers of those steps, in order; `more`: steps that are stops,
//                              whatever happens there
//     Stops.fold(model)        the last step before the first fetch: all up to there is one stop;
//                              or null, if there is nothing to fold
//
// Where several tasks begin to wait between two sleeps of the loop, or wake, the first stands for
// all: one has seen what the others do. A wait too short to be noticed is no stop at all, unless it's
// the first of the run: there a reader sees how a task stops and resumes.
"use strict";

const Stops = (() => {
  const M = typeof require === "undefined" ? Model : require("./model.js");

  const timeOf = (m, n) => n === null || n === undefined ? Infinity : m.steps[n].t;
  const isLong = (m, wait) => timeOf(m, wait.resumed) - wait.t >= M.SLEEP;

  /// Before stage 3, a task that fetches begins and ends with its fetch.
  const isItsFetch = (m, task) => m.stage < 3 && task.fetch !== null;

  /// Each says whether a step of this kind is a stop. `isFirst(what)`: since the loop slept.
  const STOPS = {
    start: () => true,
    end: () => true,
    cancel: () => true,
    select: (m, s) => s.asleep === true,
    ready: (m, s, isFirst) => m.stage === 1 && isFirst("wakes"),
    step: (m, s, isFirst) => s.first ? !isItsFetch(m, s.task)
      : isFirst("wakes"),
    suspend: (m, s, isFirst) => isLong(m, s.wait) && isFirst("waits"),
    done: (m, s) => s.task.outcome !== "returned" || !isItsFetch(m, s.task),
  };

  function fold(m) {
    const first = m.steps.findIndex(step => step.kind === "start");
    return first > 1 ? first - 1 : null;
  }

  function of(m, more = []) {
    if (m.talks) // a conversation is short, and each word of it counts
      return m.steps.map(step => step.n);
    const from = fold(m) ?? 0;
    const stops = new Set([from, m.steps.length - 1, ...more]);
    let seen = new Set(["wakes"]); // before the first sleep, nothing can wake
    const isFirst = what => !seen.has(what) && seen.add(what);
    const { wait } = m.steps.slice(from).find(s => s.kind === "suspend") ?? {};
    for (const n of [wait?.step, wait?.resumed])
      if (n !== undefined && n !== null)
        stops.add(n);
    for (const s of m.steps.slice(from)) {
      if (s.asleep)
        seen = new Set();
      if (STOPS[s.kind]?.(m, s, isFirst))
        stops.add(s.n);
    }
    return [...stops].sort((a, b) => a - b);
  }

  return { of, fold };
})();
if (typeof module !== "undefined")
  module.exports = Stops;
