// Small tools to make elements, and nothing that knows of traces.
"use strict";

const Dom = (() => {
  const byId = id => document.getElementById(id);
  const one = selector => document.querySelector(selector);

  /// Not everything that stands in a list of children or attributes is there: a child
  /// that is null or false is left out, so that `condition && el(…)` can be written.
  const isThere = value => value !== null && value !== undefined && value !== false;

  function setAttributes(node, attributes) {
    for (const [name, value] of Object.entries(attributes)) {
      if (!isThere(value))
        continue;
      if (name.startsWith("on"))
        node.addEventListener(name.slice(2), value);
      else
        node.setAttribute(name, value === true ? "" : value);
    }
  }

  /// el("p", {class: "why"}, "Because ", el("b", {}, "so")). An attribute "onclick" is a
  /// function to be called.
  function el(tag, attributes = {}, ...children) {
    const node = document.createElement(tag);
    setAttributes(node, attributes);
    node.append(...children.filter(isThere));
    return node;
  }

  // How a reader is told what to press: where there are no keys, it's the buttons.
  const isTouch = matchMedia("(pointer: coarse)").matches;
  const press = isTouch ? "Tap " : "Press ";
  const key = text => el("kbd", {}, isTouch && text === "e" ? "every step" : text);
  const allKeys = isTouch ? " for all signs." : " for all keys.";

  // The two that are wanted most, with their class.
  const span = (kind, ...children) => el("span", { class: kind || null }, ...children);
  const p = (kind, ...children) => el("p", { class: kind }, ...children);

  /// A line of a list with three columns. `kind`: "run" for what runs now, "off" for what is
  /// over, "future" for what is done.
  const row = (kind, who, what, how) => el("li", { class: kind || null },
    span("who", ...who), span("what", ...what), span("how", how));

  /// The last line of a list that has been cut.
  const more = hidden => hidden > 0 ? p("empty", `… and ${Words.num(hidden)} more.`) : "";

  /// As `el`, for a shape of a drawing.
  function svg(tag, attributes = {}, ...children) {
    const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
    setAttributes(node, attributes);
    node.append(...children.filter(isThere));
    return node;
  }

  /// Takes what stands between backquotes for code: "say `this`" is text, and <code>.
  function rich(text) {
    const parts = text.split("`");
    const nodes = parts.map((part, i) => i % 2 === 1 ? el("code", {}, part) : part);
    return nodes.filter(node => node !== "");
  }

  /// At most `most` characters; what is cut off is told by "…".
  const cut = (text, most) =>
    text.length > most ? text.slice(0, Math.max(1, most - 1)) + "…" : text;

  const fileName = path => (path || "").replace(/^.*\//, "");

  return { byId, one, el, span, p, press, key, allKeys, row, more, svg, rich, cut, fileName };
})();
