// What the page works with: the one state and what it is shown by, this browser's store, the way to
// the server, the clock. Whatever happens is dispatched here.
import { part } from "./dom.js";
import { START, reduce } from "./state.js";

export const desk = { state: START, store: null, outbox: null, clock: null, show: () => {} };

// What is shown may itself move the focus, and so dispatch: then it is shown once more.
let showing = false;
let again = false;
export const dispatch = (type, event = {}) => {
  desk.state = reduce(desk.state, { type, ...event });
  again = true;
  if (showing) return;
  showing = true;
  try {
    while (again) {
      again = false;
      desk.show(desk.state);
    }
  } finally {
    showing = false;
  }
};
export const set = (fields) => dispatch("set", fields);

// Opens a dialog; what it lists is shown while it is open.
export const openDialog = (dialog) => {
  set({ dialog });
  part(dialog).showModal();
};

// For a screen reader.
export const say = (words) => {
  part("said").textContent = words;
};
// Over the ratings, until something is done; it is said as well.
export const warn = (warning) => {
  set({ warning });
  say(warning);
};

// Keeps things in this browser: name -> value, null where it goes.
export const remember = (changes = {}) => {
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) desk.store.remove(name);
    else desk.store.set(name, value);
  }
  const names = ["d/", "e/", "a/", "q/", "x/", "m/"].flatMap((kind) => desk.store.names(kind));
  set({ here: Object.fromEntries(names.map((name) => [name, desk.store.get(name)])) });
};
