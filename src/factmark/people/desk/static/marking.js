// The form of facts: marks in an answer, elements of the ground truth, its verdict.
import { change } from "./work.js";
import { desk, set } from "./desk.js";
import { Control, html } from "./dom.js";
import { unitsOf } from "./state.js";
import { find, selected, slice, unselect, visible } from "./text.js";
import { rootOf } from "./view.js";

const EMPTY = { grounded: [], ungrounded: [], covered: [], verdict: null, absence: false };
const NAMES = { grounded: "grounded", ungrounded: "not grounded" };
const KINDS = Object.keys(NAMES);
const CLOSED = "Not taken: the campaign is closed.";

export const spansOf = (marking) => {
  const spans = KINDS.flatMap((kind) => (marking ?? EMPTY)[kind].map(([start, end]) => ({ start, end, class: kind, title: NAMES[kind] })));
  return spans.sort((one, other) => one.start - other.start);
};

// Changes the marking of a unit, and says what came of it.
const put = (place, marking, message = "") => {
  const counts = change(place, { marking });
  set({ marking: { message: !counts && message ? CLOSED : message } });
  return counts;
};

// Marks what is typed, or else what is selected in the text.
export const markAs = (place, kind) => {
  const unit = unitsOf(desk.state)[place];
  const root = rootOf(place);
  const input = root.querySelector(".words");
  const typed = input.value.trim();
  const now = desk.state.answers[unit.key]?.answer.marking ?? EMPTY;
  const taken = [...now.grounded, ...now.ungrounded];
  const span = typed ? find(unit.text, typed, taken) : selected(root.querySelector(".judged"), unit.text);
  const over = span && taken.find((other) => other[0] < span[1] && span[0] < other[1]);
  if (over) return set({ marking: { message: `It overlaps “${visible(slice(unit.text, ...over))}”; remove that first.` } });
  if (!span && typed) return set({ marking: { message: "The answer has no such words, or they are marked already." } });
  if (!span) return set({ marking: { message: "Select words of the answer first, or type them." } });
  input.value = "";
  unselect();
  const spans = [...now[kind], span].sort((one, other) => one[0] - other[0]);
  return put(place, { ...now, [kind]: spans }, `Marked as ${NAMES[kind]}: “${visible(slice(unit.text, ...span))}”`);
};

const Marks = ({ unit, place, now }) => {
  const item = (kind) => (span) => {
    const quote = visible(slice(unit.text, ...span));
    const remove = () => {
      put(place, { ...now, [kind]: now[kind].filter((one) => one !== span) }, `Removed: “${quote}”`);
      rootOf(place).focus({ preventScroll: true });
    };
    return html`<li><b>${NAMES[kind]}</b> “${quote}” <${Control} class="button" act=${remove} aria-label="Remove the mark on “${quote}”">Remove<//></li>`;
  };
  return html`<ul class="marks">${KINDS.map((kind) => now[kind].map(item(kind)))}</ul>`;
};

export const Marking = ({ state, unit, place, marking }) => {
  const now = marking ?? EMPTY;
  const { elements } = unit;
  const lacks = elements.length && now.grounded.length && !now.covered.length;
  const button = (kind, key) => html`<${Control} class="button" act=${() => markAs(place, kind)}
    onpointerdown=${(event) => event.preventDefault()}>${NAMES[kind]} (${key})<//>`;
  const choice = (shown, pressed, changed, about = "") => html`<${Control} class="choice ${about}" aria-pressed=${pressed}
    act=${() => changed && put(place, { ...now, ...changed })}>${shown}<//>`;
  const ticked = (element) => elements.filter((one) => (one === element) !== now.covered.includes(one));
  const verdict = (value) => {
    const pressed = Boolean(marking) && now.verdict === value;
    return choice(value ?? "none", pressed, pressed ? null : { verdict: value });
  };
  const done = () => {
    const words = marking ? "Noted already: what is marked here counts." : "Noted: nothing more to mark.";
    set({ marking: { ended: marking || put(place, now) ? words : CLOSED } });
  };
  const typed = (event) => event.key === "Enter" && markAs(place, event.shiftKey ? "ungrounded" : "grounded");
  return html`<div class="marking">
    <div class="row">
      <label class="field">Select words above, or type them<input type="text" class="words" autocomplete="off" onkeydown=${typed} /></label>
      ${button("grounded", "g")}${button("ungrounded", "u")}</div>
    <p class="hint" role="status">${state.marking.message}</p>
    <${Marks} ...${{ unit, place, now }} />
    <fieldset class="choices elements" hidden=${!elements.length}><legend>The answer states these of the ground truth</legend>
      ${elements.map((one) => choice(visible(one), now.covered.includes(one), { covered: ticked(one) }))}</fieldset>
    <p class="hint lacking" role="status">${lacks ? "Marked as grounded, but no element is ticked." : ""}</p>
    <fieldset class="choices"><legend>Its verdict</legend>${["yes", "no", null].map(verdict)}</fieldset>
    ${choice("The answer reports that there is nothing", now.absence, { absence: !now.absence }, "about")}
    <div class="row end"><${Control} class="button" act=${done}>Nothing more to mark<//>
      <p class="hint" role="status">${state.marking.ended}</p></div>
  </div>`;
};
