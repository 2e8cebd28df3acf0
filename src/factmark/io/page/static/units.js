// One unit as a fieldset: its text, what may be answered, a comment.
import { choice, make } from "./dom.js";
import { marking } from "./marks.js";
import { paint, slice, visible } from "./text.js";

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const SLOW = 1000; // milliseconds after the last key, of a comment and of a choice by arrow keys

export const nameOf = (box, count, place) => {
  const noun = box.noun[0].toUpperCase() + box.noun.slice(1);
  return count > 1 ? `${noun} ${LETTERS[place]}` : noun;
};

// `change(answer, hold)` is called with each whole answer, shows what came of it, and tells whether
// it counts; `draft(comment)` is called with a comment that waits for an answer.
export const buildUnit = (box, unit, name, { change, draft }) => {
  const root = make("fieldset", { className: "unit" });
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
  const put = (part, hold = 0) => change({ ...given(), ...part }, hold);
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
  const radios = new Map();
  let pick = () => {};
  if (!marks) {
    paint(text, unit.text, asked ? [{ start: asked[0], end: asked[1], kind: "asked" }] : []);
    const row = make("div", { className: "rating", role: "radiogroup" });
    row.setAttribute("aria-label", `${name}: ${box.question}`);
    const brief = box.labels.every(({ label }) => label.length === 1);
    const meaning = make("p", { className: "hint meaning" });
    meaning.setAttribute("aria-hidden", "true");
    let pointed = null; // the label under the pointer
    const told = () => {
      const focused = Array.from(radios.values()).find((radio) => radio.matches(":focus"))?.value;
      const label = pointed ?? focused ?? now?.label;
      const at = box.labels.find((one) => one.label === label);
      const [first, last] = [box.labels[0], box.labels[box.labels.length - 1]];
      if (!at) meaning.textContent = `${first.label}: ${first.meaning} … ${last.label}: ${last.meaning}`;
      else if (label === now?.label) meaning.textContent = `Your answer, ${label}: ${at.meaning}`;
      else meaning.textContent = `${label} would mean: ${at.meaning}`;
    };
    const point = (label) => {
      pointed = label;
      told();
    };
    let arrows = false;
    row.classList.toggle("short", brief);
    for (const one of box.labels) {
      const radio = make("input", { type: "radio", name: `answer-${unit.key}`, value: one.label });
      const shown = make("span", { className: "label", textContent: one.label.replaceAll("_", " ") });
      const means = make("span", { className: brief ? "unseen" : "means", textContent: brief ? `: ${one.meaning}` : one.meaning });
      const label = choice(radio, shown, means);
      if (!brief) shown.prepend(make("kbd", { textContent: one.key }), " ");
      radio.addEventListener("change", () => put({ label: one.label }, arrows ? SLOW : 0));
      label.addEventListener("pointerenter", () => point(one.label));
      label.addEventListener("pointerleave", () => point(null));
      radio.addEventListener("focus", told);
      radio.addEventListener("blur", told);
      radios.set(one.label, radio);
      row.append(label);
    }
    row.addEventListener("keydown", (event) => (arrows = event.key.startsWith("Arrow")));
    row.addEventListener("pointerdown", () => (arrows = false));
    const dock = make("div", { className: "dock" });
    dock.append(row);
    if (brief) dock.append(meaning);
    root.append(dock);
    pick = (label) => put({ label });
    root.told = told;
  }
  root.append(field, note);

  // Shows the answer that counts, and one that is kept but not taken; a comment that is being typed
  // stays.
  const show = (answer, waiting = "", kept = null) => {
    now = answer ? { ...answer } : null;
    if (now) delete now.comment;
    if (document.activeElement !== comment) comment.value = answer?.comment ?? waiting;
    comment.rows = Math.min(6, 1 + Math.floor(comment.value.length / 50));
    for (const [label, radio] of radios) radio.checked = now?.label === label;
    if (marks) marks.show(now?.marking ?? null);
    root.told?.();
    status(kept);
  };
  const focus = () => {
    const at = radios.get(now?.label) ?? radios.values().next().value ?? root.querySelector(".words");
    at.focus({ preventScroll: true });
    root.scrollIntoView({ block: "nearest" });
  };
  return { root, show, pick, focus, name, keys: marks?.keys ?? {} };
};
