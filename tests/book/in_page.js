// What tests inside a page of the viewer or of the site share: how to find, to press and to measure.
"use strict";

const InPage = (() => {
  const one = selector => document.querySelector(selector);
  const all = selector => [...document.querySelectorAll(selector)];
  const press = (target, key, more = {}) => target.dispatchEvent(
    new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more }));

  // ---- Colours ----
  const numbers = colour => colour.match(/[\d.]+/g).map(Number);
  /// Two colours, one over the other.
  const over = (below, above, alpha = above[3] ?? 1) =>
    [0, 1, 2].map(n => alpha * above[n] + (1 - alpha) * below[n]);
  const linear = n => n <= 0.04045 ? n / 12.92 : ((n + 0.055) / 1.055) ** 2.4;
  const WEIGHTS = [0.2126, 0.7152, 0.0722];
  const luminance = colour => colour.reduce((sum, n, i) => sum + WEIGHTS[i] * linear(n / 255), 0);

  /// Between a text and what it stands on. WCAG 2 asks for 4.5.
  function contrast(element, opacity = 1) {
    const style = getComputedStyle(element), layers = [];
    for (let at = element; at; at = at.parentElement)
      layers.unshift(numbers(getComputedStyle(at).backgroundColor));
    const below = layers.reduce((ground, layer) => over(ground, layer), [255, 255, 255]);
    const text = numbers(element instanceof SVGElement ? style.fill : style.color);
    const above = over(below, text, opacity * (text[3] ?? 1));
    const [dim, bright] = [luminance(below), luminance(above)].sort((a, b) => a - b);
    return (bright + 0.05) / (dim + 0.05);
  }
  function opacityOf(element) {
    let opacity = 1;
    for (let at = element; at; at = at.parentElement)
      opacity *= Number(getComputedStyle(at).opacity);
    return opacity;
  }
  const hasText = element => [...element.childNodes].some(node =>
    node.nodeType === Node.TEXT_NODE && node.data.trim());

  /// Leaves what was found in the page, or, in a frame, whose width can be chosen freely, tells its
  /// parent.
  function report(result) {
    const text = JSON.stringify(result);
    if (parent !== window)
      return parent.postMessage(text, "*");
    const pre = document.createElement("pre");
    pre.id = "result";
    pre.textContent = text;
    document.body.append(pre);
  }

  return { one, all, press, contrast, opacityOf, hasText, report };
})();
