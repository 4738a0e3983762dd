// A still picture of the thread, as an SVG that stands alone: for the pages of the book.
//
// It's put behind a page's own scripts by stills.py, in a browser. What the style sheet says is
// written into each element, since there will be no style sheet.
"use strict";

(() => {
  const TOLD = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray",
    "stroke-linecap", "stroke-linejoin", "opacity", "paint-order", "font-size", "font-weight",
    "text-anchor"];

  /// How a bare element of this kind looks: what is like that needn't be said.
  function bareStyle(name) {
    const bare = document.createElementNS("http://www.w3.org/2000/svg", name);
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
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

  function still() {
    const from = document.querySelector(".cloth svg");
    const to = from.cloneNode(true);
    writeStyle(from, to);
    const { width, height } = from.viewBox.baseVal;
    to.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    to.setAttribute("width", width);
    to.setAttribute("font-family", "system-ui, sans-serif");
    const paper = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    const page = getComputedStyle(document.body).backgroundColor;
    for (const [key, value] of Object.entries({ width, height, rx: 8, fill: page }))
      paper.setAttribute(key, value);
    to.prepend(paper);
    return new XMLSerializer().serializeToString(to);
  }

  const wait = setInterval(() => {
    if (document.documentElement.dataset.ready !== "yes")
      return;
    clearInterval(wait);
    const { step } = JSON.parse(document.getElementById("meta").textContent).still;
    viewer.go(step);
    const picture = still();
    const result = document.createElement("pre");
    result.id = "result";
    result.textContent = JSON.stringify({ picture });
    document.body.append(result);
  }, 10);
})();
