// The box: guidelines first, then document by document; every change goes through the outbox.
import { Clock } from "./clock.js";
import { desk, openDialog, remember, set } from "./desk.js";
import { part } from "./dom.js";
import { draw, refresh, relist, replied } from "./exchange.js";
import { onKey } from "./keyboard.js";
import { exportMarks, useKeys } from "./lists.js";
import { Outbox, Store } from "./outbox.js";
import { showOn } from "./page.js";
import { open, openNext, showGuidelines, stand, turnPage } from "./pages.js";
import { keepPlace, nextHint, nextHit, search, toHeading, toPlace, trace } from "./source.js";
import { allUnits, isDone } from "./state.js";
import { reveal, rootOf } from "./view.js";
import * as work from "./work.js";

const byPointer = (event) => event.detail && event.target.closest("[role=button]");
const writing = () => document.activeElement?.matches("textarea, input");
const several = () => desk.state.page === "work" && desk.state.keys.length > 1;
desk.show = showOn({
  ...work,
  ...{ stand, trace },
  alone: () => work.alone(),
  pressed: (event) => byPointer(event) && work.toText(),
  point: (pointed) => set({ pointed }),
  focused: (focused) => set({ focused }),
});

const clicks = {
  start: () => (desk.state.box.documents.length ? open(desk.state.number) : draw()),
  previous: () => turnPage(-1),
  next: () => turnPage(1),
  open: () => openNext(),
  beside: () => work.alone(),
  "to-list": () => openDialog("list"),
  "to-marks": () => openDialog("marks"),
  "to-keys": () => openDialog("keys"),
  "to-texts": () => openDialog("texts"),
  "to-guidelines": showGuidelines,
  "show-source": () => work.showPart("source"),
  "show-units": () => work.showPart("units"),
  hint: () => nextHint(desk.state.target),
  export: exportMarks,
  mark: work.mark,
  "find-next": () => nextHit(1),
  "find-previous": () => nextHit(-1),
};

const follow = () => {
  if (!several()) return;
  work.look();
  work.keepFocus();
};
// In a window of another size what was read and rated stays in view.
const resized = () => {
  if (desk.state.page !== "work" || writing()) return;
  toPlace();
  const root = rootOf(desk.state.target);
  if (root?.getClientRects().length) reveal(root, part("units"));
  work.look();
};
// A pointer that goes to another unit aims there; one that lies still while the page moves does not.
let under = -1;
let spot = "";
const pointed = ({ target, screenX, screenY, pointerType }) => {
  const now = `${screenX},${screenY}`;
  const place = desk.state.keys.findIndex((_, n) => rootOf(n).contains(target));
  const moved = spot !== now && place !== under && pointerType === "mouse";
  spot = now;
  under = place;
  if (!moved || place < 0 || writing()) return;
  work.aim(place);
  work.keepFocus();
};
// Size and measure of the texts, as they were chosen in this browser.
const dressTexts = () => {
  for (const name of ["size", "measure"]) {
    const select = part(`text-${name}`);
    const apply = () => {
      document.documentElement.dataset[name] = select.value;
    };
    select.value = desk.store.get(`text-${name}`) ?? select.value;
    if (!select.value) select.selectedIndex = 1; // what was kept is no choice any more
    apply();
    select.addEventListener("change", () => {
      desk.store.set(`text-${name}`, select.value);
      apply();
    });
  }
};
const leave = () => {
  desk.clock.keep();
  keepPlace();
  desk.outbox.flush(true);
};
const wire = () => {
  const { outbox, store } = desk;
  const passive = { passive: true };
  let timer = 0;
  const rest = () => {
    clearTimeout(timer);
    timer = setTimeout(keepPlace, 200);
  };
  for (const [id, act] of Object.entries(clicks)) part(id).addEventListener("click", act);
  part("use-keys").addEventListener("change", ({ target }) => useKeys(target.checked));
  part("find").addEventListener("input", ({ target }) => search(target.value));
  part("find").addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    nextHit(event.shiftKey ? -1 : 1);
  });
  part("mark").addEventListener("pointerdown", (event) => event.preventDefault()); // keeps the selection
  part("outline").addEventListener("change", ({ target }) => {
    if (target.value) toHeading(Number(target.value));
    target.value = "";
  });
  for (const dialog of document.querySelectorAll("dialog")) dialog.addEventListener("close", () => set({ dialog: "" }));
  document.addEventListener("keydown", onKey);
  document.addEventListener("focusout", (event) => event.target.tagName === "TEXTAREA" && outbox.later(0));
  // Space and the arrow keys scroll the text again after a rating by pointer.
  part("strip").addEventListener("click", (event) => byPointer(event) && work.toText());
  part("source").addEventListener("scroll", rest, passive);
  addEventListener("scroll", rest, passive);
  for (const scrolled of [part("units"), globalThis, visualViewport]) scrolled?.addEventListener("scroll", follow, passive);
  addEventListener("resize", resized);
  part("units").addEventListener("pointermove", pointed, passive);
  addEventListener("popstate", ({ state: to }) => {
    if (!Number.isInteger(to?.number)) showGuidelines();
    else if (to.number < desk.state.box.documents.length) open(to.number, false);
  });
  setInterval(work.pace, 10000);
  addEventListener("focus", refresh);
  addEventListener("online", () => outbox.later(0));
  document.addEventListener("visibilitychange", () => (document.visibilityState === "visible" ? refresh() : leave()));
  addEventListener("pagehide", leave);
  addEventListener("beforeunload", (event) => store.fragile && event.preventDefault());
};

const start = async () => {
  let box = null; // no reply, or none of ours
  try {
    box = await (await fetch("tasks")).json();
  } catch {
    // as if it had none
  }
  if (!box?.documents) {
    set({ saving: { kind: "unsaved", words: box?.error ?? "The server does not answer; will try again." } });
    setTimeout(start, 3000);
    return;
  }
  desk.store = new Store(box.campaign, box.code);
  desk.clock = new Clock(desk.store);
  desk.outbox = new Outbox(desk.store, tell, refresh, replied);
  dressTexts();
  set({ keysOff: desk.store.get("keys") === false, number: Number(desk.store.get("place")) || 0 });
  remember();
  relist(box);
  wire();
  if (!box.closed) tell("ready", desk.outbox.pending().length ? "Saving …" : "Ready");
  if (allUnits(desk.state).some((unit) => isDone(desk.state, unit))) open(desk.state.number);
  desk.outbox.later(0);
};
const tell = (kind, words) => {
  const { closed } = desk.outbox;
  const waiting = desk.outbox.pending().length;
  const refused = kind === "refused" || kind === "closed";
  set({ saving: { kind, words, closed, waiting }, ...(refused ? { notice: words } : {}) });
};
start();
