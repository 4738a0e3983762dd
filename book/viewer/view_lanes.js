// Where everything is in the picture of the thread: which lanes there are, which steps are
// in sight, and where a step has its x and y.
"use strict";

const Lanes = (() => {
  const TOP = 21; // the y of the first lane
  const REST = "rest"; // the lane of all that have none of their own

  /// Whom the rows of the picture belong to just now: row -> task or, in stage 1, fetch.
  function ownersNow() {
    const owners = new Map();
    const put = owner => owner && owner.row !== undefined && owners.set(owner.row, owner);
    if (Page.stage > 1) {
      for (const { task } of Page.state.tasks.values())
        put(task);
      return owners;
    }
    for (const fetch of Page.state.fetches.values())
      put(fetch);
    // A fetch that has just ended is drawn until its callback returns.
    const step = Page.now();
    for (const { call } of step.stack)
      put(call?.fetch);
    put(step.call?.fetch);
    put(step.fetch);
    return owners;
  }

  /// Whom each row of a whole run belongs to: also those that are over, or still to come.
  const rowsOf = new WeakMap();
  function ownersOfRows(model) {
    if (!rowsOf.has(model)) {
      const all = Page.stage > 1 ? model.tasks : model.fetches;
      rowsOf.set(model, new Map([...all.values()].map(owner => [owner.row, owner])));
    }
    return rowsOf.get(model);
  }

  /// Rows that the thread visits in sight, the nearest to now first.
  function visitedRows(from, to) {
    const { model, step: now } = Page;
    const found = new Set();
    const visit = number => {
      const lane = model.steps[number]?.lane;
      if (typeof lane === "number" && number >= from && number <= to && Page.isDrawn(number))
        found.add(lane);
    };
    for (let away = 0; away <= to - from; away++) {
      visit(now - away);
      visit(now + away);
    }
    return [...found];
  }

  /// The row of this step, and the one that the reader has chosen; of those that are there now, the
  /// ones that are visited, and then those that stand still; then the ones that are over, or still
  /// to come. If there isn't room for all, the last lane is for the rest.
  function chooseRows(from, to, most, owners) {
    const visited = visitedRows(from, to);
    const mine = [Page.now().lane, owners.has(Page.chosen?.row) && Page.chosen.row];
    const wanted = new Set([...mine.filter(row => typeof row === "number"),
      ...visited.filter(row => owners.has(row)), ...owners.keys(), ...visited]);
    const isAll = wanted.size <= most;
    const rows = [...wanted].slice(0, isAll ? most : most - 1).sort((a, b) => a - b);
    return { rows, rest: isAll ? 0 : wanted.size - rows.length };
  }

  /// In stage 1 a callback that belongs to no fetch is rare: then there is no lane for it.
  const callLanes = new WeakMap();
  function hasCallLane(model) {
    if (!callLanes.has(model)) {
      const used = (model.stage > 1 && !model.talks)
        || model.steps.some(step => step.lane === Model.CALLS);
      callLanes.set(model, used);
    }
    return callLanes.get(model);
  }

  /// The picture's measures for a width. x runs with the steps, without end; the picture is
  /// then pushed by `shift`, so that the present step is always at the same place.
  function layOut(width) {
    const { model, step: now } = Page;
    const isSmall = width < 620;
    // From one step to the next.
    const unit = (isSmall ? 25 : 31) + (model.talks ? 11 : Page.isEvery ? 0 : 9);
    const longer = isSmall ? 14 : 30; // generators have longer names than tasks
    const left = (isSmall ? 92 : 170) + (model.talks ? longer : 0); // room for the names of the lanes
    const isLow = innerHeight <= 900;
    const rowHeight = isSmall ? 25 : innerHeight <= 740 ? 21 : isLow ? 23 : 26;
    const most = isSmall ? 5 : innerHeight <= 740 ? 4 : isLow ? 6 : 8; // rows
    const here = left + (width - left) * (isSmall ? 0.5 : 0.46);
    const x = number => left + Page.x[number] * unit;
    const shift = here - x(now);

    let from = now, to = now;
    while (from > 0 && x(from) + shift > left - unit)
      from--;
    while (to < model.steps.length - 1 && x(to) + shift < width + unit)
      to++;

    const inSight = Array.from({ length: to - from + 1 }, (_, i) => from + i);
    const drawn = inSight.filter(number => Page.isDrawn(number));
    const owners = ownersNow();
    const { rows, rest } = chooseRows(from, to, most, owners);
    const named = ownersOfRows(model);
    const lanes = [Model.LOOP, ...(hasCallLane(model) ? [Model.CALLS] : []), ...rows,
      ...(rest > 0 ? [REST] : [])];
    const top = TOP + (model.talks ? 6 : 0); // above the first lane stands what is said
    const yOfLane = new Map(lanes.map((lane, i) => [lane, top + i * rowHeight]));
    // Room for as many as there have been, so that what lies beneath seldom moves.
    const were = Page.meta.still ? 0 : Math.min(model.together[to], most);
    const used = rows.length + (rest > 0 ? 1 : 0);
    const y = lane => yOfLane.get(lane) ?? yOfLane.get(REST);
    const height = top + (lanes.length - used + Math.max(used, were)) * rowHeight - 2;
    return { width, height, isSmall, unit, left, here, shift, from, to, drawn, x, y, lanes, rest,
      rows, owners, named, isShown: lane => yOfLane.has(lane) };
  }

  /// Within a task's lane, the thread lies the lower the deeper it is in the chain of
  /// coroutines.
  function yOfStep(layout, step) {
    const y = layout.y(step.lane);
    if (!layout.isShown(step.lane) || Page.stage === 1 || typeof step.lane !== "number")
      return y;
    return y - 3 + Math.min(step.depth || 0, 5) * 2;
  }

  return { layOut, yOfStep, REST };
})();
