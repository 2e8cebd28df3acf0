// The units of the open document: each text, sentence by sentence, what decided its rating, and a
// comment; marks where it has no label.
import { html } from "./dom.js";
import { Marking, spansOf } from "./marking.js";
import { evidenceOf, isDone, sourceOf, unitsOf } from "./state.js";
import { painted, slice, visible } from "./text.js";
import { aimOf, besides, nameOf, plain } from "./words.js";

const MOST = 60; // characters of a quote
const PLACES = { source: "in the source", text: "here" };

// What others gave it, for who decides between them.
const Opinions = ({ given }) => html`<ul class="given">
  ${given.map(({ name, label, comment }) => html`<li><b>${name}: ${plain(label)}</b>${comment && ` “${visible(comment)}”`}</li>`)}
</ul>`;

// The places that decided the rating.
const Evidence = ({ state, unit, remove }) => {
  const evidence = evidenceOf(state, unit.key);
  if (!evidence.length) return null;
  const quotes = evidence.map(([where, start, end]) => {
    const words = visible(slice(where === "source" ? sourceOf(state).text : unit.text, start, end));
    return `“${words.length > MOST ? `${words.slice(0, MOST)}…` : words}” (${PLACES[where]})`;
  });
  const later = isDone(state, unit) ? "" : " It is saved together with your rating.";
  return html`<p class="hint evidence-line">Decided by ${quotes.join(", ")}.${later}${" "}
    <button type="button" aria-label="Remove the places that were marked" onclick=${remove}>Remove</button></p>`;
};

// What was changed elsewhere as well: both are shown, and one of them is chosen.
const quoted = (value) => (value ? `“${visible(value)}”` : "nothing");
const places = (value) => `${value?.length ?? 0} places`;
const clashLine = (answer, [field, mine]) => {
  const lines = {
    label: ["Changed", answer?.label, `chose ${mine}`],
    comment: ["Its comment was changed", quoted(answer?.comment), `wrote ${quoted(mine)}`],
    evidence: ["The places that decided it were changed", places(answer?.evidence), `have ${places(mine)}`],
    marking: ["Its marks were changed", "what is shown", "have other marks"],
  };
  const [what, theirs, here] = lines[field];
  return html`<p>${what} elsewhere to ${theirs}; here you ${here}.</p>`;
};
const Clash = ({ answer, clash, decide }) => {
  const label = clash && Object.keys(clash).length === 1 && clash.label;
  return html`<div class="elsewhere" role="alert" hidden=${!clash}>
    ${clash && Object.entries(clash).map((one) => clashLine(answer, one))}
    <button type="button" onclick=${() => decide(null)}>${label ? `Keep ${answer?.label}` : "Keep that"}</button>
    <button type="button" onclick=${() => decide(clash)}>${label ? `Take ${label}` : "Take what is from here"}</button>
  </div>`;
};

const Comment = ({ state, unit, answer, note, acts }) => {
  const words = state.typing?.key === unit.key ? state.typing.words : (answer?.comment ?? state.here[`d/${unit.key}`] ?? "");
  const waits = !answer && words && "Kept here; it is saved together with your answer.";
  return html`<label class="field comment">Comment (optional)
      <textarea rows=${Math.min(6, 1 + Math.floor(words.length / 50))} maxlength="10000" value=${words}
        onfocus=${(event) => acts.typing(unit, event.target.value)}
        oninput=${(event) => acts.comment(unit, event.target.value)}
        onblur=${() => acts.typing(null)} /></label>
    <p class="hint">${note || waits}</p>`;
};

const Unit = ({ state, unit, place, acts }) => {
  const { box } = state;
  const answer = state.answers[unit.key]?.answer;
  const kept = state.kept[unit.key]?.answer; // what a closed campaign did not take
  const short = ({ label }) => (label ? plain(label) : "marked");
  const counts = answer ? `✓ ${short(answer)}` : "to do";
  const untaken = kept && ` · not taken: ${short(kept)} (the campaign is closed)`;
  const note = kept && `Kept in this browser, and not taken: ${short(kept)}${kept.comment && `, “${visible(kept.comment)}”`}`;
  const beside = besides(state, unit);
  const several = unitsOf(state).length > 1;
  const current = several && place === state.target;
  const aimed = (sentence) => state.traced?.place === place && state.traced.sentence === sentence;
  const statements = unit.sentences.map(([start, end], n) => ({
    ...{ start, end, tag: unit.clause ? "mark" : "span" },
    class: `statement${unit.clause ? " asked" : ""}${aimed(n) ? " chosen" : ""}`,
    onclick: () => document.getSelection()?.isCollapsed !== false && acts.trace(place, n),
  }));
  const spans = box.labels.length ? statements : spansOf(answer?.marking);
  return html`<fieldset class=${`unit${current ? " current" : ""}${answer ? " answered" : ""}`} tabindex="-1"
    aria-current=${current || null}
    onfocusin=${() => acts.aim(place)} onpointerdown=${() => acts.aim(place)} onclick=${acts.pressed}>
    <legend><span>${nameOf(state, place)}</span> <span class="done">${counts}${untaken}</span><span class="aim">${aimOf(state, place)}</span></legend>
    ${unit.clause && html`<p class="clause"><b>The clause: </b>“${visible(slice(unit.text, ...unit.clause))}”</p>`}
    <div class="text judged">${painted(Array.from(unit.text), spans)}</div>
    ${unit.given.length > 0 && html`<${Opinions} given=${unit.given} />`}
    ${!box.labels.length && html`<${Marking} state=${state} unit=${unit} place=${place} marking=${answer?.marking} />`}
    <${Clash} answer=${answer} clash=${state.here[`x/${unit.key}`]} decide=${(fields) => acts.decide(place, fields)} />
    <${Evidence} state=${state} unit=${unit} remove=${() => acts.keepEvidence(place, [])} />
    <p class="aside" hidden=${!beside}>${beside}</p>
    <${Comment} state=${state} unit=${unit} answer=${answer} note=${note} acts=${acts} />
  </fieldset>`;
};

export const Units = ({ state, acts }) => {
  const units = unitsOf(state);
  return html`<p class="question">${state.box.question}</p>
    <div class="list">${units.map((unit, place) => html`<${Unit} key=${unit.key} ...${{ state, unit, place, acts }} />`)}</div>`;
};
