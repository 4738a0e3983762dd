// The queue of work, and the lines of tasks in front of it.
"use strict";

const QueuePane = (() => {
  const { el, span, p, one, byId } = Dom;
  const MOST_ITEMS = 10, MOST_WAITING = 6, MOST_QUEUES = 3;

  const boxes = (words, ...kids) => p("boxes", span("", words), ...kids);

  const shown = item => el("b", { title: item }, item ? Model.shown(Page.model, item) : "an item");

  function items(entry) {
    if (entry.size === 0)
      return boxes("in it: nothing");
    const known = entry.items.slice(0, MOST_ITEMS).map(shown);
    const hidden = entry.size - known.length;
    return boxes("in it", ...known, hidden > 0 && `+${Words.num(hidden)}`);
  }

  /// Those who wait in a line: by name if the trace tells, else only how many.
  function waitingLine(words, number, known) {
    if (number === 0)
      return null;
    const named = known.filter(wait => wait.task).slice(0, Math.min(number, MOST_WAITING)).map(({ task }) =>
      el("b", { class: "who" }, `task ${task.n}`));
    const rest = number - named.length;
    return boxes(words, ...named, rest > 0 && (named.length > 0 ? `+${rest}` : String(rest)));
  }

  /// Items that have left the queue, while the task that each was handed to hasn't had its turn.
  function onTheirWay(entry) {
    const isOne = ({ handed, since }) => handed?.queue === entry.queue && handed.n > since;
    const tasks = [...Page.state.tasks.values()].filter(isOne).slice(0, MOST_WAITING);
    return tasks.length > 0 && boxes("handed over",
      ...tasks.flatMap(({ task, handed }) => [shown(handed.item), `to task ${task.n}`]));
  }

  function queue(entry, isOnly) {
    const { getters, putters } = entry.waiting;
    return [
      !isOnly && p("sub", titleOf(entry)),
      items(entry),
      onTheirWay(entry),
      waitingLine("wait for an item", entry.getters, getters),
      waitingLine("wait for room", entry.putters, putters),
    ].filter(line => line);
  }

  const titleOf = entry => `Queue ${entry.queue.n}: ${Words.num(entry.size)} in it, `
    + `${Words.num(entry.unfinished)} not done`;

  function title(entries) {
    if (Page.model.queues.size === 0)
      return "Queue of work: none";
    if (entries.length === 1)
      return titleOf(entries[0]).replace(/^Queue \d+/, "Queue");
    return entries.length === 0 ? "Queue: none yet" : `Queues: ${entries.length}`;
  }

  /// Of several queues, the one of this step comes first, then those that hold something.
  function inOrder(entries) {
    const now = Page.now().queue;
    const weight = entry => entry.queue === now ? 0 : entry.size + entry.getters > 0 ? 1 : 2;
    return [...entries].sort((a, b) => weight(a) - weight(b));
  }

  function draw() {
    const entries = inOrder(Page.state.queues.values());
    byId("queue").hidden = Page.stage < 3 && Page.model.queues.size === 0;
    byId("queue-title").textContent = title(entries);
    const isOnly = entries.length === 1;
    const shown = entries.slice(0, MOST_QUEUES).flatMap(entry => queue(entry, isOnly));
    one("#queue .body").replaceChildren(...shown,
      ...(entries.length > MOST_QUEUES ? [Dom.more(entries.length - MOST_QUEUES)] : []));
  }

  return { draw };
})();
