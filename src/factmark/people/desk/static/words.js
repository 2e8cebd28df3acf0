// What the page says of the state, in words.
import { visible } from "./text.js";
import { allUnits, finished, isDone, isRated, opened, unitsOf, waits } from "./state.js";

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const CHOOSERS = "abcdefg"; // other letters are keys already

export const plain = (label) => label.replaceAll("_", " ");
const several = (state) => unitsOf(state).length > 1;
const capital = ({ noun }) => noun[0].toUpperCase() + noun.slice(1);
export const nameOf = (state, place) => (several(state) ? `${capital(state.box)} ${LETTERS[place]}` : capital(state.box));
export const letterOf = (state, place) => nameOf(state, place).at(-1);
export const choosers = (state) => unitsOf(state).slice(0, CHOOSERS.length).map((_, place) => [CHOOSERS[place], place]);
export const chooserOf = (place) => (place < CHOOSERS.length ? `${CHOOSERS[place]}, then the digit` : "a click on a rating");
export const documentName = (state, document) => (document.units.length > 1 ? "Document" : capital(state.box));
export const whereOf = (state) => {
  const shown = opened(state);
  if (!shown) return "";
  const name = `${documentName(state, shown)} ${state.number + 1} of ${state.box.documents.length}`;
  return shown.batch ? name : `Training: ${name}`;
};

export const progressOf = (state) => {
  const { documents, queue } = state.box;
  const list = allUnits(state);
  const batches = documents.at(-1)?.batch ?? 1;
  const batch = opened(state)?.batch ?? 1;
  const of = batches > 1 ? `, batch ${batch} of ${batches}` : "";
  const count = list.filter((unit) => isDone(state, unit)).length;
  return `${count} of ${list.length} done${batch === 0 ? ", training" : of}${queue ? `, ${queue} in the queue` : ""}`;
};
export const endingOf = (state) => {
  if (!finished(state)) return "";
  const { crowd, labels } = state.box;
  if (state.saving.closed) return crowd ? "All done." : "All done. You can close this page.";
  if (state.saving.waiting) return "All done; please wait until it is saved.";
  const back = `go back and change a ${labels.length ? "rating" : "mark"}`;
  return crowd ? `All done. Before you finish you can ${back}.` : `All done. You can close this page, or ${back}.`;
};
// What leads somebody of a crowd to their code, beside the link to it; empty while there is work.
export const wayOutOf = (state) => {
  if (!state.box.crowd) return "";
  if (state.saving.closed) return "No more answers are taken here. One step is left:";
  return finished(state) && !state.saving.waiting ? "All is rated. One step is left, which gives you your code:" : "";
};

// How far a document has come, in the list.
export const stateOf = (state, document) => {
  const { length } = document.units;
  const count = document.units.filter((unit) => isDone(state, unit)).length;
  if (waits(state, document)) return "rated; recalibrate?";
  if (count === length) return "✓ done";
  return count ? `${count} of ${length} done` : "to do";
};

// What a digit would do to the unit that bears the frame.
export const aimOf = (state, place) => {
  if (!several(state) || place !== state.target || !state.box.labels.length) return "";
  const rates = !isRated(state, place) || state.armed;
  return ` · ${rates ? "a digit rates it" : `${chooserOf(place)} changes it`}`;
};

// The question before the next document, with the ratings of this one; empty where it is not asked.
export const recalibrate = (state) => {
  if (!waits(state, opened(state))) return "";
  const ratings = unitsOf(state).map(({ key }, place) => `${letterOf(state, place)} ${state.answers[key].answer.label}`);
  return `Recalibrate? ${ratings.join(" · ")}`;
};

// The right answer of a unit in training, once it is rated.
export const besides = (state, { key }) => {
  const note = state.notes[key];
  return note && state.answers[key] ? `The right answer is ${plain(note.label)}. ${visible(note.text)}` : "";
};
