// All that the page knows of the work, how it changes, and what follows from it: the one place where
// it is decided which unit a digit rates. Pure: a state and an event in, the next state out.
//
//   box       the list as the server gave it: documents with their units, sources, labels
//   answers   key -> {id, answer, at}: the newest that is known, sent or not
//   kept      key -> {id, answer, at}: the newest that a closed campaign did not take
//   notes     key -> what is told of a unit once it is rated
//   here      name -> what is kept in this browser: d/ a comment that waits for its rating, e/ places
//             that do, x/ a clash, a/ asked for the place, q/ not looked over, m/ marks of a source
//   saving    {kind, words, closed, waiting}: how far the changes of this browser have come
//   page      "guidelines" or "work"; number: of the document that is open
//   part      "units" or "source", where one is shown at a time; alone: the units, side by side
//   keys      of the units of the open document, in their order
//   seen      how much of each is in view, from 0 to 1
//   target    of them: the one that a digit rates; it bears the frame
//   armed     whether it was chosen by its letter, so that its rating may be changed by a digit
//   last      the one that was rated last, while nothing else was chosen: a comment is about it
//   notice, warning, where    sentences on the page, over the strip, on the place in the source
//   typing    {key, words} of the comment that has the focus
//   pointed, focused    [place, label] of the rating under the pointer, or with the focus
//   traced    {place, sentence, step}: of which sentence a likely place was asked for
//   jumped    the sentence of the source that it led to; search {words, hits, at}
//   dialog    the one that is open; keysOff: whether keys of the page are off
//   steps     minutes of each step of the work on the source; step: the one that it is at
//   marking   {message, ended}: what came of the last mark, and of "nothing more to mark"

export const HALF = 0.5; // of what could be seen of a text: so much is in view

const NO_SEARCH = { words: "", hits: [], at: -1 };
export const START = {
  box: { documents: [], sources: [], labels: [], checks: [], pace: [] },
  ...{ answers: {}, kept: {}, notes: {}, here: {}, saving: { kind: "", words: "Loading …" } },
  ...{ page: "guidelines", number: 0, part: "units", alone: false },
  ...{ keys: [], seen: [], target: 0, armed: false, last: null },
  ...{ notice: "", warning: "", where: "", typing: null, pointed: null, focused: null },
  ...{ traced: null, jumped: null, search: NO_SEARCH, marking: {} },
  ...{ dialog: "", keysOff: false, steps: [], step: 0 },
};

export const isRated = (state, place) => Boolean(state.answers[state.keys[place]]);
export const isSeen = (state, place) => (state.seen[place] ?? 0) >= HALF;
export const due = (state) => state.keys.map((_, place) => place).filter((place) => !isRated(state, place));

export const opened = (state) => state.box.documents[state.number];
export const unitsOf = (state) => (state.keys.length ? (opened(state)?.units ?? []) : []);
export const sourceOf = (state) => state.box.sources[opened(state)?.source];
export const isDone = (state, unit) => Boolean(state.answers[unit.key]);
export const isOpen = (state, document) => document.units.some((unit) => !isDone(state, unit));
export const allUnits = ({ box }) => box.documents.flatMap(({ units }) => units);
// Rated whole in this browser, and not looked over since: it does not count as done before that.
export const waits = (state, document) =>
  document?.units.length > 1 && !isOpen(state, document) && Boolean(state.here[`q/${document.units[0].key}`]);
// The places that decided a rating go with it; before there is one they wait here.
export const evidenceOf = (state, key) => state.answers[key]?.answer.evidence ?? state.here[`e/${key}`] ?? [];
export const marksOf = (state, source) => {
  const kept = state.here[`m/${source.id}`];
  return Array.isArray(kept) ? kept : [];
};
export const finished = (state) => {
  const { documents, queue } = state.box;
  return documents.length > 0 && !queue && !documents.some((one) => isOpen(state, one) || waits(state, one));
};

// The next unit in view that is not rated, from the target on and round; none: -1.
const dueInView = (state) => {
  const { length } = state.keys;
  for (let step = 1; step <= length; step += 1) {
    const place = (state.target + step) % length;
    if (!isRated(state, place) && isSeen(state, place)) return place;
  }
  return -1;
};
const settle = (state) => {
  const next = dueInView(state);
  return next < 0 ? state : { ...state, target: next, armed: false };
};

// What arrives last counts, whatever clocks say; a closed campaign takes nothing, so there it is
// kept beside.
const change = (state, { id, key, fields, at, closed }) => {
  const before = (closed && state.kept[key]) || state.answers[key];
  const after = { id, answer: { comment: "", ...before?.answer, ...fields }, at };
  if (closed) return { ...state, kept: { ...state.kept, [key]: after } };
  return { ...state, answers: { ...state.answers, [key]: after } };
};

const events = {
  // What the server knows, with what is still on its way laid over it.
  told(state, { answers, pending, closed }) {
    const next = { ...state, answers: { ...answers }, kept: {} };
    return pending.reduce((before, { answer: fields, ...one }) => change(before, { ...one, fields, closed }), next);
  },
  changed: (state, event) => change(state, event),
  // Whatever is laid over the state as it is: a sentence, what is kept here, a part that is shown.
  set: (state, { type: _, ...fields }) => ({ ...state, ...fields }),
  opened(state, { number = state.number, keys = state.box.documents[number].units.map(({ key }) => key) }) {
    const other = sourceOf({ ...state, number }) !== sourceOf(state);
    const next = { ...state, page: "work", number, keys, seen: [], armed: false, last: null, traced: null, jumped: null, marking: {} };
    return { ...next, search: other ? NO_SEARCH : state.search, target: Math.max(0, due(next)[0] ?? 0) };
  },
  measured: (state, { seen }) => ({ ...state, seen }),
  // The wheel, a key, a window of another size. What is in view stays the target; what is rated
  // gives way to what is due.
  seen(state, { seen }) {
    const next = { ...state, seen };
    if (isSeen(next, next.target) && (!isRated(next, next.target) || next.armed || next.last === null)) return next;
    const settled = settle(next);
    if (settled !== next || isSeen(next, next.target)) return settled;
    return { ...next, target: seen.indexOf(Math.max(...seen)), armed: false, last: null };
  },
  // Pointed at, clicked, focused, or gone to; `armed` where it was chosen by its letter.
  chosen: (state, { place, armed = false }) => ({ ...state, target: place, armed, last: null, warning: "" }),
  rated: (state, { place }) => settle({ ...state, target: place, armed: false, last: place }),
  // A comment was left: what was chosen before it is not chosen any more.
  left(state) {
    const next = { ...state, armed: false };
    return isRated(next, next.target) ? settle({ ...next, last: next.target }) : next;
  },
};

export const reduce = (state, event) => events[event.type](state, event);

// What a digit does now: "rates" the target, "shows" it since it is out of view, or nothing since
// it is "rated" and was not chosen. A unit that stands alone needs no choosing.
export const digit = (state) => {
  if (!isSeen(state, state.target)) return "shows";
  return isRated(state, state.target) && !state.armed && state.keys.length > 1 ? "rated" : "rates";
};
