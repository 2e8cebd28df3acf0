// What each key does.
import { desk, dispatch, openDialog } from "./desk.js";
import { part } from "./dom.js";
import { markAs } from "./marking.js";
import { goOn, openNext, turnPage } from "./pages.js";
import { nextHint, turnSentence } from "./source.js";
import { rootOf, scrollByKey, wide } from "./view.js";
import { choosers } from "./words.js";
import { alone, focusOn, longer, mark, setCurrent, showPart, toText, typed } from "./work.js";

const find = () => {
  showPart("source");
  part("find").focus();
  part("find").select();
};
const comment = () => {
  showPart("units");
  focusOn(rootOf(desk.state.last ?? desk.state.target).querySelector("textarea"));
};
const workKeys = (state, at) => {
  const { target } = state;
  const { labels } = state.box;
  const keys = {
    n: () => turnPage(1),
    p: () => turnPage(-1),
    ArrowRight: () => turnPage(1),
    ArrowLeft: () => turnPage(-1),
    t: openNext,
    j: () => setCurrent(target + 1),
    k: () => setCurrent(target - 1),
    w: comment,
    "/": find,
    m: mark,
  };
  if (!at.closest?.("button, a")) keys.Enter = goOn;
  if (state.keys.length > 1) {
    keys.v = alone;
    for (const [letter, place] of choosers(state)) keys[letter] = () => setCurrent(place, { armed: true });
  }
  for (const { key, label } of labels) keys[key] = () => typed(label);
  if (!labels.length) return { ...keys, g: () => markAs(target, "grounded"), u: () => markAs(target, "ungrounded") };
  return { ...keys, h: () => nextHint(target), s: () => turnSentence(target, 1), S: () => turnSentence(target, -1) };
};
const ONCE = ["Enter", "1", "2", "3", "4", "5", "0"]; // held down they act no second time

export const onKey = (event) => {
  const { state } = desk;
  const at = event.target;
  const working = state.page === "work";
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented) return;
  if (document.querySelector("dialog[open]")) return;
  if (at.closest?.("textarea, input")) {
    if (event.key !== "Escape" || !working) return;
    if (at.id !== "find") dispatch("left");
    toText();
    return;
  }
  // In the wide layout the strip and the bars scroll nothing by themselves.
  const still = wide() && working && !at.closest?.("#source, #units") && !(event.key === " " && at.closest?.("button, a"));
  if (still && !event.shiftKey && scrollByKey(event.key, longer().closest("#source, #units"))) {
    event.preventDefault();
    return;
  }
  if (desk.store.get("keys") === false) return;
  const act = { l: () => openDialog("list"), "?": () => openDialog("keys"), ...(working ? workKeys(state, at) : {}) };
  if (!Object.hasOwn(act, event.key)) return;
  event.preventDefault();
  if (!event.repeat || !ONCE.includes(event.key)) act[event.key]();
};
