// What an annotator does on the open document: rate, change, mark, and go from unit to unit.
import { desk, dispatch, remember, say, set, warn } from "./desk.js";
import { part } from "./dom.js";
import { digit, evidenceOf, isDone, isOpen, isSeen, opened, unitsOf } from "./state.js";
import { keepPlace, markSource, toPlace } from "./source.js";
import { selected, unselect } from "./text.js";
import { reveal, rootOf, share, textOf, wide } from "./view.js";
import { chooserOf, nameOf, plain, recalibrate } from "./words.js";

export const measure = () => unitsOf(desk.state).map((_, place) => share(textOf(place), part("units")));
export const look = () => dispatch("seen", { seen: measure() });

// -- answers

export const put = (key, fields, hold) => {
  const { state, outbox, clock } = desk;
  const shown = (outbox.closed && state.kept[key]) || state.answers[key];
  const sent = outbox.put(key, fields, shown?.id, clock.take(key), hold);
  dispatch("changed", { key, fields, closed: outbox.closed, ...sent });
};
// Changes fields of a unit's answer; tells whether it counts. The first answer takes along what waits
// for it.
export const change = (place, given, hold) => {
  const unit = unitsOf(desk.state)[place];
  const shown = opened(desk.state);
  const wasOpen = isOpen(desk.state, shown);
  const { [`e/${unit.key}`]: evidence, [`d/${unit.key}`]: comment } = desk.state.here;
  const fields = { ...given };
  if (!isDone(desk.state, unit)) {
    if (evidence) fields.evidence = evidence;
    if (comment) fields.comment = comment;
  }
  put(unit.key, fields, hold);
  const { closed } = desk.outbox;
  const whole = wasOpen && shown.units.length > 1 && !isOpen(desk.state, shown);
  remember({
    ...(closed ? {} : { [`d/${unit.key}`]: null, [`e/${unit.key}`]: null }),
    ...(whole ? { [`q/${shown.units[0].key}`]: true } : {}),
  });
  pace();
  return !closed;
};
// What was changed elsewhere too is decided: by what stands there, or by what was wanted here.
export const decide = (place, fields) => {
  remember({ [`x/${unitsOf(desk.state)[place].key}`]: null });
  if (fields) change(place, fields);
  if (!desk.outbox.pending().length) desk.outbox.tell("saved", "Saved");
  rootOf(place).focus({ preventScroll: true });
};
const SLOW = 1000; // milliseconds after the last key of a comment
export const comment = (unit, words) => {
  typing(unit, words);
  if (isDone(desk.state, unit)) change(unitsOf(desk.state).indexOf(unit), { comment: words }, SLOW);
  else remember({ [`d/${unit.key}`]: words });
};
export const typing = (unit, words) => set({ typing: unit && { key: unit.key, words } });

// -- the places that decided a rating

export const keepEvidence = (place, evidence) => {
  const unit = unitsOf(desk.state)[place];
  if (isDone(desk.state, unit)) change(place, { evidence });
  else remember({ [`e/${unit.key}`]: evidence });
};
const meets = (one, other) => one[0] === other[0] && one[1] < other[2] && other[1] < one[2];
const inOrder = (one, other) => (one[0] === other[0] ? one[1] - other[1] : one[0] < other[0] ? -1 : 1);
// One stretch more; one that is there already goes.
const decidedBy = (place, stretch) => {
  const evidence = evidenceOf(desk.state, unitsOf(desk.state)[place].key);
  const rest = evidence.filter((one) => !meets(one, stretch));
  const same = evidence.some((one) => one.join() === stretch.join());
  keepEvidence(place, same ? rest : [...rest, stretch].sort(inOrder));
};
// Words of a rated text, or of the source: there they are marked for the annotator as well.
export const mark = () => {
  const { state } = desk;
  const rates = state.box.labels.length > 0;
  const spans = unitsOf(state).map((unit, place) => rates && selected(textOf(place), unit.text));
  const place = spans.findIndex(Boolean);
  if (place >= 0) {
    decidedBy(place, ["text", ...spans[place]]);
    unselect();
    return say(`${nameOf(state, place)}: marked as what decides it.`);
  }
  const span = markSource();
  if (span && rates) decidedBy(state.last ?? state.target, ["source", ...span]);
};

// -- what a digit rates bears the frame before it is typed

// Makes a unit the target: in view where `show`, and with the focus.
let quiet = false; // while the page itself moves the focus
export const focusOn = (element) => {
  quiet = true;
  element?.focus({ preventScroll: true });
  quiet = false;
};
export const setCurrent = (place, { show = true, focus = show, armed = false } = {}) => {
  const to = Math.max(0, Math.min(place, desk.state.keys.length - 1));
  dispatch("chosen", { place: to, armed });
  if (!show) return;
  showPart("units");
  reveal(rootOf(to), part("units"));
  if (focus) toText();
  look();
};
export const turn = (place, how) => quiet || setCurrent(place, how);
export const aim = (place) => quiet || place === desk.state.target || setCurrent(place, { show: false });
// With the target the focus goes on, where a unit has it.
export const keepFocus = () => {
  const held = desk.state.keys.findIndex((_, place) => rootOf(place) === document.activeElement);
  if (held >= 0 && held !== desk.state.target) focusOn(rootOf(desk.state.target));
};
// Scroll keys act on the part that has the focus: the units, or the source where only that is
// longer than its place.
export const longer = () => {
  const long = (id) => part(id).scrollHeight > part(id).clientHeight;
  return long("source") && !long("units") ? part("source") : rootOf(desk.state.target);
};
export const toText = () => focusOn(longer());

// Where one part is shown at a time, each comes back as it was left; the wide layout shows the source.
let left = 0; // of the units
export const showPart = (which) => {
  const { state } = desk;
  if (wide()) return which === "source" && state.alone && alone();
  if (state.part === which) return;
  if (which === "source") left = scrollY;
  else keepPlace();
  set({ part: which });
  if (which === "source") toPlace();
  else scrollTo(0, left);
};
export const forgetLeft = () => {
  left = 0;
};
// The units alone, side by side, and back; the source is hidden meanwhile.
export const alone = () => {
  if (!wide()) return;
  keepPlace();
  set({ alone: !desk.state.alone });
  toPlace();
  reveal(rootOf(desk.state.target), part("units"));
  toText();
  look();
};

// A click or a key on what is not in view brings it there, and rates nothing.
export const choose = (place, label) => {
  dispatch("measured", { seen: measure() });
  const { state } = desk;
  const unit = unitsOf(state)[place];
  const name = nameOf(state, place);
  if (!isSeen(state, place)) {
    setCurrent(place, { focus: !part("strip").contains(document.activeElement), armed: state.armed });
    return warn(`Nothing was rated: ${name} is in view now.`);
  }
  set({ warning: "" });
  const before = (state.kept[unit.key] ?? state.answers[unit.key])?.answer.label;
  const taken = before === label || change(place, { label }); // chosen again, it is no new answer
  dispatch("rated", { place });
  keepFocus();
  if (!taken) return say("Not taken: the campaign is closed.");
  const { target } = desk.state;
  askWhere(unit, name, label);
  const next = target === place ? "" : ` Next: ${nameOf(state, target)}.`;
  return say(`${name}: ${plain(label)}.${next} ${recalibrate(desk.state)}`.trim());
};
// A low rating asks for its place, once.
const askWhere = ({ key }, name, label) => {
  const { box, here } = desk.state;
  const asked = `a/${key}`;
  if (!box.labels.find((one) => one.label === label).low || evidenceOf(desk.state, key).length || here[asked]) return;
  remember({ [asked]: true });
  warn(`${name}: where? Select the words in it or in the source and press m; it can also stay unmarked.`);
};
export const typed = (label) => {
  dispatch("measured", { seen: measure() });
  const { state } = desk;
  const { target } = state;
  if (digit(state) !== "rated") return choose(target, label);
  const { answer } = state.answers[state.keys[target]];
  return warn(`Nothing was rated: ${nameOf(state, target)} has ${plain(answer.label)}. To change it: ${chooserOf(target)}.`);
};

// The steps of the work on a source, with the minutes so far.
export const pace = () => {
  const { state, clock } = desk;
  const shown = opened(state);
  if (!state.box.pace.length || state.page !== "work" || !shown) return;
  const about = state.box.documents.filter(({ source }) => source === shown.source).flatMap(({ units }) => units);
  let step = 0;
  if (about.some((unit) => isDone(state, unit))) step = shown.units.length > 1 && !isOpen(state, shown) ? 2 : 1;
  clock.tick();
  clock.step = Math.min(step, state.box.pace.length - 1);
  set({ steps: Array.from(state.box.pace, (_, n) => Math.floor((clock.steps[n] ?? 0) / 60)), step: clock.step });
};
