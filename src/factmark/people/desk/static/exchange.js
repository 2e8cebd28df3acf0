// What comes from the server: the list, the answers of other tabs and devices, and the next document.
import { desk, dispatch, remember, say, set } from "./desk.js";
import { go, open, showGuidelines } from "./pages.js";
import { keepPlace } from "./source.js";
import { isOpen, unitsOf } from "./state.js";
import { besides } from "./words.js";

const SHUT = "This box is closed to this browser. Open the newest link that you were sent; what is not saved is kept here.";
const EMPTY = "There is nothing on your list.";
const WAIT = 15000; // milliseconds

// Answers as the server knows them, with what is on its way laid over them.
const merge = (answers) => {
  const { clock, outbox } = desk;
  const pending = outbox.pending();
  for (const [key, { seconds }] of Object.entries(answers)) clock.learn(key, seconds);
  for (const { key, seconds } of pending) clock.learn(key, seconds);
  dispatch("told", { answers, pending, closed: outbox.closed });
  remember();
};
// What a rated unit is told comes with the reply to its rating, and is read out then; with what
// others changed meanwhile.
export const replied = ({ notes = {}, answers = {} }) => {
  const { state } = desk;
  const fresh = unitsOf(state).find(({ key }) => notes[key] && !state.notes[key]);
  set({ notes });
  merge({ ...state.answers, ...answers });
  if (fresh) say(besides(desk.state, fresh));
};

// The list as it is now. What is open stays open, if it is still on the list.
export const relist = (box) => {
  if (!box?.documents) return;
  const { state } = desk;
  const keysOf = (one) => one?.units.map(({ key }) => key).join();
  const at = box.documents.findIndex((one) => keysOf(one) === keysOf(state.box.documents[state.number]));
  const number = Math.max(0, Math.min(at < 0 ? state.number : at, box.documents.length - 1));
  if (at < 0) keepPlace();
  const keys = at < 0 ? [] : state.keys; // of what is open no more
  set({ box, number, keys, notes: box.notes, notice: box.documents.length || box.queue ? state.notice : EMPTY });
  desk.outbox.know(box);
  merge(box.answers);
  if (!box.documents.length) showGuidelines();
  else if (at < 0 && state.page === "work") {
    open(number, false);
    set({ notice: "Your list was dealt again: what was open here, or a part of it, is on another list now." });
  }
};

// The next document of the queue, once all that is answered here is saved.
let drawing = false;
export const draw = async () => {
  if (drawing) return;
  drawing = true;
  const { outbox } = desk;
  try {
    for (let n = 0; n < 20 && outbox.pending().length; n += 1) {
      await outbox.flush();
      if (outbox.pending().length) await new Promise((then) => setTimeout(then, 250));
    }
    const headers = { "X-Factmark-Request": outbox.token };
    const response = await fetch("next", { method: "POST", headers, signal: AbortSignal.timeout(WAIT) });
    const box = await response.json();
    if (!response.ok || !box.documents) throw new Error(box.error);
    relist(box);
    const next = box.documents.findIndex((one) => isOpen(desk.state, one));
    if (next >= 0) go(next);
    else say("Nothing in the queue waits for you.");
  } catch {
    outbox.tell("unsaved", "The next document cannot be had at the moment. Try again.");
  }
  drawing = false;
};

// The newest from the server: another tab or device may have changed it.
export const refresh = async () => {
  const { outbox } = desk;
  try {
    const { settled } = outbox;
    const response = await fetch("answers", { signal: AbortSignal.timeout(WAIT) });
    if (response.status === 403) set({ notice: SHUT });
    if (!response.ok) return undefined;
    const given = await response.json();
    if (outbox.settled !== settled) return refresh(); // it may not tell yet of what was just saved
    if ((outbox.closed && !given.closed) || desk.state.notice === SHUT) set({ notice: "" });
    outbox.know(given);
    if (given.list !== desk.state.box.list) relist(await (await fetch("tasks", { signal: AbortSignal.timeout(WAIT) })).json());
    else {
      set({ notes: given.notes, box: { ...desk.state.box, queue: given.queue } });
      merge(given.answers);
    }
    if (!given.closed) outbox.later(0);
  } catch {
    outbox.later(0); // tells that there is no connection, if something waits
  }
  return undefined;
};
