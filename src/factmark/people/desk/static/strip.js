// The ratings of all units of a document in one strip, and the last question before it is done.
import { Control, html } from "./dom.js";
import { unitsOf } from "./state.js";
import { letterOf, nameOf, plain, recalibrate } from "./words.js";

const brief = (box) => box.labels.every(({ label }) => label.length === 1);
const labelOf = (state, unit) => state.answers[unit.key]?.answer.label ?? null; // that counts

// What the rating means that is pointed at, or has the focus, or counts.
const meaning = (state) => {
  const { labels } = state.box;
  const units = unitsOf(state);
  const [place, label] = state.pointed ?? state.focused ?? [state.target, labelOf(state, units[state.target])];
  const at = labels.find((one) => one.label === label);
  const name = units.length > 1 ? `${nameOf(state, place)}: ` : "";
  if (!at) return `${labels[0].label}: ${labels[0].meaning} … ${labels.at(-1).label}: ${labels.at(-1).meaning}`;
  if (units[place] && label === labelOf(state, units[place])) return `${name}your answer, ${label}: ${at.meaning}`;
  if (state.pointed) return `${name}${label} would mean: ${at.meaning}`;
  return `${name}Enter chooses ${label}: ${at.meaning}`;
};

const Choice = ({ state, place, one, chosen, acts }) => html`<${Control} class="choice" act=${() => acts.choose(place, one.label)}
  data-label=${one.label} data-place=${place} aria-pressed=${chosen === one.label}
  onpointerenter=${() => acts.point([place, one.label])} onpointerleave=${() => acts.point(null)}
  onfocus=${() => acts.focused([place, one.label])} onblur=${() => acts.focused(null)}>
  <span class="label">${!brief(state.box) && html`<kbd>${one.key}</kbd>${" "}`}${plain(one.label)}</span>
  ${brief(state.box) ? html`<span class="unseen">: ${one.meaning}</span>` : html`<span class="means">${one.meaning}</span>`}<//>`;

const Rating = ({ state, unit, place, acts }) => {
  const classes = ["rating", brief(state.box) && "short", place === state.target && "current"];
  // Whoever comes to a unit's ratings by key sees the unit.
  const entered = ({ target }) => acts.turn(place, { show: target.matches(":focus-visible"), focus: false });
  const choices = state.box.labels.map((one) => html`<${Choice} ...${{ state, place, one, acts }} chosen=${labelOf(state, unit)} />`);
  return html`<div class=${classes.filter(Boolean).join(" ")} role="group"
    aria-label="${nameOf(state, place)}: ${state.box.question}" onfocusin=${entered}>
    ${unitsOf(state).length > 1 && html`<${Control} class="name" title="Show it" act=${() => acts.turn(place)}>${nameOf(state, place)}<//>`}
    ${choices}</div>`;
};

const Tab = ({ state, unit, place, acts }) => {
  const label = labelOf(state, unit);
  const untaken = state.kept[unit.key] ? ", a change was not taken" : "";
  const current = place === state.target;
  return html`<${Control} class=${current ? "tab current" : "tab"} aria-current=${current || null} act=${() => acts.turn(place)}
    aria-label="Show ${nameOf(state, place)}: ${label ? plain(label) : "to do"}${untaken}">
    ${letterOf(state, place)} ${label ? plain(label) : "–"}<//>`;
};

export const Strip = ({ state, acts }) => {
  const asked = recalibrate(state);
  const all = (View) => unitsOf(state).map((unit, place) => html`<${View} ...${{ state, unit, place, acts }} />`);
  return html`
    <p class="warning" id="unrated" aria-hidden="true" hidden=${!state.warning}>${state.warning}</p>
    <div class="ask" role="group" aria-label="Recalibrate?" hidden=${!asked}><p>${asked}</p>
      <button type="button" id="compare" onclick=${acts.alone}>${state.alone ? "With the source" : "Side by side"}</button>
      <button type="button" id="stand" onclick=${acts.stand}>They stand</button></div>
    ${brief(state.box) && html`<p class="hint meaning" aria-hidden="true">${meaning(state)}</p>`}
    <div class="tabs" hidden=${unitsOf(state).length < 2}>${all(Tab)}</div>
    <div class="rates">${all(Rating)}</div>`;
};
