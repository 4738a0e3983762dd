// A task's chain of coroutines, the outermost first, and why it goes no further.
"use strict";

const Chain = (() => {
  const { el, span, rich } = Dom;

  function frame(link, depth, isLast) {
    const at = Places.place(link.at);
    const words = isLast ? "is here" : "awaits the next one";
    const name = Model.shortName(link.name);
    const show = () => at && SourcePane.show({ at, mark: words, tone: "wait" }, true);
    return el("li", { style: `--depth:${depth}` },
      el("button", { class: isLast && "stop", onclick: show,
        title: Dom.fileName(link.at), "aria-label": `${name}, ${link.at || "runs"}` }, name),
      span("at", Dom.fileName(link.at)));
  }

  /// On the stack, but not on top: it has made another task go on.
  function whoIsAbove(task) {
    const { stack } = Page.now();
    const above = stack[stack.findIndex(each => each.task === task) + 1];
    const who = above?.task ? `task ${above.task.n}` : above?.call?.name;
    return `${who ? `has called ${who}: ` : ""}on the stack, underneath`;
  }

  const isQueued = task => [Page.state.running, ...Page.state.runNow, ...Page.state.runNext]
    .some(entry => entry?.task === task);

  /// What stands at the end of the chain.
  function plug(entry) {
    const { state, awaiting, chain, task } = entry;
    const line = (kind, ...words) =>
      el("li", { class: `plug ${kind}`, style: `--depth:${chain.length}` }, ...words);
    if (state === "running")
      return line("run", TasksPane.hasThread(task) ? "the thread is in here" : whoIsAbove(task));
    if (state === "ready")
      return line("loop", awaiting ? `${Words.futureName(awaiting)} is done: ` : "",
        Page.stage < 3 ? "resumes at once" : isQueued(task) ? "in the ready queue"
          : "will be put into the ready queue");
    if (!awaiting)
      return "";
    const end = Words.until(Page.model, awaiting);
    return line("future", Words.futureName(awaiting),
      end && el("small", {}, ...rich(awaiting.task ? "" : `until ${end}`)));
  }

  function list(entry) {
    const { chain } = entry;
    const frames = chain.map((link, i) => frame(link, i, i === chain.length - 1));
    return el("ul", { class: "frames" }, ...frames, plug(entry));
  }

  return { list };
})();
