// An axis of time: where its marks are, and what they say.
"use strict";

const Axis = (() => {
  /// 1, 2 or 5 times a power of ten, in µs, so that at most so many lie between two times.
  function ticks(from, to, most) {
    const least = Math.max(1, (to - from) / most), power = 10 ** Math.floor(Math.log10(least));
    const step = [1, 2, 5, 10].map(n => n * power).find(size => size >= least);
    const first = Math.ceil(from / step), last = Math.floor(to / step);
    return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => (first + i) * step);
  }

  /// "20 ms": all in the unit of the last one.
  function name(time, last) {
    const [unit, word] = last < 1000 ? [1, "µs"] : last < 2e6 ? [1e3, "ms"] : [1e6, "s"];
    return time === 0 ? "0" : `${Number((time / unit).toPrecision(6))} ${word}`;
  }

  return { ticks, name };
})();
if (typeof module !== "undefined")
  module.exports = Axis;
