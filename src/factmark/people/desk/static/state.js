// All that the page knows of the work, and how it changes: the one place where it is decided which
// unit a digit rates. Pure: a state and an event in, the next state out.
//
//   answers   key -> {id, answer, at}: the newest that is known, sent or not
//   kept      key -> {id, answer, at}: the newest that a closed campaign did not take
//   notes     key -> what is told of a unit once it is rated
//   keys      of the units of the open document, in their order
//   seen      how much of each is in view, from 0 to 1
//   target    of them: the one that a digit rates; it bears the frame
//   armed     whether it was chosen by its letter, so that its rating may be changed by a digit
//   last      the one that was rated last, while nothing else was chosen: a comment is about it

export const HALF = 0.5; // of what could be seen of a text: so much is in view

export const START = { answers: {}, kept: {}, notes: {}, keys: [], seen: [], target: 0, armed: false, last: null };

export const isRated = (state, place) => Boolean(state.answers[state.keys[place]]);
export const isSeen = (state, place) => (state.seen[place] ?? 0) >= HALF;
export const due = (state) => state.keys.map((_, place) => place).filter((place) => !isRated(state, place));

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
  noted: (state, { notes }) => ({ ...state, notes }),

  opened(state, { keys }) {
    const next = { ...state, keys, seen: [], armed: false, last: null };
    return { ...next, target: Math.max(0, due(next)[0] ?? 0) };
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
  chosen: (state, { place, armed = false }) => ({ ...state, target: place, armed, last: null }),
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
