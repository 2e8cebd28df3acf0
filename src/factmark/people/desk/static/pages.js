// From page to page: guidelines, document by document, and the next that is to do.
import { desk, dispatch, remember, say, set, warn } from "./desk.js";
import { part } from "./dom.js";
import { draw } from "./exchange.js";
import { keepPlace, toPlace } from "./source.js";
import { HALF, due, isOpen, opened, sourceOf, unitsOf, waits } from "./state.js";
import { low, reveal, rootOf, scrollBack, share, textOf } from "./view.js";
import { letterOf, recalibrate, whereOf } from "./words.js";
import { forgetLeft, look, pace, setCurrent, showPart, toText } from "./work.js";

export const open = (place, keep = true) => {
  const { documents } = desk.state.box;
  keepPlace();
  showPart("units");
  const number = Math.max(0, Math.min(place, documents.length - 1));
  dispatch("opened", { number });
  desk.store.set("place", number);
  if (keep && history.state?.number !== number) history.pushState({ number }, "");
  desk.clock.open(number, sourceOf(desk.state).id);
  pace();
  arrive();
};
// At the unit that is due; the source where it was left.
const arrive = () => {
  const { target } = desk.state;
  forgetLeft();
  scrollTo(0, 0);
  scrollBack(part("units"), 0);
  toPlace();
  if (target > 0 || low() || share(textOf(target), part("units")) < HALF) reveal(rootOf(target), part("units"));
  toText();
  look();
  say(whereOf(desk.state));
};
export const go = (to) => to >= 0 && to < desk.state.box.documents.length && open(to);
export const turnPage = (by) => go(desk.state.number + by);

// The next that is to do: below on this page, on the following ones, then above; then what waits to
// be looked over.
export const openNext = () => {
  const { state } = desk;
  const { documents, queue } = state.box;
  const here = due(state);
  const below = here.find((place) => place > state.target);
  if (below !== undefined) return setCurrent(below);
  const others = documents.map((_, step) => (state.number + step) % documents.length).slice(1);
  const next = others.find((at) => isOpen(state, documents[at]));
  if (next !== undefined) return go(next);
  if (here.length) return setCurrent(here[0]);
  const over = documents.findIndex((one) => waits(state, one));
  if (over < 0) return queue ? draw() : null;
  if (over !== state.number) go(over);
  return askOnce();
};
// After the last unit its page's ratings are looked over, once, before the next page; what is not
// rated is not passed.
export const goOn = () => {
  const { state } = desk;
  if (state.target + 1 < state.keys.length) return setCurrent(state.target + 1);
  const open = due(state);
  if (!open.length) return waits(state, opened(state)) ? askOnce() : onward();
  setCurrent(open[0]);
  const names = state.keys.length > 1 ? open.map((place) => letterOf(state, place)).join(", ") : `this ${state.box.noun}`;
  return warn(`Not rated yet: ${names}. (n passes it.)`);
};
const onward = () => {
  const { state } = desk;
  const { documents, queue } = state.box;
  if (state.number + 1 < documents.length) go(state.number + 1);
  else if (queue && !documents.some((one) => isOpen(state, one))) draw();
  else toText();
};
const askOnce = () => {
  part("stand").focus();
  say(`${recalibrate(desk.state)} Enter: they stand.`);
};
export const stand = () => {
  remember({ [`q/${unitsOf(desk.state)[0].key}`]: null });
  onward();
};

export const showGuidelines = () => {
  keepPlace();
  set({ page: "guidelines" });
  scrollTo(0, 0);
  part("guidelines").focus({ preventScroll: true });
};
