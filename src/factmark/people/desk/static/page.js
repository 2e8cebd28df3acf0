// How the state is shown: views for what changes in kind, and fields of the elements that box.html has.
import { html, part, render } from "./dom.js";
import { Checks, Documents, Keys, Marks, hasMarks, keysLine } from "./lists.js";
import { Outline, Source, colour, countWords, hasHints, isNumbered, likelyWords, sectionWords } from "./source.js";
import { allUnits, finished, isDone, marksOf, sourceOf, unitsOf } from "./state.js";
import { Strip } from "./strip.js";
import { Units } from "./units.js";
import { endingOf, progressOf, wayOutOf, whereOf } from "./words.js";

// Only what differs is set: a screen reader hears of each change.
const put = (id, fields) => {
  const element = part(id);
  for (const [name, value] of Object.entries(fields)) if (element[name] !== value) element[name] = value;
};
const putText = (id, textContent) => put(id, { textContent, hidden: !textContent });

export const showOn = (acts) => (state) => {
  const { box, page, saving, search } = state;
  const last = box.documents.length - 1;
  const fill = (id, view) => render(html`<${view} state=${state} acts=${acts} />`, part(id));
  const asked = box.checks.some(({ key }) => !state.answers[key]);
  put("state", { textContent: saving.words });
  part("state").dataset.state = saving.kind;
  putText("notice", state.notice || (box.labels.length ? "" : state.warning));
  if (!box.campaign) return;
  put("progress", { textContent: progressOf(state) });
  put("guidelines", { hidden: page === "work" });
  put("start", { textContent: allUnits(state).some((unit) => isDone(state, unit)) ? "Go on" : "Start", disabled: asked || (last < 0 && !box.queue) });
  put("start-hint", { hidden: !asked });
  put("use-keys", { checked: !state.keysOff });
  put("keys-line", { textContent: keysLine(state) });
  if (page === "guidelines") fill("checks", Checks);
  if (state.dialog === "list") fill("documents", Documents);
  if (state.dialog === "marks") fill("marks-list", Marks);
  if (state.dialog === "keys") fill("keys-list", Keys);
  put("export", { disabled: !hasMarks(state) });
  put("work", { hidden: page !== "work" });
  put("open", { hidden: finished(state) });
  put("finished", { textContent: endingOf(state) });
  if (box.crowd) {
    put("completion", { hidden: !wayOutOf(state) });
    put("way-out", { textContent: wayOutOf(state) });
  }
  const source = sourceOf(state);
  if (!state.keys.length || !source) return;
  put("where", { textContent: whereOf(state) });
  put("previous", { disabled: state.number === 0 });
  put("next", { disabled: state.number === last });
  put("beside", { textContent: state.alone ? "With the source" : "Side by side", hidden: unitsOf(state).length < 2 });
  put("show-source", { ariaPressed: String(state.part === "source") });
  put("show-units", { ariaPressed: String(state.part === "units") });
  document.body.dataset.part = state.part;
  document.body.classList.toggle("alone", state.alone);
  const steps = state.steps.map((minutes, n) => html`<span class=${n === state.step ? "now" : ""}>${box.pace[n][0]}: ${minutes} min (${box.pace[n][1]})</span>`);
  render(steps, part("pace"));
  render(Source(state), part("evidence"));
  part("evidence").classList.toggle("numbered", isNumbered(source));
  render(Outline(state), part("outline"));
  put("outline", { hidden: part("outline").options.length < 2 });
  putText("likely", likelyWords(state));
  putText("sections", sectionWords(source));
  put("whereabouts", { textContent: state.where });
  put("find", { value: search.words });
  put("find-count", { textContent: countWords(search), title: search.hits[search.at]?.about ? "The source writes it otherwise." : "" });
  put("hint", { hidden: !hasHints(state) });
  put("to-marks", { textContent: `Marks (${marksOf(state, source).length})` });
  fill("units", Units);
  put("strip", { hidden: !box.labels.length });
  part("strip").classList.toggle("several", unitsOf(state).length > 1);
  if (box.labels.length) fill("strip", Strip);
  colour(state);
};
