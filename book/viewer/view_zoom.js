// Which part of the time is in sight on the strip at the page's foot, and how a reader changes that: the
// wheel or two fingers zoom where they are, a drag moves it, and keys do both. A scene in a page of the
// book leaves the wheel to that page, unless Ctrl is held.
"use strict";

const Zoom = (() => {
  const MOST = 20; // µs: the least that is in sight
  const isEmbedded = window !== window.parent;
  const part = { begin: 0, span: 1 };
  let all = 1; // the whole span
  let onChange = () => {};

  const isIn = () => part.span < all;
  const spanNear = span => Math.min(all, Math.max(MOST, span));

  function set(begin, span) {
    part.span = spanNear(span);
    part.begin = Math.min(all - part.span, Math.max(0, begin));
    onChange();
  }

  /// The time that is at `share` of the width stays there.
  function zoom(factor, share = 0.5) {
    const time = part.begin + share * part.span;
    const span = spanNear(part.span / factor);
    set(time - share * span, span);
  }

  const pan = share => set(part.begin + share * part.span, part.span);
  const reset = () => set(0, all);

  /// A step may lead to a time that is out of sight, and a drag leave the present one there.
  function follow(time) {
    if (time < part.begin || time > part.begin + part.span)
      set(time - part.span * (time < part.begin ? 0.7 : 0.3), part.span);
  }

  function show(span) {
    all = span;
    Object.assign(part, { begin: 0, span });
  }

  // ---- Wheel, drag, fingers and keys ----
  const KEYS = { "+": () => zoom(2, at()), "=": () => zoom(2, at()), "-": () => zoom(0.5, at()), "0": reset };
  /// Where the present step is: keys zoom there.
  function at() {
    follow(Page.now().t);
    return (Page.now().t - part.begin) / part.span;
  }

  function onWheel(event, shareOf) {
    if (isEmbedded && !event.ctrlKey)
      return;
    event.preventDefault();
    const PER_NOTCH = 0.0025;
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY))
      pan(event.deltaX / 1000);
    else
      zoom(Math.exp(-event.deltaY * PER_NOTCH), shareOf(event));
  }

  /// Whose keys these are: of the strip, when it has the focus.
  function onKey(event) {
    if (!event.shiftKey || !event.key.startsWith("Arrow") || !isIn())
      return;
    event.preventDefault();
    event.stopPropagation();
    pan(event.key === "ArrowLeft" || event.key === "ArrowDown" ? -0.2 : 0.2);
  }

  /// `goTo(event)`: a click goes to that time; so does a drag while all is in sight, as there is
  /// nothing to move.
  function begin(chart, goTo, changed) {
    onChange = changed;
    const held = new Map(); // pointers
    let isMoved = false;
    const shareOf = ({ clientX }) => {
      const { left, width } = chart.getBoundingClientRect();
      return (clientX - left) / width;
    };
    const spread = () => {
      const [one, other] = [...held.values()];
      return Math.max(0.02, Math.abs(one - other));
    };
    chart.addEventListener("wheel", event => onWheel(event, shareOf), { passive: false });
    chart.addEventListener("keydown", onKey);
    chart.addEventListener("pointerdown", event => {
      held.set(event.pointerId, shareOf(event));
      isMoved = held.size > 1;
      chart.setPointerCapture(event.pointerId);
    });
    chart.addEventListener("pointermove", event => {
      if (!held.has(event.pointerId))
        return;
      const before = held.get(event.pointerId), share = shareOf(event);
      const was = held.size === 2 ? spread() : 0;
      const A_LITTLE = 0.004;
      if (!isMoved && Math.abs(share - before) < A_LITTLE)
        return;
      isMoved = true;
      held.set(event.pointerId, share);
      if (held.size === 2)
        zoom(spread() / was, [...held.values()].reduce((sum, each) => sum + each) / 2);
      else if (isIn())
        pan(before - share);
      else
        goTo(event);
    });
    chart.addEventListener("pointerup", event => {
      if (held.delete(event.pointerId) && !isMoved)
        goTo(event);
    });
    chart.addEventListener("pointercancel", event => held.delete(event.pointerId));
    chart.title = `${isEmbedded ? "Ctrl and the wheel zoom" : "The wheel zooms"}, or + and −; a drag moves `
      + "(or Shift and an arrow, here); 0 shows all. A click goes to that time.";
  }

  return { part, show, begin, follow, KEYS };
})();
