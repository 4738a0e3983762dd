// A still picture of the thread, as an SVG that stands alone: for the pages of the book. Of a
// conversation with generators, their frames are below it, side by side; at the end, what the signs mean.
//
// It's put behind a page's own scripts by stills.py, in a browser. What the style sheet says is
// written into each element, since there will be no style sheet.
"use strict";

(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const TOLD = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray",
    "stroke-linecap", "stroke-linejoin", "opacity", "paint-order", "font-size", "font-weight",
    "text-anchor"];

  /// How a bare element of this kind looks: what is like that needn't be said.
  function bareStyle(name) {
    const bare = document.createElementNS(SVG, name);
    const svg = document.createElementNS(SVG, "svg");
    document.body.append(svg);
    svg.append(bare);
    const style = getComputedStyle(bare);
    const known = Object.fromEntries(TOLD.map(key => [key, style.getPropertyValue(key)]));
    svg.remove();
    return known;
  }

  const isText = node => node.tagName === "text" || node.tagName === "tspan";

  function writeStyle(from, to) {
    const style = getComputedStyle(from), bare = bareStyle(from.tagName);
    for (const key of TOLD) {
      if (key.match(/font|anchor/) && !isText(from))
        continue;
      const value = style.getPropertyValue(key);
      if (value !== bare[key])
        to.setAttribute(key, value);
    }
    to.removeAttribute("class");
    to.removeAttribute("data-step");
    const moved = /translateX\((.+)px\)/.exec(from.style.transform); // where it's going to be
    if (moved)
      to.setAttribute("transform", `translate(${moved[1]})`);
    to.removeAttribute("style");
    const short = text => text.replace(/\d+\.\d+/g, number => Number(Number(number).toFixed(1)));
    for (const name of ["d", "x", "y", "x1", "x2", "transform"])
      if (to.hasAttribute(name))
        to.setAttribute(name, short(to.getAttribute(name)));
    [...from.children].forEach((child, i) => writeStyle(child, to.children[i]));
  }

  function element(name, attributes, text = "") {
    const node = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes))
      node.setAttribute(key, value);
    node.textContent = text;
    return node;
  }

  // ---- The frames, as the page shows them ----
  const GAP = 12;

  /// Each text stands where it stands in the frame's box on the page; what stands on the right
  /// there does so in a box as wide as this, too.
  function words(box, left, top, space) {
    const { x, y, width } = box.getBoundingClientRect();
    const walk = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
    const found = [];
    while (walk.nextNode()) {
      const range = document.createRange();
      range.selectNodeContents(walk.currentNode);
      const at = range.getBoundingClientRect();
      const { parentNode } = walk.currentNode;
      const more = parentNode.closest(".how, .state") ? space - width : 0;
      const style = getComputedStyle(parentNode);
      const mono = style.fontFamily.includes("mono") ? { "font-family": "monospace" } : {};
      found.push(element("text", { x: Math.round(at.x - x + left + more),
        y: Math.round(at.y - y + top + at.height * 0.76), ...mono, fill: style.color,
        "font-size": style.fontSize, "font-weight": style.fontWeight },
      walk.currentNode.textContent));
    }
    return found;
  }

  /// Draws them into the picture from y on, and answers where they end.
  function frames(to, width, y) {
    const boxes = [...document.querySelectorAll("#tasks .task")];
    const space = (width - 3 * GAP) / 2;
    const line = getComputedStyle(document.documentElement).getPropertyValue("--line").trim();
    const height = Math.max(...boxes.map(box => box.getBoundingClientRect().height)) + 8;
    boxes.forEach((box, i) => {
      const x = GAP + i * (space + GAP);
      to.append(element("rect", { x, y, width: space, height, rx: 8, fill: "none", stroke: line }),
        ...words(box, x + 10, y + 4, space - 20));
    });
    return y + height + GAP;
  }

  // ---- What the signs mean ----
  const ROW = 22;
  const LANES = 160; // what the names of the lanes take, on the left

  /// The kinds of the steps whose knots can be seen in the picture, in their order. (The thread is still
  /// moving: what counts is where it's going to be.)
  function kindsIn(picture) {
    const { width } = picture.viewBox.baseVal;
    const kinds = [...picture.querySelectorAll(".knot")].filter(knot => {
      const moving = knot.closest("[style*=translateX]");
      const moved = moving ? Number(/translateX\((.+)px\)/.exec(moving.style.transform)[1]) : 0;
      const x = Number(/translate\((\S+)/.exec(knot.getAttribute("transform"))[1]) + moved;
      return x > LANES && x < width;
    }).map(knot => Signs.signOf(Page.steps[Number(knot.dataset.step)]));
    return [...new Set(kinds)];
  }

  /// Draws a sign and its words for each into the picture, from y on, and answers where they end.
  function legend(to, width, y, kinds) {
    const place = document.querySelector(".met"), columns = 3;
    const space = (width - 2 * GAP) / columns;
    const { color } = getComputedStyle(document.querySelector(".legend"));
    kinds.forEach((kind, i) => {
      const item = document.createElement("li"), svg = document.createElementNS(SVG, "svg");
      const knot = Signs.knot(kind);
      svg.append(knot);
      item.append(svg);
      place.append(item); // where the style sheet finds it
      const copy = knot.cloneNode(true);
      writeStyle(knot, copy);
      const x = Math.round(GAP + (i % columns) * space) + 10, middle = y + Math.floor(i / columns) * ROW + ROW / 2;
      copy.setAttribute("transform", `translate(${x} ${middle}) scale(.9)`);
      to.append(copy, element("text", { x: x + 16, y: middle + 4, fill: color, "font-size": "11px" },
        Signs.wordsOf(kind)));
      item.remove();
    });
    return y + Math.ceil(kinds.length / columns) * ROW + GAP / 2;
  }

  function still(withSigns) {
    const from = document.querySelector(".cloth svg");
    const kinds = withSigns ? kindsIn(from) : [];
    const to = from.cloneNode(true);
    writeStyle(from, to);
    const { width } = from.viewBox.baseVal;
    let { height } = from.viewBox.baseVal;
    if (viewer.model().talks)
      height = frames(to, width, height + 4);
    if (withSigns)
      height = legend(to, width, height + 4, kinds);
    to.setAttribute("viewBox", `0 0 ${width} ${height}`);
    to.setAttribute("height", height);
    to.setAttribute("xmlns", SVG);
    to.setAttribute("width", width);
    to.setAttribute("font-family", "system-ui, sans-serif");
    const page = getComputedStyle(document.body).backgroundColor;
    to.prepend(element("rect", { width, height, rx: 8, fill: page }));
    return new XMLSerializer().serializeToString(to);
  }

  const wait = setInterval(() => {
    if (document.documentElement.dataset.ready !== "yes")
      return;
    clearInterval(wait);
    const { step, signs } = JSON.parse(document.getElementById("meta").textContent).still;
    viewer.every(true);
    viewer.go(step);
    const picture = still(signs);
    const result = document.createElement("pre");
    result.id = "result";
    result.textContent = JSON.stringify({ picture });
    document.body.append(result);
  }, 10);
})();
