// The ratings of all units of a document in one strip, and the last question before it is done.
import { control, make, press } from "./dom.js";

const words = (label) => label.replaceAll("_", " ");

// Builds the strip into an element. `choose(place, label)` is called with a rating, `turn(place, show, focus)`
// with the unit that is to be the current one: in view where `show`, and with the focus, `stand()` when the ratings stand as they are,
// `compare()` to see the units side by side.
export const buildStrip = (into, box, units, { choose, turn, stand, compare }) => {
  const brief = box.labels.every(({ label }) => label.length === 1);
  const several = units.length > 1;
  const tabs = make("div", { className: "tabs" });
  const rows = make("div", { className: "rates" });
  const meaning = make("p", { className: "hint meaning" });
  meaning.setAttribute("aria-hidden", "true");
  const labels = units.map(() => null); // that count
  let current = 0;
  let pointed = null; // [place, label] under the pointer

  const tell = () => {
    const focused = document.activeElement?.closest?.("#strip [data-label]");
    const [place, label] = pointed ?? (focused ? [Number(focused.dataset.place), focused.dataset.label] : [current, labels[current]]);
    const at = box.labels.find((one) => one.label === label);
    const [first, last] = [box.labels[0], box.labels.at(-1)];
    const name = several ? `${units[place].name}: ` : "";
    if (!at) meaning.textContent = `${first.label}: ${first.meaning} … ${last.label}: ${last.meaning}`;
    else if (label === labels[place]) meaning.textContent = `${name}your answer, ${label}: ${at.meaning}`;
    else if (pointed) meaning.textContent = `${name}${label} would mean: ${at.meaning}`;
    else meaning.textContent = `${name}Enter chooses ${label}: ${at.meaning}`;
  };

  const groups = units.map((unit, place) => {
    const group = make("div", { className: "rating", role: "group" });
    group.setAttribute("aria-label", `${unit.name}: ${box.question}`);
    group.classList.toggle("short", brief);
    const name = control("name", () => turn(place), unit.name);
    name.title = "Show it";
    if (several) group.append(name);
    const choices = new Map();
    for (const one of box.labels) {
      const shown = make("span", { className: "label", textContent: words(one.label) });
      const means = make("span", { className: brief ? "unseen" : "means", textContent: brief ? `: ${one.meaning}` : one.meaning });
      const choice = control("choice", () => choose(place, one.label), shown, means);
      if (!brief) shown.prepend(make("kbd", { textContent: one.key }), " ");
      Object.assign(choice.dataset, { label: one.label, place });
      const point = (to) => () => ((pointed = to), tell());
      choice.addEventListener("pointerenter", point([place, one.label]));
      choice.addEventListener("pointerleave", point(null));
      choice.addEventListener("focus", tell);
      choice.addEventListener("blur", tell);
      choices.set(one.label, choice);
      group.append(choice);
    }
    // Whoever comes to a unit's ratings by key sees the unit.
    group.addEventListener("focusin", () => turn(place, Boolean(group.querySelector(":focus-visible")), false));
    rows.append(group);
    const tab = control("tab", () => turn(place), unit.letter);
    tabs.append(tab);
    return { group, choices, tab, unit };
  });

  const ask = make("div", { className: "ask", role: "group" });
  const asked = make("p", {});
  const button = (id, textContent, act) => {
    const built = make("button", { type: "button", id, textContent });
    built.addEventListener("click", act);
    return built;
  };
  const side = button("compare", "Side by side", compare);
  const stands = button("stand", "They stand", stand);
  ask.append(asked, side, stands);
  ask.setAttribute("aria-label", "Recalibrate?");
  ask.hidden = true;
  tabs.hidden = !several;
  const warning = make("p", { className: "warning", id: "unrated", hidden: true });
  warning.setAttribute("aria-hidden", "true"); // it is said as well
  into.replaceChildren(warning, ask, ...(brief ? [meaning] : []), tabs, rows);
  into.classList.toggle("several", several);

  return {
    show(place, label, kept) {
      labels[place] = label;
      const { choices, tab, unit } = groups[place];
      for (const [one, choice] of choices) press(choice, one === label);
      tab.textContent = `${unit.letter} ${label ? words(label) : "–"}`;
      tab.setAttribute("aria-label", `Show ${unit.name}: ${label ? words(label) : "to do"}${kept ? ", a change was not taken" : ""}`);
      tell();
    },
    turn(place) {
      current = place;
      groups.forEach(({ group, tab }, n) => {
        group.classList.toggle("current", n === place);
        tab.classList.toggle("current", n === place);
        if (n === place) tab.setAttribute("aria-current", "true");
        else tab.removeAttribute("aria-current");
      });
      tell();
    },
    // Whether the document waits for a last look; tells its ratings.
    ask(waits) {
      ask.hidden = !waits;
      asked.textContent = waits ? `Recalibrate? ${units.map((unit, n) => `${unit.letter} ${labels[n]}`).join(" · ")}` : "";
      return asked.textContent;
    },
    // Says that nothing was rated, and why, until something is done.
    warn(words) {
      warning.textContent = words;
      warning.hidden = !words;
    },
    beside(words) {
      side.textContent = words;
    },
    stands,
  };
};
