// What happens in this step, why, and the way of causes that led here.
"use strict";

const Say = (() => {
  const { el, span, press, key, allKeys, one, byId, rich } = Dom;
  const MANY_STEPS = 9999; // a number beyond that is set smaller

  function atTheEnd() {
    const { model, step } = Page;
    if (step !== Page.last() || !model.whole)
      return "";
    if (model.talks)
      return " Here the trace ends.";
    const fetches = model.fetches.size > 0
      ? `${Words.many(model.fetches.size, "fetch", "fetches")} in ${Words.time(model.span)}; ` : "";
    const text = `${fetches}the thread was busy ${TimePane.busyShare()} of the time.`;
    return ` The recording ends here. ${Words.capital(text)}`;
  }

  function drawNumber() {
    const number = el("b", { class: Page.step >= MANY_STEPS && "long" }, Words.num(Page.step + 1));
    byId("step-number").replaceChildren(number, `of ${Words.num(Page.steps.length)}`,
      span("when", Words.time(Page.now().t)));
  }

  // ---- The way of causes ----
  function dot(number) {
    const tone = Signs.toneOf(Page.steps[number]);
    return el("span", { class: `dot ${tone}`, "aria-hidden": "true" });
  }

  function causeButton(number) {
    const words = Words.short(Page.model, number);
    return el("button", { onclick: () => Page.go(number), title: `step ${number + 1}` },
      dot(number), words);
  }

  function drawWay() {
    const { model, step } = Page;
    if (step === Page.home()) {
      const every = Page.isEvery ? [" for the next step, "]
        : [" for the next stop, ", key("e"), " to see each step, "];
      byId("way").replaceChildren(span("", press, key("→"), ...every, key("?"), allKeys));
      return;
    }
    const causes = Model.causes(model, step).flatMap(number =>
      [causeButton(number), el("i", { "aria-hidden": "true" }, "→")]);
    const here = el("b", { "aria-current": "step" }, dot(step), Words.short(model, step));
    byId("way").replaceChildren(...causes, here);
    // In a small window the way is one line, of which the end matters most.
    requestAnimationFrame(() => {
      const way = byId("way");
      way.scrollLeft = way.scrollWidth;
      way.toggleAttribute("data-cut", way.scrollLeft > 0);
    });
  }

  /// For screen readers. When it plays fast, only the last step is read out.
  let reading = null;
  function readOut(what, why) {
    clearTimeout(reading);
    const text = `Step ${Page.step + 1}. ${what} ${why}`.replace(/`/g, "");
    reading = setTimeout(() => { byId("live").textContent = text; }, 250);
  }

  function draw() {
    const { model, step, state } = Page;
    const isFolded = !Page.isEvery && step === Page.fold;
    const { what, why } = isFolded ? Words.fold(model, step) : Words.describe(model, step, state,
      { awaited: Places.awaited, body: Places.bodyOfCallback });
    drawNumber();
    one("#say .what").replaceChildren(...rich(what));
    one("#say .why").replaceChildren(...rich((why || "") + atTheEnd()));
    drawWay();
    readOut(what, why || "");
  }

  return { draw };
})();
