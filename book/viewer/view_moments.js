// The moments of a run at which a worker can be asked to end, as a strip: each line of the trace is
// one. A strip that was tried shows what came of each moment.
"use strict";

const Moments = (() => {
  const { byId, one, el } = Dom;
  const FIRST = 3; // line: the program hears no request before
  const PORTION = 12; // ms of work: between two portions, the page hears its reader

  /// What can come of a run, and how it's drawn: its colour and its height, in px.
  const KINDS = {
    all: { colour: "future", height: 6, words: "all pages" },
    some: { colour: "soft", height: 12, words: "a page is missing" },
    hangs: { colour: "loop", height: 18, words: "the crawl hangs" },
    lost: { colour: "warn", height: 24, words: "an item is lost" },
  };
  const kindOf = ({ lost, hangs, fetched, found }) =>
    lost > 0 ? "lost" : hangs ? "hangs" : fetched < found ? "some" : "all";

  let last = FIRST; // line
  let found = new Map(); // line → kind
  let job = 0; // the number of the newest attempt to try all

  /// Nothing is known of another run. It has so many lines.
  function forget(lines) {
    job++;
    found = new Map();
    last = Math.max(FIRST, lines);
    byId("at").min = FIRST;
    byId("at").max = last;
    draw();
  }

  /// `play(line)` says what comes of a request at that line.
  function tryAll(play) {
    const mine = ++job;
    let line = FIRST;
    found = new Map();
    const portion = () => {
      if (mine !== job)
        return;
      const until = performance.now() + PORTION;
      for (; line <= last && performance.now() < until; line++)
        found.set(line, kindOf(play(line)));
      draw();
      if (line <= last)
        setTimeout(portion);
    };
    portion();
  }

  const count = kind => [...found.values()].filter(one => one === kind).length;

  /// What the strip is, or what its colours mean.
  function key() {
    if (found.size <= last - FIRST)
      return ["Each line of the trace is a moment: move the mark to one. Your request reaches the worker a little later."];
    const seen = Object.entries(KINDS).filter(([kind]) => count(kind) > 0);
    return [`${Words.many(found.size, "moment")} tried: `, ...seen.flatMap(([kind, { colour, height, words }]) =>
      [el("i", { style: `background:var(--${colour});height:${height / 2}px` }), `${words}, at ${count(kind)} `])];
  }

  function draw() {
    const canvas = one(".strip canvas"), scale = devicePixelRatio || 1;
    const width = canvas.clientWidth, height = canvas.clientHeight;
    canvas.width = width * scale;
    canvas.height = height * scale;
    const pen = canvas.getContext("2d"), style = getComputedStyle(document.documentElement);
    const wide = width / Math.max(1, last - FIRST);
    const colourOf = name => style.getPropertyValue(`--${name}`);
    const paint = Object.fromEntries(Object.entries(KINDS).map(([kind, { colour }]) => [kind, colourOf(colour)]));
    const bar = (line, kind) => { // with its middle where the mark's is
      const high = KINDS[kind].height;
      pen.fillStyle = paint[kind];
      pen.fillRect((line - FIRST - 0.5) * wide, height - high, Math.max(1, wide + 0.3), high);
    };
    pen.scale(scale, scale);
    pen.fillStyle = colourOf("line");
    pen.fillRect(0, height - 6, width, 6);
    found.forEach((kind, line) => bar(line, kind));
    one("#request .key").replaceChildren(...key());
  }

  return { FIRST, forget, tryAll, draw, kindOf };
})();
