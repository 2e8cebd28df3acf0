// One unit as a fieldset: its text, sentence by sentence, and a comment; marks where it has no label.
import { make } from "./dom.js";
import { marking } from "./marks.js";
import { paint, slice, visible } from "./text.js";

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const SLOW = 1000; // milliseconds after the last key of a comment

export const nameOf = (box, count, place) => {
  const noun = box.noun[0].toUpperCase() + box.noun.slice(1);
  return count > 1 ? `${noun} ${LETTERS[place]}` : noun;
};

// What others gave it, for who decides between them.
const opinions = (given) => {
  const list = make("ul", { className: "given" });
  for (const { name, label, comment } of given) {
    const item = make("li", {});
    item.append(make("b", { textContent: `${name}: ${label.replaceAll("_", " ")}` }));
    if (comment) item.append(` “${visible(comment)}”`);
    list.append(item);
  }
  return list;
};

// `change(answer, hold)` is called with each whole answer, shows what came of it, and tells whether
// it counts; `draft(comment)` is called with a comment that waits for an answer; `trace(n)` with the
// sentence of its text that was clicked.
export const buildUnit = (box, unit, name, { change, draft, trace }) => {
  const root = make("fieldset", { className: "unit", tabIndex: -1 });
  const legend = make("legend", {});
  const title = make("span", { textContent: name });
  const state = make("span", { className: "done" });
  legend.append(title, " ", state);
  const text = make("div", { className: "text judged" });
  root.append(legend);
  const asked = unit.marked ?? null;
  if (asked) {
    const clause = make("p", { className: "clause" });
    clause.append(make("b", { textContent: "The clause: " }), `“${visible(slice(unit.text, ...asked))}”`);
    root.append(clause);
  }
  root.append(text);
  if (unit.given.length) root.append(opinions(unit.given));
  const aside = make("p", { className: "aside", hidden: true });
  const note = make("p", { className: "hint" });
  const comment = make("textarea", { rows: 1, maxLength: 10000 });
  const field = make("label", { className: "field comment" });
  field.append("Comment (optional)", comment);

  let now = null;
  const given = () => ({ ...now, comment: comment.value });
  const put = (part) => change({ ...given(), ...part });
  const short = (answer) => answer.label?.replaceAll("_", " ") ?? "marked";
  const status = (kept) => {
    const counts = complete() ? `✓ ${short(now)}` : "to do";
    state.textContent = kept ? `${counts} · not taken: ${short(kept)} (the campaign is closed)` : counts;
    root.classList.toggle("answered", Boolean(complete()));
    if (kept) note.textContent = `Kept in this browser, and not taken: ${short(kept)}${kept.comment && `, “${visible(kept.comment)}”`}`;
    else if (complete() || !comment.value) note.textContent = "";
  };
  const complete = () => now && (now.label != null || now.marking);
  comment.addEventListener("input", () => {
    if (complete()) change(given(), SLOW);
    else {
      draft(comment.value);
      note.textContent = comment.value ? "Kept here; it is saved together with your answer." : "";
    }
  });

  const marks = box.labels.length ? null : marking(unit, text, root, (made) => put({ marking: made }));
  let closed = null; // what a closed campaign did not take
  // Chosen again, it is no new answer.
  const pick = (label) => (closed ?? now)?.label === label || put({ label });
  let statements = [];
  if (!marks) {
    const kind = asked ? { kind: "statement asked" } : { kind: "statement", tag: "span" };
    paint(text, unit.text, unit.sentences.map(([start, end]) => ({ start, end, ...kind })));
    statements = Array.from(text.querySelectorAll(".statement"));
    statements.forEach((statement, n) =>
      statement.addEventListener("click", () => document.getSelection()?.isCollapsed !== false && trace(n)),
    );
  }
  root.append(aside, field, note);

  // Shows the answer that counts, and one that is kept but not taken; a comment that is being typed
  // stays. `beside` is what is told of the unit once it is rated.
  const show = (answer, waiting = "", kept = null, beside = "") => {
    aside.textContent = beside;
    aside.hidden = !beside;
    now = answer ? { ...answer } : null;
    closed = kept;
    if (now) delete now.comment;
    if (document.activeElement !== comment) comment.value = answer?.comment ?? waiting;
    comment.rows = Math.min(6, 1 + Math.floor(comment.value.length / 50));
    if (marks) marks.show(now?.marking ?? null);
    status(kept);
  };
  // Where the source likely says what a sentence of it says.
  const hints = unit.sentences.map(([, , places]) => places);
  return { root, text, show, pick, name, letter: name.at(-1), statements, hints, comment, keys: marks?.keys ?? {} };
};
