// The owner's page: asks for the state every few seconds while it is seen, and shows it. All that
// comes from people goes in as text, never as HTML.
import { visible } from "./text.js";

const EVERY = 5000; // ms
const part = (id) => document.getElementById(id);
const make = (name, text, props = {}) => Object.assign(document.createElement(name), { textContent: text, ...props });
const number = (value, digits = 0) => (value === null || value === undefined ? "–" : value.toFixed(digits));
const clock = (iso) => (iso ? new Date(iso).toLocaleString([], { dateStyle: "short", timeStyle: "short" }) : "–");
const span = ({ value, low, high }) => (value === null ? "–" : `${number(value, 2)} (${number(low, 2)} to ${number(high, 2)})`);

const practiceOf = (state, code) => {
  const rows = state.practice.filter((row) => row.code === code);
  return rows.map((row) => `${row.role} ${row.n_right}/${row.n_answered}`).join(", ") || "–";
};
const COLUMNS = [
  ["person", (row) => (row.name ? `${row.code} ${visible(row.name)}` : row.code)],
  ["state", (row) => ({ active: row.place === null ? "done" : "active" })[row.state] ?? row.state ?? "–"],
  ["at document", (row) => (row.code === "all" || row.place === null ? "–" : `${row.place} of ${row.listed}`)],
  ["done", (row) => number(row.done)],
  ["left", (row) => number(row.left)],
  ["minutes a document", (row) => number(row.minutes, 1)],
  ["hours spent", (row) => number(row.spent === null ? null : row.spent / 60, 1)],
  ["last seen", (row) => clock(row.seen)],
  ["idle hours", (row) => (row.idle === null ? "–" : number(row.idle, 1) + (row.stalls ? " !" : ""))],
  ["practice", (row, state) => practiceOf(state, row.code)],
  ["code at the end", (row) => row.completion || "–"],
];

// Only what has changed is written, so that a reader or a selection is not disturbed.
const write = (element, text) => {
  if (element.textContent !== text) element.textContent = text;
};
const fill = (parent, count, build) => {
  while (parent.children.length < count) parent.append(build());
  while (parent.children.length > count) parent.lastElementChild.remove();
  return [...parent.children];
};

const showPeople = (state) => {
  const head = part("people").tHead;
  const crowd = state.people.some((row) => row.completion);
  const columns = COLUMNS.filter(([name]) => (name !== "code at the end" || crowd) && (name !== "practice" || state.practice.length));
  const [row] = fill(head, 1, () => make("tr", "", { role: "row" }));
  fill(row, columns.length, () => make("th", "", { scope: "col", role: "columnheader" })).forEach((cell, place) => write(cell, columns[place][0]));
  const lines = fill(part("people").tBodies[0], state.people.length, () => make("tr", "", { role: "row" }));
  lines.forEach((line, place) => {
    const person = state.people[place];
    line.className = person.code === "all" ? "all" : person.state === "active" ? "" : "gone";
    if (line.children.length !== columns.length) {
      line.replaceChildren(...columns.map((_, n) => (n ? make("td", "", { role: "cell" }) : make("th", "", { scope: "row", role: "rowheader" }))));
    }
    columns.forEach(([name, text], n) => {
      line.children[n].dataset.name = name;
      write(line.children[n], text(person, state));
      line.children[n].classList.toggle("stalls", name === "idle hours" && person.stalls);
    });
  });
};
const showFigures = (state) => {
  const { agreement } = state;
  const whole = state.people.at(-1);
  const figures = [
    ["rated", `${whole.done} of ${whole.tasks}`],
    [state.queues ? "wait in the queue" : "on nobody's list", String(state.waiting)],
    ["alpha so far", agreement ? span(agreement.alpha) : "–"],
    ["same label", agreement ? `${number(100 * agreement.exact.value)} % of pairs` : "–"],
    ["units of two", agreement ? String(agreement.n_units) : "0"],
    ["screened out", String(state.screened.length)],
    ["refused", String(state.refused)],
  ];
  const boxes = fill(part("figures"), figures.length, () => {
    const box = make("div", "");
    box.append(make("dt", ""), make("dd", ""));
    return box;
  });
  figures.forEach(([name, text], n) => {
    write(boxes[n].children[0], name);
    write(boxes[n].children[1], text);
  });
  write(part("summary"), `${whole.done} of ${whole.tasks} done${state.closed ? ", closed" : ""}`);
};
const showScreened = (state) => {
  part("screened-head").hidden = !state.screened.length;
  const items = fill(part("screened"), state.screened.length, () => make("li", ""));
  state.screened.forEach(({ code, reason }, n) => write(items[n], `${code}: ${reason}`));
};

const ask = async () => {
  try {
    const response = await fetch("state", { cache: "no-store" });
    const state = await response.json();
    if (!response.ok) throw new Error(state.error);
    showFigures(state);
    showPeople(state);
    showScreened(state);
    write(part("state"), "");
    write(part("updated"), `as of ${new Date(state.now).toLocaleTimeString()}`);
  } catch (error) {
    write(part("state"), `Not up to date: ${error instanceof TypeError ? "the server does not answer" : error.message}`);
  }
};
// A page that nobody looks at asks for nothing.
const ticking = async () => {
  if (!document.hidden) await ask();
  setTimeout(ticking, EVERY);
};
document.addEventListener("visibilitychange", () => document.hidden || ask());
ticking();
