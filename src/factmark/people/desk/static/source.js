// The source: its paragraphs and numbered sentences, words looked for in it, places where a
// statement likely stands, the annotator's own marks, and where in it one is.
import { findAll, fold } from "./alike.js";
import { desk, remember, say, set } from "./desk.js";
import { html, part } from "./dom.js";
import { marksOf, sourceOf, unitsOf } from "./state.js";
import { mapOf, painted, rangeOf, selected, slice, unselect, visible } from "./text.js";
import { bring, port, reveal, rootOf, scrollBack, scrollOf } from "./view.js";
import { showPart } from "./work.js";

const PAINTS = globalThis.CSS?.highlights && globalThis.Highlight;
const FEW = 4; // sentences that need no numbers

const scroller = () => part("source");
const visibleNow = () => unitsOf(desk.state).length > 0 && part("evidence").getClientRects().length > 0;
const sentences = () => Array.from(part("evidence").querySelectorAll(".sentence"));
const headings = () => Array.from(part("evidence").querySelectorAll("h4"));

// -- what is shown of it; the same text is laid out once

const likely = (state) => {
  const [first] = unitsOf(state);
  return first?.clause ? first.sentences[0][2] : [];
};
const overlaps = ([from, to], [start, end]) => from < end && start < to;

let laid = { wanted: null, shown: null };
export const Source = (state) => {
  const source = sourceOf(state);
  if (!source) return null;
  const hit = state.search.hits[state.search.at];
  const marks = marksOf(state, source);
  // Browsers that cannot colour stretches are shown the whole sentences.
  const whole = PAINTS ? [] : marks;
  const found = !PAINTS && hit ? [hit.start, hit.end] : [0, 0];
  const probable = likely(state);
  const wanted = JSON.stringify([source.id, probable, state.jumped, whole, found]);
  if (laid.wanted === wanted) return laid.shown;
  const all = Array.from(source.text);
  let n = 0;
  const block = ([start, end, kind], place) => {
    const spans = [];
    for (; n < source.sentences.length && source.sentences[n][0] < end; n += 1) {
      const [from, to, number] = source.sentences[n];
      const classes = ["sentence", probable.includes(n) && "likely"];
      if (n === state.jumped || overlaps(found, [from, to])) classes.push("hit");
      if (whole.some((span) => overlaps(span, [from, to]))) classes.push("mine");
      spans.push({ start: from, end: to, tag: "span", class: classes.filter(Boolean).join(" "), "data-number": number || null });
    }
    const inside = painted(all, spans, start, Math.max(end, spans.at(-1)?.end ?? end));
    return html`<${kind === "heading" ? "h4" : "p"} key="${source.id} ${place}" class=${kind} data-at=${start}>${inside}<//>`;
  };
  laid = { wanted, shown: source.blocks.map(block) };
  return laid.shown;
};

// Its outline: the headings, by their place.
export const Outline = (state) => {
  const { text, blocks } = sourceOf(state);
  const names = blocks.filter(([, , kind]) => kind === "heading").map(([start, end]) => visible(slice(text, start, end)));
  return html`<option value="">Sections</option>${names.map((name, n) => html`<option value=${n}>${name}</option>`)}`;
};

// The sentences about it: where the answer probably stands, and sections without a place.
export const likelyWords = (state) => {
  const places = likely(state);
  const all = sourceOf(state).sentences;
  const numbers = places.map((n) => all[n][2]).filter(Boolean);
  if (!places.length) return "";
  const named = all.length > FEW && numbers.length ? ` (${numbers.length > 1 ? "sentences" : "sentence"} ${numbers.join(", ")})` : "";
  return `Highlighted: where the answer probably stands${named}. Look at the rest too.`;
};
export const sectionWords = ({ sections }) =>
  sections.length ? `Its sections: ${sections.map(visible).join(" · ")}. Where each begins is not in the file.` : "";
export const isNumbered = ({ sentences: all }) => all.length > FEW;
export const countWords = ({ words, hits, at }) => {
  if (!hits.length) return words.trim() ? "none" : "";
  return `${at + 1} of ${hits.length}${hits[at].about ? ", about" : ""}`;
};

// Colours stretches of the text, which may overlap, without a change of the page.
let coloured = [];
export const colour = (state) => {
  const wanted = [sourceOf(state), state.search, state.here];
  if (!PAINTS || wanted.every((one, n) => one === coloured[n])) return;
  coloured = wanted;
  const map = mapOf(part("evidence"));
  const paint = (name, spans, priority) => {
    const highlight = new Highlight(...spans.map((span) => rangeOf(map, span)));
    highlight.priority = priority;
    CSS.highlights.set(name, highlight);
  };
  const spans = state.search.hits.map(({ start, end }) => [start, end]);
  paint("mine", marksOf(state, wanted[0]), 1);
  paint("found", spans, 2);
  paint("here", spans.slice(state.search.at, state.search.at + 1), 3);
};

// -- the place where reading stopped: a sentence, and how far it is from the top

const readingPlace = () => {
  const { top } = port(scroller(), true);
  const spans = sentences();
  const n = spans.findIndex((span) => span.getBoundingClientRect().bottom > top);
  return n < 0 ? null : { n, dy: Math.round(spans[n].getBoundingClientRect().top - top) };
};
export const keepPlace = () => {
  if (!visibleNow()) return;
  look();
  const place = readingPlace();
  if (place) desk.store.set(`s/${sourceOf(desk.state).id}`, place);
};
export const toPlace = () => {
  if (!visibleNow()) return;
  const place = desk.store.get(`s/${sourceOf(desk.state).id}`);
  const span = sentences()[place?.n];
  const by = span ? span.getBoundingClientRect().top - port(scroller(), true).top - place.dy : -1e7;
  if (Math.abs(by) > 1) scrollBack(scroller(), scrollOf(scroller()) + by);
  look();
};
// Tells where one is, and keeps what was in view so far; once the page has come to rest.
const look = () => {
  const spans = sentences();
  if (!spans.length) return;
  const { id } = sourceOf(desk.state);
  const { top, bottom } = port(scroller());
  const boxes = spans.map((span) => span.getBoundingClientRect());
  const kept = desk.store.get(`v/${id}`);
  const seen = new Set(Array.isArray(kept) ? kept : []);
  boxes.forEach((box, n) => box.bottom > top && box.bottom <= bottom + 1 && seen.add(n));
  desk.store.set(`v/${id}`, Array.from(seen));
  const first = Math.max(0, boxes.findIndex((box) => box.bottom > top));
  const section = headings().findLast((heading) => heading.getBoundingClientRect().top <= boxes[first].bottom);
  const { number } = spans[first].dataset;
  const last = spans.findLast((span) => span.dataset.number)?.dataset.number;
  const percent = Math.floor((100 * seen.size) / spans.length);
  const words = [section?.textContent, number && `sentence ${number} of ${last}`, `${percent} % seen`];
  set({ where: words.filter(Boolean).join(" · ") });
};
export const toHeading = (n) => {
  const heading = headings()[n];
  showPart("source");
  scrollBack(scroller(), scrollOf(scroller()) + heading.getBoundingClientRect().top - port(scroller(), true).top - 6);
};

// -- likely places of a sentence of a unit, one by one

export const hasHints = (state) => state.box.labels.length > 0 && unitsOf(state).some((unit) => unit.sentences.some(([, , places]) => places.length));
// Goes to the first likely place of a sentence, asked again to the next one.
export const trace = (place, sentence, again = true) => {
  const { traced } = desk.state;
  const same = again && traced?.place === place && traced.sentence === sentence;
  const step = same ? traced.step + 1 : 0;
  const [, , places] = unitsOf(desk.state)[place].sentences[sentence];
  set({ traced: { place, sentence, step } });
  if (!places.length) return say("No sentence of the source shares a word with this one.");
  const at = step % places.length;
  const jumped = places[at];
  set({ jumped });
  showPart("source");
  bring(sentences()[jumped].getBoundingClientRect(), scroller());
  const { text, sentences: all } = sourceOf(desk.state);
  const [start, end, number] = all[jumped];
  return say(`Likely place ${at + 1} of ${places.length}: ${number ? `sentence ${number}: ` : ""}${visible(slice(text, start, end))}`);
};
const tracedIn = (place) => (desk.state.traced?.place === place ? desk.state.traced.sentence : -1);
// The next place of the sentence that was asked for last, or of the first one.
export const nextHint = (place) => unitsOf(desk.state)[place]?.sentences.length && trace(place, Math.max(0, tracedIn(place)));
// The next or the previous sentence, and its first place.
export const turnSentence = (place, by) => {
  const count = unitsOf(desk.state)[place]?.sentences.length;
  if (!count) return;
  const from = tracedIn(place);
  const to = from < 0 && by < 0 ? count - 1 : (from + by + count) % count;
  const statement = rootOf(place).querySelectorAll(".statement")[to];
  reveal(statement, part("units"));
  trace(place, to, false);
  say(`“${statement.textContent}” ${part("said").textContent}`);
};

// -- words looked for

let folded = {};
export const search = (words) => {
  const source = sourceOf(desk.state);
  if (folded.id !== source.id) folded = { id: source.id, ...fold(source.text) };
  const hits = findAll(folded, words);
  const place = visibleNow() ? readingPlace() : null;
  const from = place ? source.sentences[place.n][0] : Infinity;
  const next = hits.findIndex(({ start }) => start >= from);
  toHit({ words, hits, at: hits.length ? Math.max(0, next) : -1 });
};
const toHit = (looked) => {
  set({ search: looked });
  const hit = looked.hits[looked.at];
  if (hit) toSpan([hit.start, hit.end]);
};
export const nextHit = (step) => {
  const looked = desk.state.search;
  const count = looked.hits.length;
  toHit({ ...looked, at: count ? (looked.at + step + count) % count : -1 });
};
export const toSpan = (span) => {
  showPart("source");
  bring(rangeOf(mapOf(part("evidence")), span).getBoundingClientRect(), scroller());
};

// -- the annotator's own marks: stretches apart from each other, in order

// Marks what is selected, or the sentence that was jumped to; what is marked wholly is unmarked.
// Returns the stretch.
export const markSource = () => {
  const source = sourceOf(desk.state);
  const span = selected(part("evidence"), source.text) ?? source.sentences[desk.state.jumped]?.slice(0, 2);
  if (!span) return say("Select words of the source first.");
  const [start, end] = span;
  const marks = marksOf(desk.state, source);
  const over = marks.filter((one) => overlaps(one, span));
  const rest = marks.filter((one) => !over.includes(one));
  const whole = over.find(([from, to]) => from <= start && end <= to);
  const left = whole && [[whole[0], start], [end, whole[1]]].filter(([from, to]) => slice(source.text, from, to).trim());
  const joined = [Math.min(start, ...over.map((one) => one[0])), Math.max(end, ...over.map((one) => one[1]))];
  const now = [...rest, ...(left ?? [joined])].sort((one, other) => one[0] - other[0]);
  remember({ [`m/${source.id}`]: now });
  unselect();
  say(`${whole ? "Mark removed" : "Marked"}: ${visible(slice(source.text, start, end))}`);
  return span;
};
