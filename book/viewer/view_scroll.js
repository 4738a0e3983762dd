// A pane that holds more than is in sight says so: at its end, what is beneath.
"use strict";

const Scroll = (() => {
  const ENOUGH = 14; // px that may be hidden: the space at the end, and less than a line
  let panes = [], coming = null;

  function mark(pane) {
    const hidden = pane.scrollHeight - pane.clientHeight - pane.scrollTop;
    pane.toggleAttribute("data-more", getComputedStyle(pane).overflowY !== "visible" && hidden > ENOUGH);
  }

  /// Only when the browser is about to draw: to measure earlier would cost a layout.
  function draw() {
    cancelAnimationFrame(coming);
    coming = requestAnimationFrame(() => requestAnimationFrame(() => panes.forEach(mark)));
  }

  function begin() {
    panes = [...document.querySelectorAll("#tasks, .side .pane")];
    for (const pane of panes) {
      pane.addEventListener("scroll", () => mark(pane), { passive: true });
      new ResizeObserver(draw).observe(pane);
    }
  }

  return { begin, draw };
})();
