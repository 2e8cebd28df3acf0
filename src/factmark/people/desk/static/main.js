// The box: guidelines first, then document by document; every change goes through the outbox.
import { buildChecks } from "./checks.js";
import { Clock } from "./clock.js";
import { make } from "./dom.js";
import { Hints } from "./hints.js";
import { writeKeys } from "./keys.js";
import { toggled } from "./evidence.js";
import { exportMarks, listMarks } from "./marked.js";
import { Outbox, Store } from "./outbox.js";
import { Source } from "./source.js";
import { HALF, START, digit, due, isRated, isSeen, reduce } from "./state.js";
import { buildStrip } from "./strip.js";
import { visible } from "./text.js";
import { buildUnit, nameOf } from "./units.js";
import { dressTexts } from "./whereabouts.js";
import { low, reveal, scrollBack, scrollByKey, share, wide } from "./view.js";

const part = (id) => document.getElementById(id);
let box;
let store;
let outbox;
let clock;
let checks;
let source;
let hints;
let state = START; // see state.js
let seconds = {}; // key -> that a unit took so far
let number = 0; // of the document that is open
let units = []; // as built, of that document
let strip = null; // its ratings; null where nothing is rated by label

// Whatever happens goes through here; the frame shows what a digit would do now.
const dispatch = (type, event = {}) => {
  state = reduce(state, { type, ...event });
  frame();
};

const done = (unit) => Boolean(state.answers[unit.key]);
const all = () => box.documents.flatMap((one) => one.units);
const undone = (one) => one.units.some((unit) => !done(unit));
// Rated whole in this browser, and not looked over since: it does not count as done before that.
const waits = (one) => one.units.length > 1 && !undone(one) && Boolean(store.get(`q/${one.units[0].key}`));
const working = () => !part("work").hidden;

const say = (words) => {
  part("said").textContent = words;
};
const notice = (words) => {
  part("notice").textContent = words;
  part("notice").hidden = !words;
};
const tell = (state, words) => {
  part("state").dataset.state = state;
  if (part("state").textContent !== words) part("state").textContent = words;
  if (state === "refused" || state === "closed") notice(words);
  if (box?.documents) progress();
};

// What this page changed itself bears no time in the state: its time is in `seconds` already.
const spend = (key, taken = 0) => {
  seconds[key] = Math.max(seconds[key] ?? 0, taken);
};
const merge = (answers) => {
  for (const [key, one] of Object.entries(answers)) spend(key, one.seconds);
  const pending = outbox.pending();
  for (const one of pending) spend(one.key, one.seconds);
  dispatch("told", { answers, pending, closed: outbox.closed });
};

const progress = () => {
  const list = all();
  const count = list.filter(done).length;
  const batches = box.documents.at(-1)?.batch ?? 1;
  const batch = box.documents[number]?.batch ?? 1;
  const of = batch === 0 ? ", training" : batches > 1 ? `, batch ${batch} of ${batches}` : "";
  const queue = box.queue ? `, ${box.queue} in the queue` : "";
  part("progress").textContent = `${count} of ${list.length} done${of}${queue}`;
  const finished = list.length > 0 && count === list.length && !box.documents.some(waits) && !box.queue;
  part("open").hidden = finished;
  const words = finished ? ending() : "";
  if (part("finished").textContent !== words) part("finished").textContent = words;
};
const ending = () => {
  if (outbox.closed) return "All done. You can close this page.";
  if (outbox.pending().length) return "All done; please wait until it is saved.";
  return `All done. You can close this page, or go back and change a ${box.labels.length ? "rating" : "mark"}.`;
};

// What a first reader doubts of a unit, or the right answer in training, in words.
const besides = (unit) => {
  const note = state.notes[unit.key];
  if (!note) return "";
  if (note.kind === "right") return `The right answer is ${note.label.replaceAll("_", " ")}. ${visible(note.text)}`;
  const label = note.label && `it would answer ${note.label.replaceAll("_", " ")}.`;
  return ["First reader, a program:", label, visible(note.text), "It may be wrong; the source decides."].filter(Boolean).join(" ");
};
// They come with the reply to a rating, and are read out then; with what others changed meanwhile.
const replied = ({ notes = {}, answers = {} }) => {
  const fresh = box.documents[number]?.units.find((unit) => notes[unit.key] && !state.notes[unit.key]);
  dispatch("noted", { notes });
  merge({ ...state.answers, ...answers });
  showAll();
  if (fresh) say(besides(fresh));
};

const showChecks = () => {
  checks.show(state.answers, state.notes);
  const open = checks.open(state.answers);
  part("start").disabled = open || (!box.documents.length && !box.queue);
  part("start-hint").hidden = !open;
};
// A question on the guidelines is answered once.
const check = (key, label) => {
  seconds[key] = Math.round(clock.take() * 10) / 10;
  put(key, { label });
  showChecks();
};
const put = (key, fields, hold) => {
  const shown = (outbox.closed && state.kept[key]) || state.answers[key];
  const sent = outbox.put(key, fields, shown?.id, seconds[key], hold);
  dispatch("changed", { key, fields, closed: outbox.closed, ...sent });
};

// Shows a unit's answer, in its place and in the strip.
const showUnit = (unit, place) => {
  const { key } = unit;
  const answer = state.answers[key]?.answer ?? null;
  const kept = state.kept[key]?.answer;
  const text = box.sources[box.documents[number].source].text;
  units[place]?.show(answer, store.get(`d/${key}`) ?? "", kept, answer ? besides(unit) : "", outbox.clash(key), evidenceOf(key), text);
  strip?.show(place, answer?.label ?? null, kept);
};
// The places that decided a rating go with it; before there is one they wait here.
const evidenceOf = (key) => state.answers[key]?.answer?.evidence ?? store.get(`e/${key}`) ?? [];
const keepEvidence = (unit, place) => (evidence) => {
  if (done(unit)) change(unit, place)({ evidence });
  else {
    store.set(`e/${unit.key}`, evidence);
    showUnit(unit, place);
  }
};
const decidedBy = (place, stretch) => {
  const unit = box.documents[number].units[place];
  if (strip) keepEvidence(unit, place)(toggled(evidenceOf(unit.key), stretch));
};
// Words of a rated text, or of the source: there they are marked for the annotator as well.
const mark = () => {
  const place = units.findIndex((unit) => unit.chosen());
  if (place < 0 || !strip) return source.mark();
  const span = units[place].chosen();
  decidedBy(place, ["text", ...span]);
  document.getSelection()?.removeAllRanges();
  return say(`${units[place].name}: marked as what decides it.`);
};
const asks = () => strip?.ask(waits(box.documents[number]));
const showAll = () => {
  box.documents[number]?.units.forEach(showUnit);
  asks();
  showChecks();
  progress();
  frame();
};

const change = (unit, place) => (given, hold) => {
  let fields = given;
  const shown = box.documents[number];
  const before = undone(shown);
  const waiting = store.get(`e/${unit.key}`);
  if (waiting && !done(unit)) fields = { ...fields, evidence: waiting };
  seconds[unit.key] = Math.round(((seconds[unit.key] ?? 0) + clock.take()) * 10) / 10;
  put(unit.key, fields, hold);
  if (!outbox.closed) {
    store.remove(`d/${unit.key}`);
    store.remove(`e/${unit.key}`);
  }
  if (before && shown.units.length > 1 && !undone(shown)) store.set(`q/${shown.units[0].key}`, true);
  showUnit(unit, place);
  asks();
  progress();
  pace();
  return !outbox.closed;
};
// What was changed elsewhere too is decided: by what stands there, or by what was wanted here.
const decide = (unit, place) => (fields) => {
  outbox.decided(unit.key);
  if (fields) change(unit, place)(fields);
  else showUnit(unit, place);
  if (!outbox.pending().length) tell("saved", "Saved");
  units[place].root.focus({ preventScroll: true });
};

// -- what a digit rates bears the frame before it is typed

const LETTERS = "abcdefg"; // others are keys already
const letterOf = (place) => (place < LETTERS.length ? `${LETTERS[place]}, then the digit` : "a click on a rating");
const warn = (words) => {
  if (strip) strip.warn(words);
  else notice(words);
  if (words) say(words);
};
const frame = () => {
  const several = units.length > 1;
  units.forEach((unit, n) => {
    const rates = !isRated(state, n) || state.armed;
    unit.frame(several && n === state.target, strip && (rates ? "a digit rates it" : `${letterOf(n)} changes it`));
  });
  strip?.turn(state.target);
};
const measure = () => units.map((unit) => share(unit.text, part("units")));
const look = () => dispatch("seen", { seen: measure() });

// Makes a unit the target: in view where `show`, and with the focus.
let quiet = false; // while the page itself moves the focus
const focusOn = (element) => {
  quiet = true;
  element?.focus({ preventScroll: true });
  quiet = false;
};
const setCurrent = (place, { show = true, focus = show, armed = false } = {}) => {
  const to = Math.max(0, Math.min(place, units.length - 1));
  warn("");
  dispatch("chosen", { place: to, armed });
  if (!show) return;
  view("units");
  reveal(units[to].root, part("units"));
  if (focus) toText();
  look();
};
// With the target the focus goes on, where a unit has it.
const keepFocus = () => {
  const held = units.findIndex((unit) => unit.root === document.activeElement);
  if (held >= 0 && held !== state.target) focusOn(units[state.target].root);
};
const follow = () => {
  if (!working() || units.length < 2) return;
  look();
  keepFocus();
};
// In a window of another size what was read and rated stays in view.
const resized = () => {
  if (!working() || document.activeElement?.matches("textarea, input")) return;
  source.toPlace();
  if (units[state.target]?.root.getClientRects().length) reveal(units[state.target].root, part("units"));
  look();
};
// Scroll keys act on the part that has the focus: the units, or the source where only that is
// longer than its place.
const longer = () => {
  const long = (id) => part(id).scrollHeight > part(id).clientHeight;
  return long("source") && !long("units") ? part("source") : units[state.target]?.root;
};
const toText = () => focusOn(longer());

// Where one part is shown at a time, each comes back as it was left.
let left = 0; // of the units
const view = (which) => {
  const before = document.body.dataset.part;
  if (wide() || before === which) return;
  if (which === "source") left = scrollY;
  else source.keepPlace();
  document.body.dataset.part = which;
  part("show-source").setAttribute("aria-pressed", which === "source");
  part("show-units").setAttribute("aria-pressed", which === "units");
  if (which === "source") source.toPlace();
  else scrollTo(0, left);
};
// The units alone, side by side; the source is hidden meanwhile.
const alone = (on = !document.body.classList.contains("alone")) => {
  if (!wide()) return;
  if (on) source.keepPlace();
  document.body.classList.toggle("alone", on);
  beside();
  if (!on) source.toPlace();
  reveal(units[state.target].root, part("units"));
  toText();
  look();
};

const beside = () => {
  const words = document.body.classList.contains("alone") ? "With the source" : "Side by side";
  part("beside").textContent = words;
  part("beside").hidden = units.length < 2;
  strip?.beside(words);
};

// A click or a key on what is not in view brings it there, and rates nothing.
const choose = (place, label) => {
  const unit = units[place];
  dispatch("measured", { seen: measure() });
  if (!isSeen(state, place)) {
    const { armed } = state;
    setCurrent(place, { focus: !part("strip").contains(document.activeElement), armed });
    warn(`Nothing was rated: ${unit.name} is in view now.`);
    return;
  }
  warn("");
  const taken = unit.pick(label);
  dispatch("rated", { place });
  keepFocus();
  const over = waits(box.documents[number]) ? ` ${strip.ask(true)}` : "";
  const next = state.target === place ? "" : ` Next: ${units[state.target].name}.`;
  if (taken) askWhere(place, label);
  say(taken ? `${unit.name}: ${label.replaceAll("_", " ")}.${next}${over}` : "Not taken: the campaign is closed.");
};
// A low rating asks for its place, once.
const askWhere = (place, label) => {
  const { key } = box.documents[number].units[place];
  const low = box.labels.find((one) => one.label === label)?.low;
  if (!low || evidenceOf(key).length || store.get(`a/${key}`)) return;
  store.set(`a/${key}`, true);
  warn(`${units[place].name}: where? Select the words in it or in the source and press m; it can also stay unmarked.`);
};
const typed = (label) => {
  dispatch("measured", { seen: measure() });
  const { target } = state;
  if (digit(state) !== "rated") return choose(target, label);
  const { answer } = state.answers[state.keys[target]];
  return warn(`Nothing was rated: ${units[target].name} has ${answer.label.replaceAll("_", " ")}. To change it: ${letterOf(target)}.`);
};

// -- the pages

const open = (place, keep = true) => {
  source.keepPlace();
  view("units");
  number = Math.max(0, Math.min(place, box.documents.length - 1));
  const shown = box.documents[number];
  const text = box.sources[shown.source];
  source.open(text, shown.units[0].marked ? shown.units[0].sentences[0][2] : []);
  units = shown.units.map((unit, n) =>
    buildUnit(box, unit, nameOf(box, shown.units.length, n), {
      change: change(unit, n),
      decide: decide(unit, n),
      draft: (words) => store.set(`d/${unit.key}`, words),
      trace: (sentence) => hints.go(n, sentence),
      places: keepEvidence(unit, n),
    }),
  );
  hints.open(units);
  units.forEach((unit, n) => {
    const chosen = () => quiet || n === state.target || setCurrent(n, { show: false });
    for (const kind of ["focusin", "pointerdown"]) unit.root.addEventListener(kind, chosen);
    const byPointer = (event) => event.detail && event.target.closest("[role=button]");
    unit.root.addEventListener("click", (event) => byPointer(event) && toText());
  });
  const list = make("div", { className: "list" });
  list.append(...units.map((unit) => unit.root));
  part("units").replaceChildren(make("p", { className: "question", textContent: box.question }), list);
  strip = box.labels.length ? buildStrip(part("strip"), box, units, { choose, turn, stand, compare: () => alone() }) : null;
  part("strip").hidden = !strip;
  dispatch("opened", { keys: shown.units.map(({ key }) => key) });
  beside();
  showAll();
  head();
  if (keep && history.state?.number !== number) history.pushState({ number }, "");
  clock.open(number, text.id);
  pace();
  arrive();
};
// Where the open document is on the list.
const head = () => {
  const what = box.documents[number].units.length > 1 ? "Document" : nameOf(box, 1, 0);
  part("where").textContent = `${box.documents[number].batch ? "" : "Training: "}${what} ${number + 1} of ${box.documents.length}`;
  part("previous").disabled = number === 0;
  part("next").disabled = number === box.documents.length - 1;
  store.set("place", number);
};
const turn = (place, show, focus) => quiet || setCurrent(place, { show, focus });
// At the unit that is due; the source where it was left.
const arrive = () => {
  left = 0;
  scrollTo(0, 0);
  scrollBack(part("units"), 0);
  source.toPlace();
  const seen = share(units[state.target].text, part("units"));
  if (state.target > 0 || low() || seen < HALF) reveal(units[state.target].root, part("units"));
  toText();
  look();
  say(part("where").textContent);
};

const go = (to) => to >= 0 && to < box.documents.length && (work(), open(to));
const work = () => {
  part("guidelines").hidden = true;
  part("work").hidden = false;
};

// The next that is to do: below on this page, on the following ones, then above; then what waits to
// be looked over.
const openNext = () => {
  const count = box.documents.length;
  const open = (one) => !one.root.classList.contains("answered");
  const below = units.findIndex((one, n) => n > state.target && open(one));
  if (below >= 0) return setCurrent(below);
  for (let step = 1; step < count; step += 1) {
    const at = (number + step) % count;
    if (undone(box.documents[at])) return go(at);
  }
  const here = units.findIndex(open);
  if (here >= 0) return setCurrent(here);
  const over = box.documents.findIndex(waits);
  if (over < 0) return box.queue ? draw() : null;
  if (over !== number) go(over);
  return askOnce();
};
// After the last unit its page's ratings are looked over, once, before the next page; what is not
// rated is not passed.
const goOn = () => {
  if (state.target + 1 < units.length) return setCurrent(state.target + 1);
  const open = due(state);
  if (open.length) {
    setCurrent(open[0]);
    const names = units.length > 1 ? open.map((place) => units[place].letter).join(", ") : `this ${box.noun}`;
    return warn(`Not rated yet: ${names}. (n passes it.)`);
  }
  return waits(box.documents[number]) ? askOnce() : onward();
};
const onward = () => {
  if (number + 1 < box.documents.length) go(number + 1);
  else if (box.queue && !box.documents.some(undone)) draw();
  else toText();
};
const askOnce = () => {
  strip.stands.focus();
  say(`${strip.ask(true)} Enter: they stand.`);
};
const stand = () => {
  store.remove(`q/${box.documents[number].units[0].key}`);
  asks();
  progress();
  onward();
};

// The steps of the work on a source, with the minutes so far and those that are suggested.
const step = () => {
  const shown = box.documents[number];
  const about = box.documents.filter((one) => one.source === shown.source).flatMap((one) => one.units);
  if (!about.some(done)) return 0;
  return shown.units.length > 1 && !undone(shown) ? 2 : 1;
};
const pace = () => {
  if (!box.pace.length || !working()) return;
  clock.tick();
  clock.step = Math.min(step(), box.pace.length - 1);
  const minutes = (n) => Math.floor((clock.steps[n] ?? 0) / 60);
  const words = box.pace.map(([name, most], n) => `${name}: ${minutes(n)} min (${most})`);
  const spans = words.map((textContent, n) => make("span", { className: n === clock.step ? "now" : "", textContent }));
  part("pace").replaceChildren(...spans);
};

const showList = () => {
  const rows = box.documents.map((one, n) => {
    const count = one.units.filter(done).length;
    const item = make("li", {});
    const what = one.units.length > 1 ? "Document" : nameOf(box, 1, 0);
    const rated = count === one.units.length ? "✓ done" : count ? `${count} of ${one.units.length} done` : "to do";
    const state = waits(one) ? "rated; recalibrate?" : rated;
    const button = make("button", { type: "button", textContent: `${what} ${n + 1}: ${state}` });
    if (n === number && working()) button.setAttribute("aria-current", "true");
    button.addEventListener("click", () => (part("list").close(), go(n)));
    if (n === 0 || box.documents[n - 1].batch !== one.batch) {
      item.append(make("b", { textContent: one.batch ? `Batch ${one.batch}` : "Training" }));
    }
    item.append(button);
    return item;
  });
  part("documents").replaceChildren(...rows);
  part("list").showModal();
};
const showMarks = () => {
  listMarks(box, source, (place, span) => {
    part("marks").close();
    if (box.documents[place].source !== box.documents[number].source) go(place);
    source.toMark(span);
  });
  part("marks").showModal();
};
const showGuidelines = () => {
  source.keepPlace();
  part("work").hidden = true;
  part("guidelines").hidden = false;
  part("start").textContent = all().some(done) ? "Go on" : "Start";
  scrollTo(0, 0);
  part("guidelines").focus({ preventScroll: true });
};

const useKeys = () => store.get("keys") !== false;
const search = () => {
  if (wide()) alone(false);
  view("source");
  part("find").focus();
  part("find").select();
};
const comment = () => {
  view("units");
  quiet = true;
  units[state.last ?? state.target].comment.focus();
  quiet = false;
};
const letters = () => units.slice(0, LETTERS.length).map((_, place) => [LETTERS[place], () => setCurrent(place, { armed: true })]);
const workKeys = (at) => ({
  n: () => go(number + 1),
  p: () => go(number - 1),
  ArrowRight: () => go(number + 1),
  ArrowLeft: () => go(number - 1),
  t: openNext,
  j: () => setCurrent(state.target + 1),
  k: () => setCurrent(state.target - 1),
  w: comment,
  "/": search,
  m: mark,
  ...(units.length > 1 ? { v: () => alone(), ...Object.fromEntries(letters()) } : {}),
  ...(strip ? { h: () => hints.next(state.target), s: () => hints.turn(state.target, 1), S: () => hints.turn(state.target, -1) } : {}),
  ...(at.closest?.("button, a") ? {} : { Enter: goOn }),
  ...units[state.target]?.keys,
  ...Object.fromEntries(box.labels.map(({ key, label }) => [key, () => typed(label)])),
});
const ONCE = ["Enter", "1", "2", "3", "4", "5", "0"]; // held down they act no second time

const onKey = (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented) return;
  if (document.querySelector("dialog[open]")) return;
  const at = event.target;
  if (at.closest?.("textarea, input")) {
    if (event.key !== "Escape" || !working()) return;
    if (at.id === "find") toText();
    else {
      dispatch("left");
      toText();
    }
    return;
  }
  // In the wide layout the strip and the bars scroll nothing by themselves.
  const still = wide() && working() && !at.closest?.("#source, #units") && !(event.key === " " && at.closest?.("button, a"));
  if (still && !event.shiftKey && scrollByKey(event.key, longer().closest("#source, #units"))) {
    event.preventDefault();
    return;
  }
  if (!useKeys()) return;
  const act = { l: showList, "?": () => part("keys").showModal(), ...(working() ? workKeys(at) : {}) };
  if (!Object.hasOwn(act, event.key)) return;
  event.preventDefault();
  if (!event.repeat || !ONCE.includes(event.key)) act[event.key]();
};

const SHUT = "This box is closed to this browser. Open the newest link that you were sent; what is not saved is kept here.";

const empty = () => box.documents.length || box.queue || notice("There is nothing on your list.");
// The list as it is now: it was dealt again. What is open stays open, if it is still on the list.
const relist = (given) => {
  if (!given?.documents) return;
  const keys = (one) => one?.units.map((unit) => unit.key).join();
  const here = keys(box.documents[number]);
  const at = given.documents.findIndex((one) => keys(one) === here);
  box = given;
  dispatch("noted", { notes: box.notes });
  number = Math.max(0, Math.min(at < 0 ? number : at, box.documents.length - 1));
  outbox.know(box);
  merge(box.answers);
  empty();
  if (!box.documents.length) showGuidelines();
  else if (at >= 0) head();
  else if (working()) {
    open(number, false);
    notice("Your list was dealt again: what was open here, or a part of it, is on another list now.");
  }
  showAll();
};
// The next document of the queue, once all that is answered here is saved.
let drawing = false;
const draw = async () => {
  if (drawing) return;
  drawing = true;
  try {
    for (let n = 0; n < 20 && outbox.pending().length; n += 1) {
      await outbox.flush();
      if (outbox.pending().length) await new Promise((then) => setTimeout(then, 250));
    }
    const headers = { "X-Factmark-Request": outbox.token };
    const response = await fetch("next", { method: "POST", headers, signal: AbortSignal.timeout(15000) });
    const given = await response.json();
    if (!response.ok || !given.documents) throw new Error(given.error);
    relist(given);
    const next = box.documents.findIndex(undone);
    if (next >= 0) go(next);
    else say("Nothing in the queue waits for you.");
  } catch {
    tell("unsaved", "The next document cannot be had at the moment. Try again.");
  }
  drawing = false;
};
// The newest from the server: another tab or device may have changed it.
const refresh = async () => {
  try {
    const settled = outbox.settled;
    const response = await fetch("answers", { signal: AbortSignal.timeout(15000) });
    if (response.status === 403) {
      notice(SHUT);
    }
    if (!response.ok) return;
    const given = await response.json();
    if (outbox.settled !== settled) return refresh(); // it may not tell yet of what was just saved
    const opened = outbox.closed && !given.closed;
    if (opened || part("notice").textContent === SHUT) notice("");
    outbox.know(given);
    dispatch("noted", { notes: given.notes });
    if (given.list !== box.list) relist(await (await fetch("tasks", { signal: AbortSignal.timeout(15000) })).json());
    else {
      box.queue = given.queue;
      merge(given.answers);
      showAll();
    }
    if (!given.closed) outbox.later(0);
  } catch {
    outbox.later(0); // tells that there is no connection, if something waits
  }
};

const clicks = {
  start: () => (box.documents.length ? (work(), open(number)) : draw()),
  previous: () => go(number - 1),
  next: () => go(number + 1),
  open: () => openNext(),
  beside: () => alone(),
  "to-list": showList,
  "to-marks": showMarks,
  "to-keys": () => part("keys").showModal(),
  "to-texts": () => part("texts").showModal(),
  "to-guidelines": showGuidelines,
  "show-source": () => view("source"),
  "show-units": () => view("units"),
  hint: () => hints.next(state.target),
  export: () => exportMarks(box, source),
  mark: () => mark(),
};
// A pointer that goes to another unit aims there; one that lies still while the page moves does not.
let under = -1;
let at = "";
const pointed = ({ target, screenX, screenY, pointerType }) => {
  const now = `${screenX},${screenY}`;
  const place = units.findIndex((unit) => unit.root.contains(target));
  const moved = at !== now && place !== under && pointerType === "mouse";
  at = now;
  under = place;
  if (moved && place >= 0 && place !== state.target && !document.activeElement?.matches("textarea, input")) {
    setCurrent(place, { show: false });
    keepFocus();
  }
};
const wire = () => {
  for (const [id, act] of Object.entries(clicks)) part(id).addEventListener("click", act);
  part("use-keys").addEventListener("change", () => {
    store.set("keys", part("use-keys").checked);
    writeKeys(box, useKeys());
  });
  document.addEventListener("keydown", onKey);
  document.addEventListener("focusout", (event) => event.target.tagName === "TEXTAREA" && outbox.later(0));
  // Space and the arrow keys scroll the text again after a rating by pointer.
  part("strip").addEventListener("click", (event) => event.detail && event.target.closest("[role=button]") && toText());
  part("units").addEventListener("scroll", follow, { passive: true });
  addEventListener("scroll", follow, { passive: true });
  window.visualViewport?.addEventListener("scroll", follow, { passive: true });
  addEventListener("resize", resized);
  part("units").addEventListener("pointermove", pointed, { passive: true });
  addEventListener("popstate", ({ state: to }) => {
    if (!Number.isInteger(to?.number)) showGuidelines();
    else if (to.number < box.documents.length) {
      work();
      open(to.number, false);
    }
  });
  setInterval(pace, 10000);
  addEventListener("focus", refresh);
  addEventListener("online", () => outbox.later(0));
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") refresh();
    else leave();
  });
  addEventListener("pagehide", leave);
  addEventListener("beforeunload", (event) => store.fragile && event.preventDefault());
};
const leave = () => {
  clock.keep();
  source.keepPlace();
  outbox.flush(true);
};

const start = async () => {
  try {
    const response = await fetch("tasks");
    box = await response.json();
  } catch {
    box = null; // no reply, or none of ours
  }
  if (!box?.documents) {
    tell("unsaved", box?.error ?? "The server does not answer; will try again.");
    setTimeout(start, 3000);
    return;
  }
  store = new Store(box.campaign, box.code);
  outbox = new Outbox(store, tell, refresh, replied);
  clock = new Clock(store);
  source = new Source(store, {
    say,
    show: () => (wide() ? document.body.classList.contains("alone") && alone(false) : view("source")),
    changed: (count) => (part("to-marks").textContent = `Marks (${count})`),
    pressed: (stretch) => decidedBy(state.last ?? state.target, stretch),
  });
  dressTexts(store);
  hints = new Hints(source, say, (element) => reveal(element, part("units")));
  outbox.know(box);
  dispatch("noted", { notes: box.notes });
  merge(box.answers);
  writeKeys(box, useKeys());
  checks = buildChecks(part("checks"), box.checks, check);
  showChecks();
  wire();
  if (!box.closed) tell("ready", outbox.pending().length ? "Saving …" : "Ready");
  number = Number(store.get("place")) || 0;
  empty();
  if (all().some(done)) {
    work();
    open(number);
  }
  progress();
  outbox.later(0);
};
start();
