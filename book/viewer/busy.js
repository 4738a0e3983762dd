// How long each task had the thread, up to a step: "time on the thread" in the table of tasks.
//
//     Busy.of(model, owner, n)     µs, up to step n; `owner`: a task or, in stage 1, a fetch
//     Busy.steps(model, owner, n)  how often it has run until then
//
// The time from one step to the next belongs to who is on top of the stack: what a callback or
// a task calls inside another's step counts for the one that is called.
"use strict";

const Busy = (() => {
  const known = new WeakMap(); // by model: Map from owner to { at: steps, sums: µs until then }

  function ownerOf(model, { stack }) {
    for (let i = stack.length - 1; i >= 0; i--) {
      const { task, call } = stack[i];
      if (model.stage > 1 ? task : call?.fetch)
        return task || call.fetch;
    }
    return null;
  }

  function measure(model) {
    const owners = new Map();
    model.steps.forEach((step, i) => {
      const owner = ownerOf(model, step), next = model.steps[i + 1];
      if (!owner || !next)
        return;
      if (!owners.has(owner))
        owners.set(owner, { at: [], sums: [] });
      const { at, sums } = owners.get(owner);
      sums.push((sums[sums.length - 1] || 0) + next.t - step.t);
      at.push(i + 1);
    });
    return owners;
  }

  /// How many of these numbers, which rise, are at most n.
  function countUntil(numbers, n) {
    let low = 0, high = numbers.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (numbers[middle] <= n)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

  function of(model, owner, n) {
    if (!known.has(model))
      known.set(model, measure(model));
    const found = known.get(model).get(owner);
    const count = found ? countUntil(found.at, n) : 0;
    return count > 0 ? found.sums[count - 1] : 0;
  }

  const callsOf = fetch => (fetch.watches || [])
    .flatMap(watch => (watch.calls || []).map(call => call.step)).sort((a, b) => a - b);
  /// The steps at which it gets the thread.
  const runs = owner => owner.waits ? owner.steps : callsOf(owner);

  return { of, runs, steps: (model, owner, n) => countUntil(runs(owner), n) };
})();
if (typeof module !== "undefined")
  module.exports = Busy;
