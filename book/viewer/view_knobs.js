// Knobs, one for each setting of a run that can be changed. The program says which settings there
// are, and what each may be.
"use strict";

const Knobs = (() => {
  const { el } = Dom;
  const number = count => String(count);

  /// How a setting is called here. `most`, `least`, `step`: what a knob offers of what the program allows.
  const WORDS = {
    workers: { name: "workers" },
    latency: { name: "an answer takes", least: 10, most: 500, step: 10, say: count => `${count} ms` },
    pages: { name: "pages on the site", most: 60 },
    links: { name: "links on a page", most: 10 },
    room: { name: "room in the queue", most: 10, say: count => count === 0 ? "for any number" : `for ${count} ${count === 1 ? "item" : "items"}` },
    answers: { name: "answers take",
      words: { alike: "equally long", by_chance: "a random time", one_slow: "equally long, except for one" } },
    queue: { name: "queue", words: { book: "the book's", losing: "one with a fault" } },
  };

  function choice(known, words, change) {
    const options = known.words.map(word => el("option", { value: word }, words[word] || word));
    return el("select", { id: `knob-${known.name}`,
      onchange: event => change(known.name, event.target.value) }, ...options);
  }

  function slider(known, { least = known.least, most = known.most, step = 1 }, change) {
    return el("input", { id: `knob-${known.name}`, type: "range", min: least, max: most, step,
      oninput: event => change(known.name, Number(event.target.value)) });
  }

  /// `known`: what the program says of a setting. `change` is called with its name and a new value.
  function make(known, change) {
    const here = WORDS[known.name], say = here.say || number, shown = el("b", { "aria-hidden": "true" });
    const input = known.words ? choice(known, here.words, change) : slider(known, here, change);
    const show = value => {
      input.value = value;
      if (!known.words) {
        shown.textContent = say(value);
        input.setAttribute("aria-valuetext", say(value));
      }
    };
    return { show, node: el("label", {}, here.name, input, known.words ? null : shown) };
  }

  const has = name => name in WORDS;

  return { has, make };
})();
