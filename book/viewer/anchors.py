"""Lines of the machinery, which a trace can't name: where the loop sleeps, where a task is resumed.

Each is the first line of a file that holds a text; so it's found again when lines have moved. A
test holds that each is found.
"""
from __future__ import annotations

from pathlib import Path

from traces import LIVE, LOSING_QUEUE, QUEUE, ROOT, Trace, source_of, split_place

SIMPLE_LOOP = "common/simple_crawl/event_loop.cpp"
FETCHER_1 = "stage1_callbacks/fetcher.cpp"
FETCHER_2 = "stage2_coroutines/fetcher.cpp"
TASK_2 = "stage2_coroutines/task.h"
LOOP = "stage3_queue_crawler/runtime/loop/event_loop.cpp"
TASK = "stage3_queue_crawler/runtime/task/task.cpp"
FUTURE = "stage3_queue_crawler/runtime/task/future.cpp"
PAGE_FETCH = "stage3_queue_crawler/crawler/page_fetch.cpp"

IN_STAGES_1_AND_2 = {
    "select": (SIMPLE_LOOP, "selector_->select(patience)"),
    "ready": (SIMPLE_LOOP, "tracer_.ready("),
    "call": (SIMPLE_LOOP, "watch->callback();"),
    "return": (SIMPLE_LOOP, "watch->callback();"),
    "watch": (SIMPLE_LOOP, "selector_->register_fd("),
    "unwatch": (SIMPLE_LOOP, "selector_->unregister_fd("),
}

ANCHORS = {
    1: IN_STAGES_1_AND_2 | {
        "start": (FETCHER_1, ".fetch_start("),
        "end": (FETCHER_1, "trace_end("),
    },
    2: IN_STAGES_1_AND_2 | {
        "new": ("stage2_coroutines/main.cpp", "tasks.start(stage2::fetch("),
        "newTask": (TASK_2, 'trace("new")'),
        "step": (TASK_2, "coroutine_.next()"),
        "resume": (TASK_2, "coroutine_.send("),
        "suspend": (TASK_2, "future.add_done_callback("),
        "resolve": ("stage2_coroutines/future.h", "callback(*this);"),
        "done": (TASK_2, 'trace("returned")'),
        "start": (FETCHER_2, "Traced traced(crawl"),
        "end": (FETCHER_2, "traced.end();"),
    },
    3: {
        "select": (LOOP, "selector_->select(timeout)"),
        "dontAsk": (LOOP, "tracer_->select(timeout, 0)"),
        "ready": (LOOP, "tracer_->ready("),
        "call": (LOOP, "now_.pop().run();"),
        "return": (LOOP, "now_.pop().run();"),
        "watch": (LOOP, "tracer_->watch_add(fd"),
        "unwatch": (LOOP, "tracer_->watch_remove(fd"),
        "newTask": (TASK, "void TaskBase::start("),
        "step": (TASK, "innermost_->frame.resume();"),
        "resume": (TASK, "innermost_->frame.resume();"),
        "suspend": (TASK, "future.add_waiter(*this)"),
        "nextTurn": (TASK, "void TaskBase::wait_for_next_turn("),
        "resolve": (FUTURE, "make_ready(std::move(waiters_)"),
        "cancelFuture": (FUTURE, "complete(State::cancelled);"),
        "cancel": (TASK, "bool TaskBase::request_cancel("),
        "done": (TASK, 'trace("done")'),
        "start": (PAGE_FETCH, "TracedFetch traced("),
        "end": (PAGE_FETCH, "traced.end();"),
        "queue put": (QUEUE, "items_.push(std::move(entry)"),
        "queue get": (QUEUE, "items_.pop()"),
        "queue wait_to_get": (QUEUE, "Getter getter(*this"),
        "queue wait_to_put": (QUEUE, "Putter putter(*this"),
        "queue hand_over": (QUEUE, "getter->future.set_result("),
        "queue let_in": (QUEUE, "putter->future.set_result("),
        "queue task_done": (QUEUE, "--unfinished_;"),
        "queue join": (QUEUE, "Coroutine<> join("),
        "queue give_back": (QUEUE, 'trace("give_back"'),
        "queue put_back": (QUEUE, "items_.unpop("),
        "queue take_back": (QUEUE, 'count_down("take_back")'),
    },
}

# A program that talks with generators, and has neither loop nor tasks.
GENERATOR = "stage2_coroutines/generator.h"
OF_GENERATORS = {
    "new": (GENERATOR, "Generator get_return_object("),
    "next": (GENERATOR, "Reply next()"),
    "send": (GENERATOR, "innermost->sent = &value;"),
    "throw": (GENERATOR, "innermost->thrown = std::move(error);"),
    "resume": (GENERATOR, "frame.resume();"),
    "take": (GENERATOR, "return std::move(*std::exchange(conversation_.sent"),
    "takeThrown": (GENERATOR, "std::rethrow_exception(std::exchange(conversation_.thrown"),
    "yield": (GENERATOR, "conversation_.yielded = &value_;"),
    "end": (GENERATOR, "final_suspend() noexcept"),
    "threw": (GENERATOR, "void unhandled_exception() noexcept"),
    "yielded": (GENERATOR, ".yielded = std::move("),
    "returned": (GENERATOR, "std::exchange(promise().returned"),
    "delegate": (GENERATOR, "outer_.innermost = &inner_.promise();"),
    "back": (GENERATOR, "current = current->caller;"),
    "gone": (GENERATOR, "frame_.destroy();"),
}

# Programs that make their tasks elsewhere, or have no fetches.
OTHERWISE = {
    "fetch_one": {
        "new": ("stage2_coroutines/fetch_one_main.cpp", "stage2::Task task(fetch_and_stop("),
    },
    "live": {
        "start": (LIVE, "tracer.fetch_start("),
        "end": (LIVE, "tracer.fetch_end("),
        "new": (LIVE, "create_task(work()"),
    },
}

# Needed only if there is such an event.
ONLY_WITH = {"start": "fetch", "end": "fetch", "queue": "queue", "new": "task"}


def find(path: str, text: str, root: Path = ROOT) -> int | None:
    """The number of the first line that holds the text."""
    lines = (source_of(path, root) or "").splitlines()
    return next((number for number, line in enumerate(lines, 1) if text in line), None)


def in_losing_queue(anchors: dict[str, dict]) -> dict[str, dict]:
    """The same, of a crawl with the queue that loses items: its lines are those of the book's queue."""
    return {name: {**at, "path": LOSING_QUEUE} if at["path"] == QUEUE else at for name, at in anchors.items()}


def anchors_for(trace: Trace, root: Path = ROOT) -> dict[str, dict]:
    """What a page of this trace needs: {name: {path, line}}."""
    kinds = {event["event"] for event in trace.events}
    texts = ANCHORS[trace.stage] | OTHERWISE.get(trace.program, {})
    needed = OF_GENERATORS if trace.talks else {
        name: where for name, where in texts.items()
        if ONLY_WITH.get(name.split()[0], "trace") in kinds}
    found = {}
    for name, (path, text) in needed.items():
        line = find(path, text, root)
        if line is not None:  # a test says so, and a page does without
            found[name] = {"path": path, "line": line}
    is_losing = any(split_place(place)[0] == LOSING_QUEUE for place in trace.places())
    return in_losing_queue(found) if is_losing else found
