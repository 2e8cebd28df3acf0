// One unit as a fieldset: its text, what may be answered, a comment.
import { control, make, press } from "./dom.js";
import { marking } from "./marks.js";
import { paint, slice, visible } from "./text.js";

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const SLOW = 1000; // milliseconds after the last key of a comment

export const nameOf = (box, count, place) => {
  const noun = box.noun[0].toUpperCase() + box.noun.slice(1);
  return count > 1 ? `${noun} ${LETTERS[place]}` : noun;
};

// `change(answer, hold)` is called with each whole answer, shows what came of it, and tells whether
// it counts; `draft(comment)` is called with a comment that waits for an answer.
export const buildUnit = (box, unit, name, { change, draft }) => {
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
  const choices = new Map();
  let closed = null; // what a closed campaign did not take
  // Chosen again, it is no new answer.
  const pick = (label) => (closed ?? now)?.label === label || put({ label });
  if (!marks) {
    paint(text, unit.text, asked ? [{ start: asked[0], end: asked[1], kind: "asked" }] : []);
    const row = make("div", { className: "rating", role: "group" });
    row.setAttribute("aria-label", `${name}: ${box.question}`);
    const brief = box.labels.every(({ label }) => label.length === 1);
    const meaning = make("p", { className: "hint meaning" });
    meaning.setAttribute("aria-hidden", "true");
    let pointed = null; // the label under the pointer
    const told = () => {
      const focused = box.labels.find((one) => choices.get(one.label)?.matches(":focus"))?.label;
      const label = pointed ?? focused ?? now?.label;
      const at = box.labels.find((one) => one.label === label);
      const [first, last] = [box.labels[0], box.labels[box.labels.length - 1]];
      if (!at) meaning.textContent = `${first.label}: ${first.meaning} … ${last.label}: ${last.meaning}`;
      else if (label === now?.label) meaning.textContent = `Your answer, ${label}: ${at.meaning}`;
      else if (label === pointed) meaning.textContent = `${label} would mean: ${at.meaning}`;
      else meaning.textContent = `Enter chooses ${label}: ${at.meaning}`;
    };
    const point = (label) => {
      pointed = label;
      told();
    };
    row.classList.toggle("short", brief);
    for (const one of box.labels) {
      const shown = make("span", { className: "label", textContent: one.label.replaceAll("_", " ") });
      const means = make("span", { className: brief ? "unseen" : "means", textContent: brief ? `: ${one.meaning}` : one.meaning });
      const choice = control("choice", () => pick(one.label), shown, means);
      if (!brief) shown.prepend(make("kbd", { textContent: one.key }), " ");
      choice.dataset.label = one.label;
      choice.addEventListener("pointerenter", () => point(one.label));
      choice.addEventListener("pointerleave", () => point(null));
      choice.addEventListener("focus", told);
      choice.addEventListener("blur", told);
      choices.set(one.label, choice);
      row.append(choice);
    }
    const dock = make("div", { className: "dock" });
    dock.append(row);
    if (brief) dock.append(meaning);
    root.append(dock);
    root.told = told;
  }
  root.append(field, note);

  // Shows the answer that counts, and one that is kept but not taken; a comment that is being typed
  // stays.
  const show = (answer, waiting = "", kept = null) => {
    now = answer ? { ...answer } : null;
    closed = kept;
    if (now) delete now.comment;
    if (document.activeElement !== comment) comment.value = answer?.comment ?? waiting;
    comment.rows = Math.min(6, 1 + Math.floor(comment.value.length / 50));
    for (const [label, choice] of choices) press(choice, now?.label === label);
    if (marks) marks.show(now?.marking ?? null);
    root.told?.();
    status(kept);
  };
  return { root, show, pick, name, keys: marks?.keys ?? {} };
};
