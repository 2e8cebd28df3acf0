// The source: its paragraphs and numbered sentences, words looked for in it, places where a
// statement likely stands, the annotator's own marks, and the place where reading stopped.
import { make } from "./dom.js";
import { findAll, fold } from "./alike.js";
import { rangeOf, selected, slice, visible, write } from "./text.js";
import { bring, port, scrollBack, scrollOf } from "./view.js";
import { Whereabouts } from "./whereabouts.js";

const part = (id) => document.getElementById(id);
const PAINTS = globalThis.CSS?.highlights && globalThis.Highlight;
const FEW = 4; // sentences that need no numbers

// Colours stretches of the text, which may overlap, without a change of the page. Browsers that
// cannot are shown the whole sentences.
const colour = (name, ranges, priority) => {
  if (!PAINTS) return;
  const all = new Highlight(...ranges);
  all.priority = priority;
  CSS.highlights.set(name, all);
};

export class Source {
  // `say(words)` tells a screen reader; `show()` brings the source into view where one part is shown
  // at a time; `changed()` is called with each change of the marks, `pressed()` with a stretch that
  // was marked, or marked no more.
  constructor(store, { say, show, changed, pressed }) {
    this.store = store;
    this.say = say;
    this.show = show;
    this.changed = changed;
    this.pressed = pressed;
    this.element = part("evidence");
    this.scroller = part("source");
    this.given = null;
    this.hits = [];
    this.at = -1;
    this.whereabouts = new Whereabouts(store, (heading) => {
      this.show();
      scrollBack(this.scroller, scrollOf(this.scroller) + heading.getBoundingClientRect().top - port(this.scroller, true).top - 6);
    });
    this.wire();
  }

  // Shows a source; the same one again stays as it is, but for the likely sentences.
  open(source, likely) {
    if (this.given?.id !== source.id) {
      this.keepPlace();
      this.given = source;
      this.lay();
      this.search("");
      part("find").value = "";
      this.paintMarks();
    }
    this.spans.forEach((span, n) => {
      span.classList.toggle("likely", likely.includes(n));
      span.classList.remove("hit");
    });
    const numbers = likely.map((n) => source.sentences[n][2]).filter(Boolean);
    part("likely").hidden = !likely.length;
    const named = this.numbered && numbers.length ? ` (${numbers.length > 1 ? "sentences" : "sentence"} ${numbers.join(", ")})` : "";
    part("likely").textContent = `Highlighted: where the answer probably stands${named}. Look at the rest too.`;
  }

  lay() {
    const { text, blocks, sentences, sections } = this.given;
    const all = Array.from(text);
    this.folded = fold(text);
    this.map = [];
    this.spans = [];
    this.numbered = sentences.length > FEW;
    this.element.classList.toggle("numbered", this.numbered);
    this.element.replaceChildren();
    const headings = [];
    let n = 0;
    for (const [start, end, kind] of blocks) {
      const block = make(kind === "heading" ? "h4" : "p", { className: kind });
      let at = start;
      for (; n < sentences.length && sentences[n][0] < end; n += 1) {
        const [from, to, number] = sentences[n];
        write(block, all, at, from, this.map);
        const span = make("span", { className: "sentence" });
        if (number) span.dataset.number = number;
        write(span, all, from, to, this.map);
        block.append(span);
        this.spans.push(span);
        at = to;
      }
      write(block, all, at, Math.max(at, end), this.map);
      this.element.append(block);
      if (kind === "heading") headings.push({ element: block, start, end });
    }
    this.whereabouts.open(this.given, headings, this.spans);
    part("sections").hidden = !sections.length;
    part("sections").textContent = `Its sections: ${sections.map(visible).join(" · ")}. Where each begins is not in the file.`;
  }

  // -- the place where reading stopped: a sentence, and how far it is from the top

  place() {
    if (!this.given || !this.element.getClientRects().length) return null;
    const top = port(this.scroller, true).top;
    const n = this.spans.findIndex((span) => span.getBoundingClientRect().bottom > top);
    return n < 0 ? null : { n, dy: Math.round(this.spans[n].getBoundingClientRect().top - top) };
  }

  keepPlace() {
    if (this.given) this.whereabouts.look(this.scroller);
    const place = this.place();
    if (place) this.store.set(`s/${this.given.id}`, place);
  }

  toPlace() {
    if (!this.element.getClientRects().length) return;
    const place = this.store.get(`s/${this.given.id}`);
    const span = this.spans[place?.n];
    const by = span ? span.getBoundingClientRect().top - port(this.scroller, true).top - place.dy : -1e7;
    if (Math.abs(by) > 1) scrollBack(this.scroller, scrollOf(this.scroller) + by);
    this.whereabouts.look(this.scroller);
  }

  // Goes to a sentence; `which` says in words which one it is.
  jump(n, which) {
    this.spans.forEach((span, at) => span.classList.toggle("hit", at === n));
    this.show();
    bring(this.spans[n].getBoundingClientRect(), this.scroller);
    const [start, end, number] = this.given.sentences[n];
    this.say(`${which}: ${number ? `sentence ${number}: ` : ""}${visible(slice(this.given.text, start, end))}`);
  }

  // -- words looked for

  search(words) {
    this.hits = this.given ? findAll(this.folded, words) : [];
    this.at = -1;
    colour("found", this.hits.map(({ start, end }) => rangeOf(this.map, [start, end])), 2);
    colour("here", [], 3);
    const place = this.place();
    const from = place && this.given.sentences[place.n][0];
    if (this.hits.length) this.nextHit(1, Math.max(0, this.hits.findIndex(({ start }) => start >= from)));
    else part("find-count").textContent = words.trim() ? "none" : "";
  }

  nextHit(step, first) {
    const count = this.hits.length;
    if (!count) return;
    this.at = first ?? (this.at + step + count) % count;
    const { start, end, about } = this.hits[this.at];
    part("find-count").textContent = `${this.at + 1} of ${count}${about ? ", about" : ""}`;
    part("find-count").title = about ? "The source writes it otherwise." : "";
    const range = rangeOf(this.map, [start, end]);
    colour("here", [range], 3);
    if (!PAINTS) this.spans.forEach((span) => span.classList.toggle("hit", range.intersectsNode(span)));
    this.show();
    bring(range.getBoundingClientRect(), this.scroller);
  }

  // -- the annotator's own marks: stretches apart from each other, in order

  marks(id = this.given.id) {
    const kept = this.store.get(`m/${id}`);
    return Array.isArray(kept) ? kept : [];
  }

  // Marks what is selected, or the sentence that was jumped to; what is marked wholly is unmarked.
  mark() {
    const jumped = this.spans.findIndex((span) => span.classList.contains("hit"));
    const chosen = selected(this.element, this.map, this.given.text) ?? this.chosen;
    const span = chosen ?? this.given.sentences[jumped]?.slice(0, 2);
    if (!span) return this.say("Select words of the source first.");
    const [start, end] = span;
    const marks = this.marks();
    const over = marks.filter(([from, to]) => from < end && start < to);
    const rest = marks.filter((one) => !over.includes(one));
    const whole = over.find(([from, to]) => from <= start && end <= to);
    if (whole) {
      const left = [[whole[0], start], [end, whole[1]]];
      this.keepMarks([...rest, ...left.filter(([from, to]) => slice(this.given.text, from, to).trim())]);
    } else {
      this.keepMarks([...rest, [Math.min(start, ...over.map((one) => one[0])), Math.max(end, ...over.map((one) => one[1]))]]);
    }
    this.chosen = null;
    document.getSelection()?.removeAllRanges();
    this.pressed(["source", start, end]);
    return this.say(`${whole ? "Mark removed" : "Marked"}: ${visible(slice(this.given.text, start, end))}`);
  }

  keepMarks(marks) {
    this.store.set(`m/${this.given.id}`, marks.sort((a, b) => a[0] - b[0]));
    this.paintMarks();
  }

  paintMarks() {
    const ranges = this.marks().map((span) => rangeOf(this.map, span));
    colour("mine", ranges, 1);
    if (!PAINTS) this.spans.forEach((span) => span.classList.toggle("mine", ranges.some((range) => range.intersectsNode(span))));
    this.changed(this.marks().length);
  }

  numberAt(at, source = this.given) {
    return source.sentences.findLast(([start]) => start <= at)?.[2] || "";
  }

  toMark([start, end]) {
    this.show();
    bring(rangeOf(this.map, [start, end]).getBoundingClientRect(), this.scroller);
  }

  wire() {
    part("find").addEventListener("input", () => this.search(part("find").value));
    part("find").addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.isComposing) return;
      event.preventDefault();
      this.nextHit(event.shiftKey ? -1 : 1);
    });
    part("find-next").addEventListener("click", () => this.nextHit(1));
    part("find-previous").addEventListener("click", () => this.nextHit(-1));
    part("mark").addEventListener("pointerdown", (event) => event.preventDefault()); // keeps the selection
    // A selection is kept when the focus goes to the button, as on a phone.
    document.addEventListener("selectionchange", () => {
      if (document.activeElement === part("mark") || !this.given) return;
      this.chosen = selected(this.element, this.map, this.given.text);
    });
    let timer = 0;
    const later = () => {
      clearTimeout(timer);
      timer = setTimeout(() => this.keepPlace(), 200);
    };
    this.scroller.addEventListener("scroll", later, { passive: true });
    addEventListener("scroll", later, { passive: true });
  }
}
