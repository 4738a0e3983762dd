// A run on the page: shows a model in all panes, and plays the trace that is in the page.
"use strict";

const Run = (() => {
  const { byId, el } = Dom;
  let hasBegun = false;

  /// A big trace lies in the page packed, with gzip and as base64.
  function unpacked(node) {
    const bytes = Uint8Array.from(atob(node.textContent), letter => letter.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")));
  }

  function traceText() {
    const node = byId("trace");
    return node.type === "text/plain" ? unpacked(node).text() : node.textContent;
  }

  function otherRun({ title, href }) {
    return href ? el("a", { href }, title) : el("b", { "aria-current": "page" }, title);
  }

  /// What the page is, and what its reader must know of it.
  function say(title, note = "") {
    byId("title").textContent = document.title = title;
    byId("note").hidden = !note;
    byId("note").textContent = note;
  }

  function fillHead(meta, model) {
    say(meta.title, meta.note);
    byId("others").replaceChildren(...(meta.links || []).map(otherRun));
    const turns = model.talks ? "" : `${Words.many(model.turns.length, "turn")} of the loop, `;
    const busy = model.talks ? "" : `, the thread busy for ${TimePane.busyShare()} of it`;
    const numbers = `${Words.many(model.steps.length, "step")}, ${turns}${Words.time(model.span)}${busy}`;
    byId("about").textContent = [numbers, meta.about].filter(text => text).join(" · ");
    byId("about").title = byId("about").textContent;
  }

  function drawAll() {
    Say.draw();
    Thread.draw();
    Legend.draw();
    SourcePane.draw();
    TasksPane.draw();
    QueuePane.draw();
    LoopPane.draw();
    TimePane.draw();
    Controls.draw();
    Scroll.draw();
    Run.drawn();
  }

  /// Once, when there is a run.
  function begin() {
    hasBegun = true;
    for (const part of [Controls, Thread, TasksPane, TimePane, Scroll])
      part.begin();
    Page.onMove(drawAll);
  }

  /// A run, new or the first one. Which step is shown is up to the caller.
  function show(model, meta) {
    Page.show(model, meta);
    if (!hasBegun)
      begin();
    Controls.fill();
    TimePane.fill();
    fillHead(meta, model);
  }

  /// Plays the trace that is in the page, from a step that its address may name.
  async function play(meta) {
    const { events, bad } = Model.parse(await traceText());
    const model = Model.build(events, bad);
    if (model.steps.length === 0) {
      say(meta.title, "There is no step in this trace.");
      return;
    }
    show(model, meta);
    Controls.followLink();
    if (Page.step < 0)
      Page.go(meta.start ? meta.start - 1 : Page.home(), { quiet: true });
    Welcome.begin();
    ready();
  }

  /// For tests. `opened` is in ms, since the browser began with the page.
  function ready() {
    const opened = performance.now();
    window.viewer = {
      steps: () => Page.steps.length,
      step: () => Page.step + 1,
      go: number => Page.go(number - 1),
      stops: () => Page.stops.map(number => number + 1),
      every: isEvery => Page.walkEvery(isEvery),
      model: () => Page.model,
      state: () => Page.state,
      times: () => ({ ...Page.times, opened }),
    };
    document.documentElement.dataset.ready = "yes";
  }

  // A live page has more to do when the others are drawn.
  return { unpacked, show, play, ready, say, drawn() {} };
})();
