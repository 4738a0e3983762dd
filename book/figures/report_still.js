// In a report of stage3 --html: what is to be seen of it, as report_still.py draws it. `theme` is set.
"use strict";
document.documentElement.style.colorScheme = theme;
const parts = [];
const canvas = document.createElement("canvas").getContext("2d");

function hex(colour) {
  canvas.fillStyle = colour;
  return canvas.fillStyle;
}

function write(words, x, top, style) {
  canvas.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  parts.push({
    kind: "text", words, x, y: top + canvas.measureText("x").fontBoundingBoxAscent, size: parseFloat(style.fontSize),
    bold: style.fontWeight >= 600, code: style.fontFamily.includes("Mono"), colour: hex(style.color),
    underlined: style.textDecorationLine === "underline", width: canvas.measureText(words).width,
  });
}

/** A text's lines, one by one. */
function writeText(node, style) {
  const range = document.createRange();
  let line = null;
  for (const { index, 0: word } of node.data.matchAll(/\S+/g)) {
    range.setStart(node, index);
    range.setEnd(node, index + word.length);
    const pieces = range.getClientRects();
    if (pieces.length === 0)
      continue;
    if (line && Math.abs(line.top - pieces[0].top) < 2)
      line.words += ` ${word}`;
    else {
      if (line)
        write(line.words, line.x, line.top, style);
      line = { words: word, x: pieces[0].left, top: pieces[0].top };
    }
  }
  if (line)
    write(line.words, line.x, line.top, style);
}

function writePseudo(element, which, place) {
  const style = getComputedStyle(element, which);
  const words = /^"(.*)"$/.exec(style.content)?.[1].trim();
  if (words)
    write(words, place.x, place.top, style);
}

function see(element) {
  const style = getComputedStyle(element);
  const at = element.getBoundingClientRect();
  if (style.display === "none" || at.width === 0 || element.className === "copy") // shown under a mouse
    return;
  const bottom = parseFloat(style.borderBottomWidth), top = parseFloat(style.borderTopWidth);
  if (top > 0)
    parts.push({
      kind: "box", x: at.left, y: at.top, width: at.width, height: at.height, stroke: hex(style.borderTopColor),
      fill: style.backgroundColor === "rgba(0, 0, 0, 0)" ? null : hex(style.backgroundColor),
    });
  else if (bottom > 0)
    parts.push({ kind: "line", x: at.left, y: at.bottom, width: at.width, colour: hex(style.borderBottomColor) });
  if (element.localName === "select") {
    write(`${element.selectedOptions[0].text} ▾`, at.left + parseFloat(style.paddingLeft), at.top + 7, style);
    return;
  }
  writePseudo(element, "::before", { x: at.left, top: at.top + 3 });
  for (const child of element.childNodes)
    if (child.nodeType === Node.TEXT_NODE)
      writeText(child, style);
    else if (child.nodeType === Node.ELEMENT_NODE)
      see(child);
  writePseudo(element, "::after", { x: at.right - 16, top: at.top + 3 });
}

see(document.querySelector("main"));
const result = document.createElement("pre");
result.id = "result";
result.textContent = JSON.stringify({ parts, page: hex(getComputedStyle(document.body).backgroundColor) });
document.body.replaceChildren(result);
