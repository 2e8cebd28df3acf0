// The form of facts: marks in an answer, elements of the ground truth, its verdict.
import { find, paint, selected, slice, visible } from "./text.js";
import { control, make, press } from "./dom.js";

const EMPTY = { grounded: [], ungrounded: [], covered: [], verdict: null, absence: false };
const NAMES = { grounded: "grounded", ungrounded: "not grounded" };

const CLOSED = "Not taken: the campaign is closed.";

// Builds the parts below the text; returns how to show an answer and how to mark what is selected.
// `change(marking)` shows what came of it, and tells whether it counts.
export const marking = (unit, text, into, change) => {
  let now = EMPTY;
  let marked = false; // whether there is an answer
  let map = [];
  let chosen = null; // a selection, kept when the focus goes to a button
  const said = make("p", { className: "hint", role: "status" });
  const list = make("ul", { className: "marks" });
  const words = make("input", { type: "text", className: "words", autocomplete: "off" });

  const ended = make("p", { className: "hint", role: "status" });
  const lacking = make("p", { className: "hint lacking", role: "status" });

  const put = (next) => {
    ended.textContent = "";
    return change(next);
  };
  const taken = () => [...now.grounded, ...now.ungrounded];

  const mark = (kind) => {
    const typed = words.value.trim();
    const span = typed ? find(unit.text, typed, taken()) : chosen ?? selected(text, map, unit.text);
    const over = span && taken().find((other) => other[0] < span[1] && span[0] < other[1]);
    if (!span) {
      said.textContent = typed
        ? "The answer has no such words, or they are marked already."
        : "Select words of the answer first, or type them.";
    } else if (over) {
      said.textContent = `It overlaps “${visible(slice(unit.text, ...over))}”; remove that first.`;
    } else {
      words.value = "";
      chosen = null;
      document.getSelection()?.removeAllRanges();
      const counts = put({ ...now, [kind]: [...now[kind], span].sort((a, b) => a[0] - b[0]) });
      said.textContent = counts ? `Marked as ${NAMES[kind]}: “${visible(slice(unit.text, ...span))}”` : CLOSED;
    }
  };
  const unmark = (kind, span) => {
    const counts = put({ ...now, [kind]: now[kind].filter((one) => one !== span) });
    said.textContent = counts ? `Removed: “${visible(slice(unit.text, ...span))}”` : CLOSED;
    into.focus({ preventScroll: true });
  };

  document.addEventListener("selectionchange", function keep() {
    if (!text.isConnected) return document.removeEventListener("selectionchange", keep);
    const active = document.activeElement;
    if (active && active.closest(".marking")) return; // the press of a button keeps it
    chosen = selected(text, map, unit.text);
  });

  const button = (kind, key) => {
    const made = control("button", () => mark(kind), `${NAMES[kind]} (${key})`);
    made.addEventListener("pointerdown", (event) => event.preventDefault());
    return made;
  };
  words.addEventListener("keydown", (event) => {
    if (event.key === "Enter") mark(event.shiftKey ? "ungrounded" : "grounded");
  });
  const field = make("label", { className: "field" });
  field.append("Select words above, or type them", words);
  const row = make("div", { className: "row" });
  row.append(field, button("grounded", "g"), button("ungrounded", "u"));

  const elements = make("fieldset", { className: "choices elements" });
  elements.append(make("legend", { textContent: "The answer states these of the ground truth" }));
  const boxes = unit.elements.map((element) => {
    const box = control("choice", () => {
      const ticked = (one) => (one === element) !== now.covered.includes(one);
      put({ ...now, covered: unit.elements.filter(ticked) });
    }, visible(element));
    elements.append(box);
    return box;
  });
  elements.hidden = !boxes.length;

  const verdict = make("fieldset", { className: "choices" });
  verdict.append(make("legend", { textContent: "Its verdict" }));
  const verdicts = ["yes", "no", null].map((value) => {
    const one = control("choice", () => marked && now.verdict === value || put({ ...now, verdict: value }), value ?? "none");
    verdict.append(one);
    return [one, value];
  });
  const absence = control(
    "choice about", () => put({ ...now, absence: !now.absence }), "The answer reports that there is nothing",
  );
  const done = control("button", () => {
    if (marked) ended.textContent = "Noted already: what is marked here counts.";
    else ended.textContent = put(now) ? "Noted: nothing more to mark." : CLOSED;
  }, "Nothing more to mark");
  const end = make("div", { className: "row end" });
  end.append(done, ended);
  const group = make("div", { className: "marking" });
  group.append(row, said, list, elements, lacking, verdict, absence, end);
  into.append(group);

  const show = (given) => {
    now = given ?? EMPTY;
    marked = given != null;
    const lacks = boxes.length && now.grounded.length && !now.covered.length;
    lacking.textContent = lacks ? "Marked as grounded, but no element is ticked." : "";
    const spans = ["grounded", "ungrounded"].flatMap((kind) =>
      now[kind].map(([start, end]) => ({ start, end, kind, title: NAMES[kind] })),
    );
    map = paint(text, unit.text, spans);
    list.replaceChildren(
      ...["grounded", "ungrounded"].flatMap((kind) =>
        now[kind].map((span) => {
          const item = make("li", {});
          const quote = visible(slice(unit.text, ...span));
          const remove = control("button", () => unmark(kind, span), "Remove");
          remove.setAttribute("aria-label", `Remove the mark on “${quote}”`);
          item.append(make("b", { textContent: NAMES[kind] }), ` “${quote}” `, remove);
          return item;
        }),
      ),
    );
    boxes.forEach((box, n) => press(box, now.covered.includes(unit.elements[n])));
    for (const [one, value] of verdicts) press(one, given != null && now.verdict === value);
    press(absence, now.absence);
  };
  return { show, keys: { g: () => mark("grounded"), u: () => mark("ungrounded") } };
};
