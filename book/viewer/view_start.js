// The beginning: reads the trace that is in the page, and draws its first step.
"use strict";

(async () => {
  const { byId, el } = Dom;

  /// A big trace lies in the page packed, with gzip and as base64.
  async function traceText() {
    const node = byId("trace");
    if (node.type !== "text/plain")
      return node.textContent;
    const bytes = Uint8Array.from(atob(node.textContent.trim()), letter => letter.charCodeAt(0));
    const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(unpacked).text();
  }

  function otherRun({ title, href }) {
    return href ? el("a", { href }, title) : el("b", { "aria-current": "page" }, title);
  }

  function fillHead(meta, model) {
    byId("title").textContent = document.title = meta.title;
    byId("others").replaceChildren(...(meta.links || []).map(otherRun));
    const turns = model.talks ? "" : `${Words.many(model.turns.length, "turn")} of the loop, `;
    const busy = model.talks ? "" : `, the thread busy for ${TimePane.busyShare()} of it`;
    const numbers = `${Words.many(model.steps.length, "step")}, ${turns}${Words.time(model.span)}${busy}`;
    byId("about").textContent = [numbers, meta.about].filter(text => text).join(" · ");
    byId("about").title = byId("about").textContent;
    byId("note").hidden = !meta.note;
    byId("note").textContent = meta.note || "";
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
  }

  const meta = JSON.parse(byId("meta").textContent);
  const { events, bad } = Model.parse(await traceText());
  const model = Model.build(events, bad);
  Page.show(model, meta);
  if (model.steps.length === 0) {
    byId("title").textContent = meta.title;
    byId("note").hidden = false;
    byId("note").textContent = "There is no step in this trace.";
    return;
  }

  Controls.begin();
  Controls.fill();
  Thread.begin();
  TasksPane.begin();
  TimePane.begin();
  TimePane.fill();
  Scroll.begin();
  fillHead(meta, model);
  Page.onMove(drawAll);
  Controls.followLink();
  if (Page.step < 0)
    Page.go(meta.start ? meta.start - 1 : Page.home(), { quiet: true });
  Welcome.begin();

  // For tests. `opened` is in ms, since the browser began with the page.
  const opened = performance.now();
  window.viewer = {
    steps: () => model.steps.length,
    step: () => Page.step + 1,
    go: number => Page.go(number - 1),
    stops: () => Page.stops.map(number => number + 1),
    every: isEvery => Page.walkEvery(isEvery),
    model: () => model,
    state: () => Page.state,
    times: () => ({ ...Page.times, opened }),
  };
  document.documentElement.dataset.ready = "yes";
})();
