// The box: guidelines first, then document by document; every change goes through the outbox.
import { Clock } from "./clock.js";
import { make } from "./dom.js";
import { Outbox, Store } from "./outbox.js";
import { paint } from "./text.js";
import { buildUnit, nameOf } from "./units.js";

const part = (id) => document.getElementById(id);
let box;
let store;
let outbox;
let clock;
let answers = {}; // key -> {answer, at, seconds}: the newest that is known, sent or not
let kept = {}; // key -> the newest answer that a closed campaign did not take
let seconds = {}; // key -> that a unit took so far
let number = 0; // of the document that is open
let units = []; // as built, of that document
let current = 0; // of them

const done = (unit) => Boolean(answers[unit.key]);
const all = () => box.documents.flatMap((one) => one.units);
const undone = (one) => one.units.some((unit) => !done(unit));

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

// What the server knows, with what is still on its way laid over it; a closed campaign takes
// nothing, so there it is kept beside.
const merge = (given) => {
  answers = {};
  kept = {};
  for (const [key, one] of Object.entries(given)) {
    answers[key] = { ...one, time: Date.parse(one.at) };
    seconds[key] = Math.max(seconds[key] ?? 0, one.seconds);
  }
  for (const { key, answer, at, seconds: spent } of outbox.pending()) {
    const time = Date.parse(at);
    if (outbox.closed) kept[key] = answer;
    else if (!answers[key] || answers[key].time <= time) answers[key] = { answer, at, time };
    seconds[key] = Math.max(seconds[key] ?? 0, spent);
  }
};

const progress = () => {
  const list = all();
  const count = list.filter(done).length;
  const batches = box.documents.at(-1)?.batch ?? 1;
  const batch = box.documents[number]?.batch ?? 1;
  const of = batches > 1 ? `, batch ${batch} of ${batches}` : "";
  part("progress").textContent = `${count} of ${list.length} done${of}`;
  const finished = list.length > 0 && count === list.length;
  part("open").hidden = finished;
  const words = finished ? ending() : "";
  if (part("finished").textContent !== words) part("finished").textContent = words;
};
const ending = () => {
  if (outbox.closed) return "All done. You can close this page.";
  if (outbox.pending().length) return "All done; please wait until it is saved.";
  return `All done. You can close this page, or go back and change a ${box.labels.length ? "rating" : "mark"}.`;
};

const fresh = () => {
  const shown = box.documents[number];
  shown?.units.forEach((unit, place) => {
    const waiting = store.get(`d/${unit.key}`) ?? "";
    units[place]?.show(answers[unit.key]?.answer ?? null, waiting, kept[unit.key]);
  });
  progress();
};

const change = (unit, place) => (answer, hold) => {
  seconds[unit.key] = Math.round(((seconds[unit.key] ?? 0) + clock.take()) * 10) / 10;
  const at = outbox.put(unit.key, answer, seconds[unit.key], hold);
  if (outbox.closed) kept[unit.key] = answer;
  else {
    answers[unit.key] = { answer, at, time: Date.parse(at) };
    store.remove(`d/${unit.key}`);
  }
  units[place].show(answers[unit.key]?.answer ?? null, answer.comment, kept[unit.key]);
  progress();
  return !outbox.closed;
};

const setCurrent = (place, focus = true) => {
  current = Math.max(0, Math.min(place, units.length - 1));
  units.forEach((unit, n) => unit.root.classList.toggle("current", n === current && units.length > 1));
  if (focus) toText();
  if (focus) units[current]?.root.scrollIntoView({ block: "nearest" });
};
// Scroll keys act on the part that has the focus: the units, or the source where only that is
// longer than its place.
const toText = () => {
  const long = (id) => part(id).scrollHeight > part(id).clientHeight;
  const text = long("source") && !long("units") ? part("source") : units[current]?.root;
  text?.focus({ preventScroll: true });
};

const scrolled = { source: 0, units: 0 }; // where each part was left, where one is shown at a time
const view = (which) => {
  scrolled[document.body.dataset.part] = scrollY;
  document.body.dataset.part = which;
  part("show-source").setAttribute("aria-pressed", which === "source");
  part("show-units").setAttribute("aria-pressed", which === "units");
  scrollTo(0, scrolled[which]);
};

const open = (place) => {
  number = Math.max(0, Math.min(place, box.documents.length - 1));
  const shown = box.documents[number];
  const evidence = part("evidence");
  const likely = shown.likely.map(([start, end]) => ({ start, end, kind: "likely" }));
  paint(evidence, shown.evidence, likely);
  part("likely").hidden = !likely.length;
  units = shown.units.map((unit, n) =>
    buildUnit(box, unit, nameOf(box, shown.units.length, n), {
      change: change(unit, n),
      draft: (text) => store.set(`d/${unit.key}`, text),
    }),
  );
  units.forEach((unit, n) => {
    for (const kind of ["focusin", "pointerdown"]) unit.root.addEventListener(kind, () => setCurrent(n, false));
    const byPointer = (event) => event.detail && event.target.closest("[role=button]");
    unit.root.addEventListener("click", (event) => byPointer(event) && toText());
  });
  const question = make("p", { className: "question", textContent: box.question });
  part("units").replaceChildren(question, ...units.map((unit) => unit.root));
  fresh();
  const what = shown.units.length > 1 ? "Document" : nameOf(box, 1, 0);
  part("where").textContent = `${what} ${number + 1} of ${box.documents.length}`;
  part("previous").disabled = number === 0;
  part("next").disabled = number === box.documents.length - 1;
  part("source").scrollTop = 0;
  part("units").scrollTop = 0;
  store.set("place", number);
  clock.open(number);
  const todo = shown.units.findIndex((unit) => !done(unit));
  setCurrent(Math.max(todo, 0), false);
  scrolled.source = scrolled.units = 0;
  scrollTo(0, 0);
  toText();
  part("said").textContent = part("where").textContent;
};

const go = (to) => to >= 0 && to < box.documents.length && (work(), open(to));
const work = () => {
  part("guidelines").hidden = true;
  part("work").hidden = false;
};

// The next that is to do: below on this page, on the following ones, then above.
const openNext = () => {
  const count = box.documents.length;
  const open = (one) => !one.root.classList.contains("answered");
  const below = units.findIndex((one, n) => n > current && open(one));
  if (below >= 0) return setCurrent(below);
  for (let step = 1; step < count; step += 1) {
    const at = (number + step) % count;
    if (undone(box.documents[at])) return go(at);
  }
  const here = units.findIndex(open);
  return here >= 0 && setCurrent(here);
};
const goOn = () => (current + 1 < units.length ? setCurrent(current + 1) : go(number + 1));

// Stays on the unit, so that a correction or a comment is about the same one.
const rate = (label) => {
  const unit = units[current];
  const taken = unit.pick(label);
  setCurrent(current, !part("source").contains(document.activeElement));
  part("said").textContent = taken
    ? `${unit.name}: ${label.replaceAll("_", " ")}.`
    : "Not taken: the campaign is closed.";
};

const showList = () => {
  const rows = box.documents.map((one, n) => {
    const count = one.units.filter(done).length;
    const item = make("li", {});
    const what = one.units.length > 1 ? "Document" : nameOf(box, 1, 0);
    const state = count === one.units.length ? "✓ done" : count ? `${count} of ${one.units.length} done` : "to do";
    const button = make("button", { type: "button", textContent: `${what} ${n + 1}: ${state}` });
    if (n === number && !part("work").hidden) button.setAttribute("aria-current", "true");
    button.addEventListener("click", () => (part("list").close(), go(n)));
    if (n === 0 || box.documents[n - 1].batch !== one.batch) {
      item.append(make("b", { textContent: `Batch ${one.batch}` }));
    }
    item.append(button);
    return item;
  });
  part("documents").replaceChildren(...rows);
  part("list").showModal();
};
const showGuidelines = () => {
  part("work").hidden = true;
  part("guidelines").hidden = false;
  part("start").textContent = all().some(done) ? "Go on" : "Start";
  scrollTo(0, 0);
  part("guidelines").focus({ preventScroll: true });
};

const keys = () => {
  const labels = box.labels.map(({ key, label, meaning }) => [key, `${label.replaceAll("_", " ")}: ${meaning}`]);
  const marks = [["g", "mark what is selected as grounded"], ["u", "mark it as not grounded"]];
  const several = box.documents.some((one) => one.units.length > 1);
  const moves = [
    ...(several ? [["j k", `next and previous ${box.noun}`]] : []),
    ["Enter", several ? `go on: to the next ${box.noun}, after the last one to the next page` : "go on to the next page"],
    ["n p", "next and previous page; also → and ←"],
    ["Tab", "to a choice or a button; Enter chooses it. Space and the other arrow keys only scroll"],
    ["t", "next that is to do"],
    ["c", "write a comment on the same one; Esc leaves it"],
    ["l", "the list"],
    ["?", "these keys"],
  ];
  const rows = [...(labels.length ? labels : marks), ...moves];
  part("keys-list").replaceChildren(
    ...rows.map(([key, what]) => {
      const row = make("div", {});
      const name = make("dt", {});
      name.append(...key.split(" ").flatMap((one) => [make("kbd", { textContent: one }), " "]));
      row.append(name, make("dd", { textContent: what }));
      return row;
    }),
  );
  part("use-keys").checked = useKeys();
  keysLine(several);
};
const useKeys = () => store.get("keys") !== false;
const keysLine = (several) => {
  const names = box.labels.map(({ key }) => key);
  const short = names.length ? `${names[0]}–${names.at(-1)} ${names.length === 6 ? "rate" : "answer"}` : "g u mark";
  const stays = `${short}, and stay · ${several ? `j k ${box.noun} · ` : ""}Enter goes on`;
  part("keys-line").textContent = useKeys()
    ? `Keys: ${stays} · n p page · t next to do · c comment · ? all keys`
    : "Keys are off; “Keys” turns them on.";
};

const onKey = (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented) return;
  if (document.querySelector("dialog[open]")) return;
  const at = event.target;
  const writing = at.closest?.("textarea, input");
  if (writing) {
    if (event.key === "Escape") setCurrent(current);
    return;
  }
  if (!useKeys()) return;
  const act = {
    l: showList,
    "?": () => part("keys").showModal(),
  };
  if (!part("work").hidden) {
    Object.assign(act, {
      n: () => go(number + 1),
      p: () => go(number - 1),
      t: openNext,
      j: () => setCurrent(current + 1),
      k: () => setCurrent(current - 1),
      c: () => units[current].root.querySelector("textarea").focus(),
      ...units[current]?.keys,
    });
    Object.assign(act, { ArrowRight: act.n, ArrowLeft: act.p });
    if (!at.closest?.("button, a")) act.Enter = () => event.repeat || goOn();
    for (const { key, label } of box.labels) act[key] = () => event.repeat || rate(label);
  }
  if (!Object.hasOwn(act, event.key)) return;
  event.preventDefault();
  act[event.key]();
};

const SHUT = "This box is closed to this browser. Open the newest link that you were sent; what is not saved is kept here.";

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
    merge(given.answers);
    fresh();
    if (!given.closed) outbox.later(0);
  } catch {
    outbox.later(0); // tells that there is no connection, if something waits
  }
};

const wire = () => {
  part("start").disabled = false;
  part("start").addEventListener("click", () => (work(), open(number)));
  part("previous").addEventListener("click", () => go(number - 1));
  part("next").addEventListener("click", () => go(number + 1));
  part("open").addEventListener("click", openNext);
  part("to-list").addEventListener("click", showList);
  part("to-keys").addEventListener("click", () => part("keys").showModal());
  part("to-guidelines").addEventListener("click", showGuidelines);
  part("show-source").addEventListener("click", () => view("source"));
  part("show-units").addEventListener("click", () => view("units"));
  part("use-keys").addEventListener("change", () => {
    store.set("keys", part("use-keys").checked);
    keys();
  });
  document.addEventListener("keydown", onKey);
  document.addEventListener("focusout", (event) => event.target.tagName === "TEXTAREA" && outbox.later(0));
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
  outbox = new Outbox(store, tell, refresh);
  clock = new Clock(store);
  outbox.know(box);
  merge(box.answers);
  keys();
  wire();
  if (!box.closed) tell("ready", outbox.pending().length ? "Saving …" : "Ready");
  number = Number(store.get("place")) || 0;
  if (!box.documents.length) {
    part("start").disabled = true;
    notice("There is nothing on your list.");
  } else if (all().some(done)) {
    work();
    open(number);
  }
  progress();
  outbox.later(0);
};
start();
