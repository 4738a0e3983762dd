// Do a page's modules do what their twins on this machine do?
//
//     twins_test.js CRAWL CASES TOUR LIVE.WASM TOURS.WASM CASES.WASM MISCOMPILED.WASM [COUNT]
//
// COUNT random settings, 1,000 by default, always the same ones: both must say the same
// outcome, and their traces must tell the same story. The three tours of runtime_tour must
// tell the same stories, too, line by line. Each case of exception_cases.cpp must end in
// the same way. What the compiler has made of miscompiled.cpp is only told: no module uses
// what goes wrong there.
"use strict";

const { spawnSync } = require("child_process");
const fs = require("fs");
const os = require("os");
const path = require("path");
const vm = require("vm");

const root = path.join(__dirname, "../../..");
const { start } = require("./module.js");
const Model = require(path.join(root, "book/viewer/model.js"));
const Story = require(path.join(root, "book/viewer/story.js"));

const [twin, cases, tour_twin, live_wasm, tours_wasm, cases_wasm, miscompiled_wasm, count = "1000"] = process.argv.slice(2);
// A module that imports a function `alert` of the page's, and does nothing.
const foreign = Buffer.from("\0asm\x01\0\0\0" + "\x01\x04\x01\x60\0\0" + "\x02\x0e\x01\x04page\x05alert\0\0", "latin1");
let passed = 0;
let failed = 0;

/// Says what is wrong, if anything is.
function judge(name, trouble) {
  if (trouble === null) {
    ++passed;
  } else if (++failed <= 10) {
    console.log(`${name}: ${trouble}`);
  }
}

function story_of(trace) {
  const { events, bad } = Model.parse(trace);
  return Story.story(Model.build(events, bad));
}

/// The first difference; null: there is none.
function difference(theirs, ours) {
  const at = theirs.findIndex((line, i) => line !== ours[i]);
  if (at === -1 && theirs.length === ours.length)
    return null;
  const i = at === -1 ? theirs.length : at;
  return `line ${i + 1} of the story should be\n    ${theirs[i]}\nand is\n    ${ours[i]}`;
}

/// Numbers that are the same in each run: a linear congruential generator.
function numbers(seed) {
  let state = seed;
  return below => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return (state >> 8) % below;
  };
}

function random_settings(n) {
  const next = numbers(n + 1);
  next(2); // the first depends little on the seed
  // A tenth of the numbers are limits, as settings.h has them.
  const number = (least, most, usual) => next(10) ? usual() : next(2) ? most : least;
  const workers = number(1, 20, () => 1 + next(20));
  const all = [`workers=${workers}`, `latency=${number(1, 10000, () => 10 + 10 * next(50))}`,
    `pages=${number(1, 200, () => 1 + next(40))}`, `links=${number(1, 20, () => 1 + next(10))}`,
    `room=${number(0, 100, () => next(2) ? 0 : next(11))}`,
    `answers=${["alike", "by_chance", "one_slow"][next(3)]}`, `queue=${["book", "losing"][next(2)]}`];
  if (next(2))
    all.push(`ask=${1 + next(workers)}`, `at=${number(3, 1000000, () => 3 + next(398))}`);
  return all.join(" ");
}

/// "OUTCOME\nTRACE" in two parts.
function parts(result) {
  const end = result.indexOf("\n");
  return [result.slice(0, end), result.slice(end + 1)];
}

/// What the twin says of each: it's asked once, since a process takes longer than a run.
function* of_the_twin(settings) {
  const said = spawnSync(twin, { input: `${settings.join("\n")}\n`, maxBuffer: 2 ** 30, encoding: "utf8" });
  if (said.status !== 0)
    throw new Error(`${twin}: exit status ${said.status}, ${said.stderr}`);
  let rest = 0;
  for (const _ of settings) {
    const end = said.stdout.indexOf("\n", rest);
    const outcome = said.stdout.slice(rest, end);
    let trace_end = end + 1;
    for (let i = 0; i < JSON.parse(outcome).steps; ++i)
      trace_end = said.stdout.indexOf("\n", trace_end) + 1;
    yield [outcome, said.stdout.slice(end + 1, trace_end)];
    rest = trace_end;
  }
}

async function compare_twins() {
  const live = await start(fs.readFileSync(live_wasm));
  const settings = Array.from({ length: Number(count) }, (_, n) => random_settings(n));
  const met = { hang: 0, lost: 0, asked: 0, lines: 0 };
  for (let first = 0; first < settings.length; first += 100) {
    const some = settings.slice(first, first + 100);
    let k = 0;
    for (const [outcome, trace] of of_the_twin(some)) {
      const [our_outcome, our_trace] = parts(live(some[k]));
      const story = story_of(trace);
      judge(some[k], outcome !== our_outcome ? `the twin says ${outcome}, the module ${our_outcome}`
        : difference(story, story_of(our_trace)));
      const { hangs, lost } = JSON.parse(outcome);
      met.hang += hangs;
      met.lost += lost > 0;
      met.asked += some[k].includes("ask=");
      met.lines += story.length;
      ++k;
    }
  }
  console.log(`${passed} of ${settings.length} settings make the same run in both: ${met.lines} lines of story,`
    + ` ${met.hang} runs hang, ${met.lost} lose an item, ${met.asked} have a request`);
  // Random settings that meet nothing of interest would prove nothing.
  judge("the settings", settings.length < 1000 || (met.hang > 30 && met.lost > 2 && met.asked > 300) ? null
    : `too few of these: ${JSON.stringify(met)}`);
}

async function compare_tours() {
  const tour = await start(fs.readFileSync(tours_wasm));
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "tours-"));
  try {
    for (const number of ["1", "2", "3"]) {
      const file = path.join(folder, `${number}.trace`);
      const said = spawnSync(tour_twin, [number, file], { encoding: "utf8" });
      const theirs = said.status === 0 ? story_of(fs.readFileSync(file, "utf8")) : [];
      const trouble = theirs.length > 50 ? difference(theirs, story_of(tour(number)))
        : `${tour_twin}: exit status ${said.status}, ${theirs.length} lines of story; ${said.error ?? said.stderr}`;
      judge(`tour ${number}`, trouble);
      if (trouble === null)
        console.log(`tour ${number} tells the same story in both: ${theirs.length} lines`);
    }
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

/// What isn't a run is one line, and the same in both.
async function compare_errors() {
  const live = await start(fs.readFileSync(live_wasm));
  const long = "long".repeat(50000);
  for (const settings of ["workers=0", "speed=3", "room=1 room=1", "ask=4", "at=2", "\0", "workers=3\0", "wor\0kers=3",
    `${long}=1`, `workers=${long}`, long]) {
    const said = spawnSync(twin, { input: `${settings}\n`, encoding: "utf8" });
    judge(settings.slice(0, 40), said.status === 1 && said.stdout.startsWith('{"error"') && said.stdout === live(settings) ? null
      : `the twin says ${said.stdout}, the module ${live(settings)}`);
  }
  const described = spawnSync(twin, ["?"], { encoding: "utf8" }).stdout;
  judge("?", JSON.parse(described).settings.length > 0 && described === live("?") ? null
    : `the twin says ${described}, the module ${live("?")}`);
}

async function compare_exceptions() {
  const said = spawnSync(cases, { encoding: "utf8" });
  const theirs = said.stdout.split("\n");
  const ours = (await start(fs.readFileSync(cases_wasm)))("").split("\n");
  const there = said.status === 0 && theirs.length > 10; // or nothing would be compared
  for (let i = 0; i < Math.max(theirs.length, ours.length); ++i)
    judge("exceptions", there && theirs[i] === ours[i] ? null : `here it's '${theirs[i]}', in the module '${ours[i]}'`);
}

/// miscompiled.cpp, in a sentence.
function what_became_of_it() {
  const bytes = fs.readFileSync(miscompiled_wasm);
  if (bytes.length === 0)
    return "the compiler doesn't get to the end of it";
  let module;
  try {
    module = new WebAssembly.Module(bytes);
  } catch (error) {
    return `the compiler makes an invalid module of it: ${error.message}`;
  }
  try {
    const handled = new WebAssembly.Instance(module, {}).exports.handled_of_three();
    return handled === 3 ? "it's right with this compiler: each exception was handled"
      : `${handled} of 3 exceptions were handled`;
  } catch (error) {
    return `an exception has passed by its handler: ${error.message}`;
  }
}

/// A page's scripts share their names, and must hear what is wrong from the promise.
async function check_start() {
  const script = fs.readFileSync(path.join(__dirname, "module.js"), "utf8");
  const page = vm.createContext({ WebAssembly, TextEncoder, TextDecoder });
  const before = Object.keys(page).join();
  vm.runInContext(script, page);
  judge("module.js", Object.keys(page).join() === before && vm.runInContext("typeof Module.start", page) === "function" ? null
    : `a page has these names now: ${Object.keys(page)}`);
  const own = /^(?:async )?(?:const|let|class|function|var) (\w+)/gm;
  const names = Array.from(script.matchAll(own), found => found[1]).join();
  judge("module.js", names === "Module" ? null : `its names are ${names}`);

  const refused = bytes => start(bytes).then(() => "it starts", error => error.message);
  for (const [bytes, message] of [[Buffer.from("no module"), "WebAssembly.compile()"], [foreign, "the module wants page.alert, which"]]) {
    const said = await refused(bytes);
    judge("start", said.includes(message) ? null : `should say '${message}', and says '${said}'`);
  }
}

async function main() {
  if (fs.statSync(live_wasm).size === 0) {
    console.log(`Skipped: ${fs.readFileSync(path.join(path.dirname(live_wasm), "wasm.p/why"), "utf8")}`);
    process.exitCode = 77; // what meson takes for "skipped"
    return;
  }
  await compare_twins();
  await compare_tours();
  await compare_errors();
  await compare_exceptions();
  await check_start();
  console.log(`miscompiled.cpp, with WebAssembly's own exceptions: ${what_became_of_it()}`);
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}

main();
