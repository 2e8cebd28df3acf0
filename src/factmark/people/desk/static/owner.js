// The owner's page: asks for the state every few seconds while it is seen, and shows it. All that
// comes from people goes in as text, never as HTML.
const EVERY = 5000; // ms
const part = (id) => document.getElementById(id);
const make = (name, text, props = {}) => Object.assign(document.createElement(name), { textContent: text, ...props });
const number = (value, digits = 0) => (value === null || value === undefined ? "–" : value.toFixed(digits));
const span = ({ value, low, high }) => (value === null ? "–" : `${number(value, 2)} (${number(low, 2)} to ${number(high, 2)})`);

// Only what has changed is written, so that a reader or a selection is not disturbed.
const write = (element, text) => {
  if (element.textContent !== text) element.textContent = text;
};
const fill = (parent, count, build) => {
  while (parent.children.length < count) parent.append(build());
  while (parent.children.length > count) parent.lastElementChild.remove();
  return [...parent.children];
};

// The table of `annotate status`, with all its columns.
const showPeople = ({ heads, lines }) => {
  const [row] = fill(part("people").tHead, 1, () => make("tr", "", { role: "row" }));
  fill(row, heads.length, () => make("th", "", { scope: "col", role: "columnheader" })).forEach((cell, place) => write(cell, heads[place]));
  const rows = fill(part("people").tBodies[0], lines.length, () => make("tr", "", { role: "row" }));
  rows.forEach((line, place) => {
    const { cells, state } = lines[place];
    line.className = { active: "" }[state] ?? (state ? "gone" : "all");
    if (line.children.length !== cells.length) {
      line.replaceChildren(...cells.map((_, n) => (n ? make("td", "", { role: "cell" }) : make("th", "", { scope: "row", role: "rowheader" }))));
    }
    cells.forEach((text, n) => {
      line.children[n].dataset.name = heads[n];
      write(line.children[n], text);
      line.children[n].classList.toggle("stalls", text.endsWith(" !"));
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
