// One unit as a fieldset: its text, sentence by sentence, and a comment; marks where it has no label.
import { make } from "./dom.js";
import { buildEvidence } from "./evidence.js";
import { marking } from "./marks.js";
import { paint, selected, slice, visible } from "./text.js";

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

// What was changed elsewhere as well: both are shown, and `decide(fields)` is called with what is to
// be changed now; null where the other stands.
const words = (value) => (value ? `“${visible(value)}”` : "nothing");
const count = (places) => `${places?.length ?? 0} places`;
const buildClash = (decide) => {
  const root = make("div", { className: "elsewhere", hidden: true });
  root.setAttribute("role", "alert");
  const button = (label, act) => {
    const built = make("button", { type: "button", textContent: label });
    built.addEventListener("click", act);
    return built;
  };
  return {
    root,
    show(answer, clash) {
      root.hidden = !clash;
      if (!clash) return root.replaceChildren();
      const lines = Object.entries(clash).map(([field, mine]) => {
        const both = {
          label: ["Changed", answer?.label, mine],
          comment: ["Its comment was changed", words(answer?.comment), words(mine)],
          evidence: ["The places that decided it were changed", count(answer?.evidence), count(mine)],
        };
        const [what, theirs, here] = both[field] ?? ["Its marks were changed", "what is shown", "other marks"];
        const verb = field === "label" ? "chose" : "wrote";
        const mark = field === "marking" || field === "evidence";
        return make("p", { textContent: `${what} elsewhere to ${theirs}; here you ${mark ? "have" : verb} ${here}.` });
      });
      const only = Object.keys(clash).length === 1 && clash.label;
      const keep = button(only ? `Keep ${answer?.label}` : "Keep that", () => decide(null));
      const take = button(only ? `Take ${clash.label}` : "Take what is from here", () => decide(clash));
      return root.replaceChildren(...lines, keep, take);
    },
  };
};

// `change(fields, hold)` is called with the fields that are changed, shows what came of it, and tells
// whether it counts; `draft(comment)` is called with a comment that waits for an answer; `trace(n)`
// with the sentence of its text that was clicked; `decide(fields)` as above; `places(evidence)` with
// the places that decided it, whether it is rated or not.
export const buildUnit = (box, unit, name, { change, draft, trace, decide, places }) => {
  const root = make("fieldset", { className: "unit", tabIndex: -1 });
  const legend = make("legend", {});
  const title = make("span", { textContent: name });
  const state = make("span", { className: "done" });
  const aim = make("span", { className: "aim" });
  legend.append(title, " ", state, aim);
  const clash = buildClash(decide);
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
  // The first answer takes the comment along that waits for it.
  const put = (part) => change(complete() || !comment.value ? part : { ...part, comment: comment.value });
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
    if (complete()) change({ comment: comment.value }, SLOW);
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
  let map = [];
  if (!marks) {
    const kind = asked ? { kind: "statement asked" } : { kind: "statement", tag: "span" };
    map = paint(text, unit.text, unit.sentences.map(([start, end]) => ({ start, end, ...kind })));
    statements = Array.from(text.querySelectorAll(".statement"));
    statements.forEach((statement, n) =>
      statement.addEventListener("click", () => document.getSelection()?.isCollapsed !== false && trace(n)),
    );
  }
  const decided = buildEvidence(unit, () => places([]));
  root.append(clash.root, decided.root, aside, field, note);

  // Shows the answer that counts, and one that is kept but not taken; a comment that is being typed
  // stays. `beside` is what is told of the unit once it is rated.
  const show = (answer, waiting = "", kept = null, beside = "", other = null, evidence = [], source = "") => {
    clash.show(answer, other);
    aside.textContent = beside;
    aside.hidden = !beside;
    now = answer ? { ...answer } : null;
    closed = kept;
    if (now) delete now.comment;
    decided.show(evidence, source, !complete());
    if (document.activeElement !== comment) comment.value = answer?.comment ?? waiting;
    comment.rows = Math.min(6, 1 + Math.floor(comment.value.length / 50));
    if (marks) marks.show(now?.marking ?? null);
    status(kept);
  };
  // The frame: whether a digit would go here, and what it would do.
  const frame = (on, hint) => {
    root.classList.toggle("current", on);
    if (on) root.setAttribute("aria-current", "true");
    else root.removeAttribute("aria-current");
    aim.textContent = on && hint ? ` · ${hint}` : "";
  };
  // Where the source likely says what a sentence of it says.
  const hints = unit.sentences.map(([, , places]) => places);
  const chosen = () => (marks ? null : selected(text, map, unit.text));
  return { root, text, show, frame, pick, chosen, name, letter: name.at(-1), statements, hints, comment, keys: marks?.keys ?? {} };
};
